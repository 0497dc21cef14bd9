// not-stuck: at the horizon no client waits forever (architecture "Horizon"). A wait that a
// deadline of the entry will end is a bounded outage and no violation. A waiter is stuck if nothing
// is left that would free the lock, or the mutex or connections that the threads of its process
// share.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct NotStuckScratch {
  std::vector<std::uint32_t> last_grant;  // by key
};

inline bool waits_alive(const Tenure& tenure) {
  return tenure.waiting != kNone && tenure.gone == kNone;
}

// The state of the locks at the horizon, with what keeps their waiters stuck.
class Standstill {
 public:
  // Requires: the history ends with its horizon.
  Standstill(const Case& run, NotStuckScratch& scratch);

  // The event that made the entry or mutex what it is; kNone: the waiter is not stuck.
  std::uint32_t stuck_behind(const Tenure& waiter) const;

 private:
  const Case& run_;
  const std::vector<std::uint32_t>& last_grant_;
  std::uint32_t calm_ = 0;
};

// Counts waiters. Witness: the waiter's acquire_invoked, and the event that made the blocking entry
// what it is: its creation, or its owner's last change to it; or that the client's last connection
// was lost. Unknown for a history without a horizon.
void not_stuck(const Case& run, NotStuckScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
