#include "serve/loop.h"

#include <algorithm>
#include <utility>

namespace picklock::serve {

sim::Instant Loop::wait(sim::Instant next) {
  // Events that are due hold up sockets for so many events at most.
  constexpr unsigned kPollEvery = 64;
  // Messages of one connection are a nanosecond apart, also where time stands still.
  constexpr sim::Duration kOneInstant = std::chrono::microseconds(1);
  for (;;) {
    // Events of an instant that was reached need no look at the clock.
    const sim::Instant now = next <= reached_ ? reached_ : clock.now();
    const bool due = next <= now || (clock.stands_still() && next != sim::kNever &&
                                     next <= reached_ + kOneInstant);
    if (due) {
      if (++since_poll_ >= kPollEvery) {
        since_poll_ = 0;
        io.poll();
      }
      reached_ = next;
      return next;
    }
    if (!arrived_.empty()) {
      reached_ = std::max(reached_, now);
      return reached_;
    }
    for (auto& task : std::exchange(tasks_, {})) task();
    since_poll_ = 0;
    if (next == sim::kNever || clock.stands_still()) {
      io.run_one();
    } else {
      io.run_one_until(clock.wall(next));
    }
    io.poll();
  }
}

void Loop::take_in() {
  taken_.swap(arrived_);
  for (const auto& event : taken_) event();
  taken_.clear();
  if (after_) after_();
}

}  // namespace picklock::serve
