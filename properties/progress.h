// progress: somebody gets the lock, and work gets done under it. Some acquire of the run succeeds.
// Some critical section is finished, unless the lock cuts none off: that is, tells its holder of a
// loss that has not happened, leaves its release without an answer, or refuses to release what the
// holder still has. At the horizon no client
// waits for a lock that no client holds. At no other time is the lock idle for as long as a run
// waits for its horizon, while no fault is in progress. A waiter that an entry, a mutex or a lack
// of connections keeps stuck is judged by not-stuck alone.
#pragma once

#include <vector>

#include "properties/idle.h"
#include "properties/not_stuck.h"
#include "properties/timeline.h"

namespace picklock::properties {

struct ProgressScratch {
  NotStuckScratch stuck;
  IdleScratch idle;
  std::vector<bool> held;  // by key: whether a client believes at the horizon that it holds it
};

// Counts waiters and idle times; a run without any grant, or without any finished section, counts
// once. Witnesses: the waiter's acquire_invoked, and the horizon. The event that ended the idle
// time, and the acquire_invoked of the client that waited longest. The horizon, and the first
// acquire_invoked, or else the event that cut the first section off. Unknown for a history without
// a horizon.
void progress(const Case& run, ProgressScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
