// A process that stands before a trapped call, and is forked there again and again.
#pragma once

#include <linux/seccomp.h>
#include <sys/types.h>
#include <sys/user.h>

#include <cstdint>
#include <initializer_list>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "guests/clock_page.h"
#include "guests/descriptor.h"
#include "guests/nursery.h"

namespace picklock::guests {

// The facts that are equal among the starts that one zygote serves.
struct Beginning {
  std::string text;  // arguments, environment, folder, name, seed and hosts
  std::int64_t monotonic = 0;
  std::int64_t wall = 0;
};

// The supervisor's knowledge of a program that comes to its first connection.
struct Upbringing {
  std::uint64_t cleared_at_exit = 0;
  unsigned clock_reads = 0;
  unsigned idle_calls = 0;
  bool has_seen_clocks = false;
  std::string printed;
  std::shared_ptr<ClockPage> clock_page;
};

class Zygote {
 public:
  // The process waits for the answer to `call`, and never gets it.
  Zygote(pid_t process, Descriptor pidfd, Descriptor listener, const seccomp_notif& call,
         Upbringing upbringing);
  Zygote(const Zygote&) = delete;
  Zygote& operator=(const Zygote&) = delete;
  ~Zygote();

  // A copy that comes to the call anew, as the first process of a namespace of its own.
  pid_t fork();
  int listener() const { return listener_.get(); }
  const Upbringing& upbringing() const { return upbringing_; }

  // Calls of every copy arrive at one listener, so there is one copy at a time.
  bool in_use = false;

 private:
  std::int64_t inject(int call, std::initializer_list<std::uint64_t> arguments);
  void resume();
  int await_stop() const;
  void let_call_pass() const;

  pid_t process_;
  Descriptor pidfd_;
  Descriptor listener_;
  Upbringing upbringing_;
  user_regs_struct before_call_{};
  pid_t child_ = 0;  // the last
  bool has_children_ = false;
};

// The zygotes of a nursery, those that were used last first.
class Cradles {
 public:
  struct Cradle {
    Beginning beginning;
    std::shared_ptr<Zygote> zygote;
  };

  std::shared_ptr<Zygote> find(const Beginning& beginning);
  void add(Beginning beginning, std::shared_ptr<Zygote> zygote);
  void drop(const Zygote& zygote);
  std::size_t size() const { return cradles_.size(); }

  std::size_t forks = 0;

 private:
  std::list<Cradle> cradles_;
};

}  // namespace picklock::guests
