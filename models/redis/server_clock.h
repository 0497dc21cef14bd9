// The wall clock of a Redis server: running, and frozen for the command, script or transaction
// under way. Expiry is judged by the frozen time (R25, R26).
#pragma once

#include <cstdint>

#include "sim/simulation.h"

namespace picklock::redis {

class ServerClock {
 public:
  // For a new run.
  void reset(const sim::Scheduler& scheduler, const sim::Process& process) {
    scheduler_ = &scheduler;
    process_ = &process;
    frozen_ms_ = 0;
  }

  // The running clock, which counts TTLs and deadlines even inside a script (R25).
  std::int64_t ms() const { return ns() / kMillisecond; }
  std::int64_t us() const { return ns() / 1000; }

  // The time at which the command, script or transaction began.
  std::int64_t frozen_ms() const { return frozen_ms_; }
  void freeze() { frozen_ms_ = ms(); }
  void freeze_at(std::int64_t now_ms) { frozen_ms_ = now_ms; }

  // When the running clock will show one millisecond more than the deadline (R13); sim::kNever if
  // it will not.
  sim::Instant passes(std::int64_t deadline_ms) const {
    constexpr std::int64_t kBeyond = INT64_MAX / kMillisecond - 1;
    if (deadline_ms >= kBeyond) return sim::kNever;
    return process_->clock().when(sim::ClockKind::wall, (deadline_ms + 1) * kMillisecond,
                                  scheduler_->now());
  }

 private:
  static constexpr std::int64_t kMillisecond = 1'000'000;

  std::int64_t ns() const { return scheduler_->local_time(*process_, sim::ClockKind::wall); }

  const sim::Scheduler* scheduler_ = nullptr;
  const sim::Process* process_ = nullptr;
  std::int64_t frozen_ms_ = 0;
};

}  // namespace picklock::redis
