// One line of standard error that is written over while something takes its time; on a terminal
// alone.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

namespace picklock::cli {

class StatusLine {
 public:
  using Seconds = std::chrono::duration<double>;

  StatusLine() = default;
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Whether anybody would see it, so long after the start: not more often than an eye follows.
  bool is_due(Seconds passed) {
    constexpr Seconds kEvery{0.25};
    if (!terminal_ || passed < shown_ + kEvery) return false;
    shown_ = passed;
    return true;
  }

  // A terminal that has gone away must not take the program with it.
  void show(const std::string& line) {
    std::fputs(("\r\x1b[K" + line).c_str(), stderr);
    said_ = true;
  }

  // Above it, to stay.
  void say(const std::string& line) {
    if (!terminal_) return;
    clear();
    std::fputs((line + '\n').c_str(), stderr);
  }

 private:
  void clear() {
    if (std::exchange(said_, false)) std::fputs("\r\x1b[K", stderr);
  }

  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  Seconds shown_{};
  bool said_ = false;
};

}  // namespace picklock::cli
