// The rest of a patience that several waits of a thread share, by the monotonic clock of its
// process.
#pragma once

#include <algorithm>

#include "sim/scheduler.h"

namespace picklock::sim {

class TimeLeft {
 public:
  TimeLeft() = default;  // it never ends
  TimeLeft(const Scheduler& scheduler, const Process& process, Duration patience)
      : scheduler_(&scheduler),
        process_(&process),
        until_(scheduler.local_time(process, ClockKind::monotonic) + patience.count()) {}

  bool over() const { return scheduler_ != nullptr && left() <= Duration::zero(); }
  // The patience of the next wait, which lasts no longer than `most`. A result or `most` of zero
  // never ends. Requires that the patience is not over.
  Duration at_most(Duration most) const {
    if (scheduler_ == nullptr) return most;
    return most > Duration::zero() ? std::min(most, left()) : left();
  }

 private:
  Duration left() const {
    return Duration(until_ - scheduler_->local_time(*process_, ClockKind::monotonic));
  }

  const Scheduler* scheduler_ = nullptr;
  const Process* process_ = nullptr;
  std::int64_t until_ = 0;
};

}  // namespace picklock::sim
