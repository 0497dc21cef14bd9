// Numbers measured on a history, in addition to the verdicts.
#pragma once

#include <cstdint>

#include "history/history.h"
#include "properties/context.h"

namespace picklock::scenarios {

// The longest time from an acquire's invocation to its end, or to the run's if it never ended.
struct LongestWait {
  sim::Duration length{};
  sim::ProcessId process = 0;
};

// A client that dies no longer waits.
LongestWait longest_wait(const history::History& history, sim::Instant ended);

// The longest time in which nobody had the lock although a client waited for it
// (properties/idle.h).
struct LongestIdle {
  sim::Duration length{};
  sim::Instant until{};
  sim::ProcessId process = 0;  // the client that had waited longest
};

LongestIdle longest_idle(const history::History& history, const properties::Context& context);

// Sleeping waiters that were woken by a notification, each counted once for every tenure whose
// release or loss woke it. A timeout is not counted as a wake-up.
struct Wakeups {
  std::uint64_t all = 0;
  std::uint64_t by = 0;    // tenures whose release or loss woke a waiter
  std::uint64_t most = 0;  // the most that one of them woke
};

Wakeups wakeups(const history::History& history);

// Tenures that learned that they have the lock. An entry whose client was never told of it, or that
// it undid, is no grant.
std::uint32_t grants(const history::History& history);

// Granted tenures during which, from the acquire to the end of the release, another tenure wanted
// or had the lock.
std::uint32_t contended_grants(const history::History& history);

// Clients that believed that they have the lock, or whose requests the resource has accepted. This
// is what can be seen of programs.
std::uint32_t working_clients(const history::History& history);

}  // namespace picklock::scenarios
