// balanced-holds: how often a server counts a tenure as holding agrees with what its client was
// told. A command that took effect twice is seen here before anybody loses the lock by it, or is
// kept out for ever.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct BalancedHoldsScratch {
  struct Count {
    TenureId owner = 0;
    std::uint32_t holds = 0;
    std::uint32_t set = 0;  // the event
  };
  std::vector<Count> counts;         // by slot
  std::vector<std::uint32_t> depth;  // by tenure: acquires not yet released
};

// Counts completed acquires and releases. Witness: the completion, and the event that last set the
// count.
void balanced_holds(const Case& run, BalancedHoldsScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
