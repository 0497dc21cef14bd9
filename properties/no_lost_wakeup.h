// no-lost-wakeup: no waiter sleeps beyond the algorithm's bound while the lock is free, that is,
// while an acquire could succeed. Without a declared bound, nothing is judged.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct NoLostWakeupScratch {
  struct Sleep {
    std::uint32_t begun = 0;
    KeyId key = 0;
    std::uint32_t next = kNone;             // of the same key, begun later
    std::uint32_t next_of_process = kNone;  // begun before
    bool open = true;
  };
  struct Key {
    std::uint32_t first = kNone;  // its sleeps that may still be open
    std::uint32_t last = kNone;
    std::uint32_t freed = 0;  // the event that freed it; 0: it was free from the start
    std::uint32_t occupied = 0;
    bool free = true;
  };
  std::vector<Sleep> sleeps;
  std::vector<Key> keys;
  std::vector<std::uint32_t> sleep_of;   // by thread: its latest
  std::vector<std::uint32_t> sleeps_of;  // by process: the latest since it crashed
  std::vector<bool> down;
};

// Counts sleeps. Witness: the wait_begun, and the event that freed the lock; the wait_begun itself
// where the lock was free when the sleep began.
void no_lost_wakeup(const Case& run, NoLostWakeupScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
