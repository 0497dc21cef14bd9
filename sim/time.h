// Virtual time: 64-bit nanoseconds since the start of a run. The engine alone knows it; a process
// sees it only through its own wall and monotonic clocks (sim/clock.h).
#pragma once

#include <chrono>
#include <cstdint>

namespace picklock::sim {

using Duration = std::chrono::nanoseconds;

// A clock type whose time points cannot be mixed with the machine's own clocks by accident.
struct VirtualClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<VirtualClock>;
  static constexpr bool is_steady = true;
};

using Instant = VirtualClock::time_point;

inline constexpr Instant kStart{};
inline constexpr Instant kNever = Instant::max();

constexpr std::int64_t nanoseconds(Instant at) { return at.time_since_epoch().count(); }

}  // namespace picklock::sim
