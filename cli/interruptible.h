// Catches the first SIGINT or SIGTERM, so that a command can end early and still report what it has
// found. A second signal ends the program.
#pragma once

#include <csignal>

namespace picklock::cli {

class Interruptible {
 public:
  Interruptible() {
    for (const int signal : {SIGINT, SIGTERM}) {
      std::signal(signal, [](int number) {
        flag() = 1;
        std::signal(number, SIG_DFL);
      });
    }
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible() {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  }

  static bool caught() { return flag() != 0; }

 private:
  static volatile std::sig_atomic_t& flag() {
    static volatile std::sig_atomic_t raised = 0;
    return raised;
  }
};

}  // namespace picklock::cli
