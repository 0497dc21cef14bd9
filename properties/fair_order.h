// fair-order: a waiter whose request was applied first, at the server, is overtaken at most as
// often as the algorithm promises. It is overtaken by whoever came later and is told of success
// while it still waits.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct FairOrderScratch {
  std::vector<TenureId> queue;          // of one key after the other, from the last to the first
  std::vector<std::uint32_t> earliest;  // acquire_ok of those behind a waiter, as a heap
};

// Counts waiters. Witness: the first acquire_ok too many, and the waiter's queued.
void fair_order(const Case& run, FairOrderScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
