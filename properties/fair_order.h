// fair-order: a waiter whose request the server applied first is overtaken at most as often as the
// algorithm promises. A client overtakes it by coming later and being granted the lock while it
// still waits.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct FairOrderScratch {
  std::vector<TenureId> queue;          // of one key after the other, from the last to the first
  std::vector<std::uint32_t> earliest;  // acquire_ok of those behind a waiter, as a heap
};

// Counts waiters. Witness: the first acquire_ok beyond the promise, and the queued event of the
// waiter.
void fair_order(const Case& run, FairOrderScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
