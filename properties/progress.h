// progress: somebody gets the lock. Some acquire of the run succeeds; and at the horizon no client
// waits for a lock that no client holds. A waiter that an entry or a mutex keeps stuck is judged by
// not-stuck alone.
#pragma once

#include <vector>

#include "properties/not_stuck.h"
#include "properties/timeline.h"

namespace picklock::properties {

struct ProgressScratch {
  NotStuckScratch stuck;
  std::vector<bool> held;  // by key: whether a client believes at the horizon that it holds it
};

// Counts waiters; a run without any grant counts once. Witness: the waiter's acquire_invoked, and
// the horizon; or the horizon, and the first acquire_invoked. Unknown for a history without a
// horizon.
void progress(const Case& run, ProgressScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
