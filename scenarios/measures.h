// What a history comes to in numbers, beside the verdicts.
#pragma once

#include <cstdint>

#include "sim/history.h"

namespace picklock::scenarios {

// The longest time from an acquire's invocation to its end, or to the run's if it never ended.
struct LongestWait {
  sim::Duration length{};
  sim::ProcessId process = 0;
};

// Who dies no longer waits.
LongestWait longest_wait(const sim::History& history, sim::Instant ended);

// Waiters that slept and were woken by what others said, each counted once for every tenure by
// whose release or loss it was. A time-out wakes nobody in this sense.
struct Wakeups {
  std::uint64_t all = 0;
  std::uint64_t by = 0;    // tenures whose release or loss woke any
  std::uint64_t most = 0;  // by one of them
};

Wakeups wakeups(const sim::History& history);

// Tenures that were told of success, and during which, from asking to the end of the release,
// another tenure wanted or had the lock.
std::uint32_t contended_grants(const sim::History& history);

}  // namespace picklock::scenarios
