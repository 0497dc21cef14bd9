// Facts about a thread from /proc and from the kernel's clocks of computing.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace picklock::guests {

// It waits in the kernel, in a way that a signal could end.
bool is_asleep(pid_t tid);
bool is_there(pid_t tid);
// Nanoseconds of the processor that the threads of a process have used.
std::int64_t computing_of(pid_t process);
// As of waitpid, of a process that has ended but is still there.
int exit_status_of(pid_t process);
// Its number in the innermost process namespace.
pid_t inner_pid_of(pid_t process);

struct Signals {
  std::uint64_t pending = 0;
  std::uint64_t pending_for_process = 0;
  std::uint64_t blocked = 0;
  std::uint64_t ignored = 0;
  std::uint64_t caught = 0;
};
constexpr std::uint64_t bit_of(int signal) { return std::uint64_t{1} << (signal - 1); }
Signals signals_of(pid_t tid);

}  // namespace picklock::guests
