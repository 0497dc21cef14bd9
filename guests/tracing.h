// Tracing of a guest's process around an exec, the moment at which the kernel hands a program
// things that no later call could change.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <functional>
#include <initializer_list>

namespace picklock::guests {

// At the start and the end of a call, with PTRACE_O_TRACESYSGOOD.
inline constexpr int kStopOfCall = SIGTRAP | 0x80;

// At its stop after an exec: puts our vDSO in the place of the kernel's, whose clock would not be a
// system call, and sets the random bytes with which programs seed hash tables and stack guards.
// `vdso`: its address; 0: there is none.
void prepare_image(pid_t process, std::uint64_t vdso, const std::array<std::uint64_t, 2>& random);

// Calls of a process that is at its stop after an exec, before any code of its program.
class CallsAtExec {
 public:
  explicit CallsAtExec(pid_t process);
  CallsAtExec(const CallsAtExec&) = delete;
  CallsAtExec& operator=(const CallsAtExec&) = delete;
  ~CallsAtExec();  // it is as before

  // `meanwhile` answers the call, if the filter traps it.
  std::int64_t make(int call, std::initializer_list<std::uint64_t> arguments,
                    const std::function<void()>& meanwhile = {});

 private:
  void go_on_to_call();
  void await_call() const;

  pid_t process_;
  user_regs_struct before_{};
  long text_ = 0;  // where its program starts
};

}  // namespace picklock::guests
