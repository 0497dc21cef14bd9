// no-deadlock: there is no cycle among waiters and holders. A thread waits for a key from
// acquire_invoked to its completion. A key is held by the tenure that believes that it holds it and
// whose entries are live. A thread that acquires a lock again that it holds waits for itself. This
// is a cycle if it has not got the lock after it could reach a quorum of servers, undisturbed, for
// the declared bound: a reentrant lock would have granted it. Without a declared bound, this case
// is not judged.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/surroundings.h"
#include "properties/timeline.h"

namespace picklock::properties {

struct NoDeadlockScratch {
  struct Key {
    TenureId holder = 0;
    std::uint32_t held_since = kNone;
    std::uint32_t waiters = 0;
  };
  struct Thread {
    TenureId waits_as = 0;
    std::uint32_t since = kNone;
    std::uint32_t awaited = 0;                // waiters for the keys it holds
    std::uint32_t visited = 0;                // the last search that came by
    std::uint32_t waited_for_itself = kNone;  // its last such wait that was reported
  };
  // A thread that asks again for the lock its tenure holds.
  struct SelfWait {
    TenureId tenure = 0;
    std::uint32_t invoked = 0;
    std::uint32_t held_since = 0;
    Instant since{};  // from here on it has held and waited
  };
  SurroundingsScratch surroundings;
  std::vector<SelfWait> self_waits;
  std::vector<Key> keys;
  std::vector<Thread> threads;
  std::vector<std::uint32_t> has;  // by tenure: servers that hold its entry now
  std::vector<Witness> cycle;
  std::uint32_t searches = 0;
};

// Counts cycles, once each as they close. One witness per edge: the wait's acquire_invoked, and the
// entry event (or acquire_ok) by which the one waited for came to hold.
void no_deadlock(const Case& run, NoDeadlockScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
