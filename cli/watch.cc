#include "cli/watch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/interruptible.h"

namespace picklock::cli {

Watch::Watch(std::optional<Seconds> limit, Callbacks callbacks)
    : limit_(limit),
      callbacks_(std::move(callbacks)),
      thread_([this](const std::stop_token& stop) { look(stop); }) {}

Watch::~Watch() {
  thread_.request_stop();
  thread_.join();
}

void Watch::undisturbed(const std::function<void()>& work) {
  const std::scoped_lock lock(mutex_);
  line_.clear();
  work();
}

void Watch::look(const std::stop_token& stop) {
  constexpr Seconds kEvery{0.1};
  constexpr Seconds kFirstLine{1};  // a shorter command needs no progress line
  std::unique_lock lock(mutex_);
  while (true) {
    const Seconds left = limit_ ? *limit_ - stopwatch_.passed() : kEvery;
    woken_.wait_for(lock, stop, std::clamp(left, Seconds{}, kEvery), [] { return false; });
    if (stop.stop_requested()) return;
    const Seconds passed = stopwatch_.passed();
    const bool over = limit_ && passed >= *limit_;
    if (over || Interruptible::caught()) {
      line_.clear();
      const auto status = callbacks_.end(over ? Cause::time_limit : Cause::interruption);
      if (!status) return;
      std::fflush(stdout);
      _exit(*status);  // the run that was cut off is still under way on the other thread
    }
    if (passed >= kFirstLine && line_.is_due(passed)) line_.show(callbacks_.progress(passed));
  }
}

}  // namespace picklock::cli
