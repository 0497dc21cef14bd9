// not-stuck: at the horizon no client waits forever (architecture "Horizon"). A wait that a
// deadline of the entry will end is a bounded outage and no violation. A waiter is stuck if nothing
// is left that would free the lock, or the mutex that the threads of its process share.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct NotStuckScratch {
  std::vector<std::uint32_t> last_grant;  // by key
};

// Counts waiters. Witness: the waiter's acquire_invoked, and the event that made the blocking entry
// what it is: its creation, or its owner's last change to it. Unknown for a history without a
// horizon.
void not_stuck(const Case& run, NotStuckScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
