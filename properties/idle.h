// The times in which a lock was idle although clients wanted it. Some acquire was under way, and no
// client had the lock: none believed so, and none had entries on a quorum of servers. A livelock
// and a queue whose first waiter is dead leave such times, and may end by themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct IdleTime {
  std::uint32_t begun = 0;   // the event from which on nobody had the lock and somebody wanted it
  std::uint32_t ended = 0;   // the event that ended this; the last of the history if none did
  std::uint32_t waiter = 0;  // the acquire_invoked of the client that wanted it longest at the end
  Duration length{};
  Duration calm{};  // the longest part of it during which no fault was in progress
  bool over = true;
};

struct IdleScratch {
  struct Key {
    std::uint32_t believers = 0;
    std::uint32_t owners = 0;           // tenures with entries on a quorum of servers
    std::vector<std::uint32_t> asking;  // their acquire_invoked, in order
    bool idle = false;
    IdleTime time;
  };
  std::vector<Key> keys;
  std::vector<KeyId> locks;            // the keys for which clients have asked
  std::vector<std::uint32_t> entries;  // by tenure: servers that hold its entry now
  std::vector<Instant> free;           // by key: since when nobody has believed
  std::vector<IdleTime> times;
};

// Whether for longer than this no client believed that it had the lock. A cheap test before
// idle_times(): without it, no idle time is as long. Requires: the history is not empty.
bool is_unheld_for(const Case& run, Duration length, IdleScratch& scratch);

// All of them, as they ended. Valid until the next call.
const std::vector<IdleTime>& idle_times(const Case& run, IdleScratch& scratch);

}  // namespace picklock::properties
