// The operations of clients on shared objects, as the clients saw them: when each was invoked, and
// when it was answered. An operation takes effect at one instant in between.
#pragma once

#include <cstdint>
#include <limits>

namespace picklock::properties::linearizable {

// An operation without an answer may take effect at any time after its invocation, or never.
inline constexpr std::int64_t kPending = std::numeric_limits<std::int64_t>::max();

// Both ends belong to it: operations that touch at an end overlap.
struct Interval {
  std::int64_t invoked = 0;
  std::int64_t answered = kPending;
};

template <class Action>
struct Operation {
  Interval interval{};
  std::uint32_t object = 0;  // objects are independent and are checked one by one
  Action action{};
};

}  // namespace picklock::properties::linearizable
