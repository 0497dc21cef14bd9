// no-stale-write: no write of an older tenure is accepted after any operation of a newer one.
// Tenures are ordered by when their grants took effect at the server, not by replies or beliefs.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct StaleWriteScratch {
  std::vector<std::uint32_t>
      newest;  // by place: the first operation of the newest tenure seen there
};

// Counts stale writes. Witness: the write, and the first operation of the newest tenure before it.
void no_stale_write(const Case& run, StaleWriteScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
