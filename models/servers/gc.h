// Garbage collections of a process: pauses that stop everything in it, with a heavy tail.
#pragma once

#include <chrono>
#include <vector>

#include "models/servers/specs.h"
#include "sim/time.h"

namespace picklock::servers {

// One pause every `every` on average; its length is `low`, doubled k times, at most `high`.
struct GcProfile {
  sim::Duration every{};  // 0: no collector
  sim::Duration low = std::chrono::milliseconds(1);
  sim::Duration high = std::chrono::seconds(1);
};

// The longest pause; 0: no collector.
inline sim::Duration longest_collection(const GcProfile& gc) {
  return gc.every > sim::Duration::zero() ? gc.high : sim::Duration::zero();
}

const std::vector<keys::Key<GcProfile>>& gc_keys();

// Checks the table [gc] below `owner`.
void check_gc(const keys::Value& owner, const GcProfile& gc);

}  // namespace picklock::servers
