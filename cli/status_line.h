// A progress line: one line on standard error that is overwritten. Only on a terminal, and not on
// one whose TERM is dumb: that one cannot move its cursor.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "cli/console.h"

namespace picklock::cli {

class StatusLine {
 public:
  using Seconds = std::chrono::duration<double>;

  StatusLine() = default;
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Whether to show the next line, `passed` after the start: at most four a second.
  bool is_due(Seconds passed) {
    constexpr Seconds kEvery{0.25};
    if (!terminal_ || passed < shown_ + kEvery) return false;
    shown_ = passed;
    return true;
  }

  // Does nothing where there is no terminal. Write errors are ignored: a terminal that was closed
  // must not end the program.
  void show(const std::string& line) {
    if (!terminal_) return;
    std::fputs(("\r\x1b[K" + line).c_str(), stderr);
    shown_line_ = true;
  }

  // Prints a line that stays, above the progress line.
  void say(const std::string& line) {
    if (!terminal_) return;
    clear();
    std::fputs((line + '\n').c_str(), stderr);
  }

  void clear() {
    if (std::exchange(shown_line_, false)) std::fputs("\r\x1b[K", stderr);
  }

 private:
  const bool terminal_ = isatty(STDERR_FILENO) != 0 && !is_dumb();
  Seconds shown_{};
  bool shown_line_ = false;
};

}  // namespace picklock::cli
