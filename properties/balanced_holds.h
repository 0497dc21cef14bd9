// balanced-holds: the number of holds that a server counts for a tenure agrees with what the client
// was told. It shows a command that took effect twice before any client loses the lock or waits
// forever because of it. A release that has freed the lock does not tell its client that there was
// nothing to release.
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
  std::vector<std::uint32_t> freed;  // by tenure: where its release has removed its quorum
};

// Counts completed acquires and releases. Witness: the completion, and the event that last set the
// count, or that freed the lock.
void balanced_holds(const Case& run, BalancedHoldsScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
