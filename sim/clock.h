// The two clocks a process can read. The wall clock has an offset, a rate and steps; the monotonic
// clock has the rate alone. Both are exact functions of true virtual time, in integers: floating
// point would differ where a compiler fuses a multiplication and an addition.
#pragma once

#include <cstdint>

#include "sim/time.h"
#include "sim/wide.h"

namespace picklock::sim {

enum class ClockKind : std::uint8_t { monotonic, wall };

// 2025-01-01T00:00:00Z: what an undisturbed wall clock shows when a run starts.
inline constexpr std::int64_t kEpoch = 1735689600'000'000'000;

class LocalClock {
 public:
  LocalClock() = default;
  LocalClock(Duration offset, std::int64_t rate_ppb)
      : wall_(kEpoch + offset.count()), rate_ppb_(rate_ppb) {}

  // Nanoseconds since the process's own zero: its first start, or 1970 by its wall clock.
  std::int64_t read(ClockKind kind, Instant now) const {
    wall_was_read_ = wall_was_read_ || kind == ClockKind::wall;
    return (kind == ClockKind::wall ? wall_ : monotonic_) + scaled((now - anchor_).count());
  }
  // Whether anybody has read the wall clock, or waited for a time by it.
  bool wall_was_read() const { return wall_was_read_; }

  // The first instant, not before `now`, at which the clock shows `local` or more.
  Instant when(ClockKind kind, std::int64_t local, Instant now) const {
    const std::int64_t ahead = local - read(kind, now);
    if (ahead <= 0) return now;
    if (rate_ppb_ == 0) return saturated(now, ahead);
    const Wide rate = kBillion + rate_ppb_;
    const Wide needed = static_cast<Wide>(local - (kind == ClockKind::wall ? wall_ : monotonic_));
    const Wide elapsed = (needed * kBillion + rate - 1) / rate;
    return saturated(anchor_, elapsed);
  }

  // The monotonic clock never steps.
  void step(Duration by) { wall_ += by.count(); }

  void set_rate(Instant now, std::int64_t rate_ppb) {
    anchor(now);
    rate_ppb_ = rate_ppb;
  }

  std::int64_t rate_ppb() const { return rate_ppb_; }

 private:
  static constexpr std::int64_t kBillion = 1'000'000'000;

  static Instant saturated(Instant from, Wide ahead) {
    const Wide room = (kNever - from).count();
    return ahead >= room ? kNever : from + Duration(static_cast<std::int64_t>(ahead));
  }

  std::int64_t scaled(std::int64_t elapsed) const {
    if (rate_ppb_ == 0) return elapsed;
    // Rounded down, also for a clock that is slow: `when` relies on it.
    const Wide shown = static_cast<Wide>(elapsed) * (kBillion + rate_ppb_);
    return static_cast<std::int64_t>(shown / kBillion);
  }

  void anchor(Instant now) {
    const std::int64_t elapsed = scaled((now - anchor_).count());
    monotonic_ += elapsed;
    wall_ += elapsed;
    anchor_ = now;
  }

  Instant anchor_{};
  std::int64_t monotonic_ = 0;
  std::int64_t wall_ = kEpoch;
  std::int64_t rate_ppb_ = 0;
  mutable bool wall_was_read_ = false;
};

}  // namespace picklock::sim
