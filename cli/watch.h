// Watches over runs from a thread of its own: shows the progress line, and ends the program at a
// time limit or when the user interrupts it. The runs never look at a clock, and what they come to
// cannot depend on one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/status_line.h"

namespace picklock::cli {

// Wall time since it was made.
class Stopwatch {
 public:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  Seconds passed() const { return Clock::now() - start_; }

  // The time since the lap before, or since the start.
  Seconds lap() {
    const Clock::time_point before = lap_;
    lap_ = Clock::now();
    return lap_ - before;
  }

 private:
  Clock::time_point start_ = Clock::now();
  Clock::time_point lap_ = start_;
};

class Watch {
 public:
  using Seconds = Stopwatch::Seconds;
  enum class Cause { time_limit, interruption };

  struct Callbacks {
    // The text of the progress line.
    std::function<std::string(Seconds passed)> progress;
    // Reports what is there, and says with which exit status the program ends. Empty: the runs have
    // ended by themselves, and the program goes on.
    std::function<std::optional<int>(Cause)> end;
  };

  // Both callbacks are called on the watch's thread, never while an `undisturbed` is under way.
  Watch(std::optional<Seconds> limit, Callbacks callbacks);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Does `work`, such as writing to standard output, while the progress line is gone and the
  // program cannot be ended.
  void undisturbed(const std::function<void()>& work);

 private:
  void look(const std::stop_token& stop);

  const std::optional<Seconds> limit_;
  const Callbacks callbacks_;
  const Stopwatch stopwatch_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  StatusLine line_;
  std::jthread thread_;  // the last member: it uses the others
};

}  // namespace picklock::cli
