// Virtual time beside the time of the wall: at its pace, faster, or only by what somebody adds.
#pragma once

#include <chrono>

#include "sim/time.h"

namespace picklock::serve {

class Clock {
 public:
  using Wall = std::chrono::steady_clock;

  // So many virtual seconds in one of the wall; 0: it stands still until it is advanced.
  explicit Clock(double speed) : speed_(speed) { restart(); }

  bool stands_still() const { return speed_ == 0; }
  double speed() const { return speed_; }

  // A new run begins.
  void restart() {
    begun_ = Wall::now();
    added_ = {};
  }
  // The time of the wall in seconds since then.
  double seconds_of_wall() const {
    return std::chrono::duration<double>(Wall::now() - begun_).count();
  }
  // Requires: `now` is the time of the simulation.
  void advance(sim::Instant now, sim::Duration by) {
    added_ = stands_still() ? now - sim::kStart + by : added_ + by;
  }

  sim::Instant now() const {
    const std::chrono::duration<double, std::nano> passed = Wall::now() - begun_;
    return sim::kStart + added_ + sim::Duration(static_cast<std::int64_t>(passed.count() * speed_));
  }
  // When the wall will show this instant. Requires a clock that runs.
  Wall::time_point wall(sim::Instant at) const {
    const auto ahead = static_cast<double>((at - now()).count()) / speed_;
    constexpr double kDay = 86'400e9;
    return Wall::now() +
           std::chrono::nanoseconds(static_cast<std::int64_t>(ahead < 0      ? 0
                                                              : ahead > kDay ? kDay
                                                                             : ahead + 1));
  }

 private:
  double speed_;
  Wall::time_point begun_;
  sim::Duration added_{};
};

}  // namespace picklock::serve
