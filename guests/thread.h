// The processes and threads of a guest, as its supervisor sees them.
#pragma once

#include <linux/seccomp.h>
#include <poll.h>
#include <sys/types.h>

#include <climits>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "guests/descriptor.h"
#include "guests/memory.h"
#include "sim/clock.h"

namespace picklock::guests {

class Socket;
struct Process;

inline constexpr std::int64_t kNoEnd = INT64_MAX;
inline constexpr std::int64_t kSecond = 1'000'000'000;

// An instant that a clock shows.
struct Deadline {
  sim::ClockKind clock = sim::ClockKind::monotonic;
  std::int64_t at = kNoEnd;
};

// The result of a trapped call.
struct Reply {
  std::int64_t value = 0;  // negative: an error
  bool native = false;     // the kernel executes the call
};

// The reason for which a thread waits.
enum class Wait : std::uint8_t {
  sleep,
  futex,
  poll,
  select,
  epoll,
  reading,
  writing,
  channel,
  dialing,
  child,
  signal,
};

// Memory that threads of several processes may wait on.
struct FutexKey {
  std::uint64_t space = 0;
  std::uint64_t at = 0;
  auto operator<=>(const FutexKey&) const = default;
};

// A descriptor that a thread waits for. The supervisor's copy of it lives as long as the wait.
struct Watched {
  int number;
  Descriptor copy;  // none: there is no such descriptor, or it is a virtual socket
  std::shared_ptr<Socket> socket;
};

struct Thread {
  enum class State : std::uint8_t {
    running,  // at most one thread is; others may be on their way to a call
    ready,
    waiting,  // its call is answered when its wait ends
    native,   // waits inside the kernel for another thread
    gone,
  };
  // How a thread that is ready goes on.
  enum class Next : std::uint8_t {
    handle,   // its call is still to be looked at
    answer,   // its call gets `reply`
    look,     // its wait may have ended
    restart,  // it stands still after an exec
  };

  Thread(pid_t id, Process& of) : tid(id), process(&of) {}

  Memory memory() const { return Memory(tid); }
  std::uint64_t argument(unsigned which) const { return call.data.args[which]; }
  int descriptor() const { return static_cast<int>(call.data.args[0]); }

  pid_t tid;
  Process* process;
  State state = State::running;
  Next next = Next::answer;
  seccomp_notif call{};
  Reply reply;
  bool came = false;      // its next call has arrived early
  bool in_vfork = false;  // until its child executes a program or ends
  bool traced = false;    // because of an exec that failed
  std::uint64_t cleared_at_exit = 0;
  int processor = -1;

  Wait wait = Wait::sleep;
  Deadline deadline;
  Reply at_deadline;
  bool handled_anew = false;  // its call, at the deadline
  std::uint64_t ticket = 0;   // orders deadlines that are equal
  FutexKey futex;
  std::uint32_t futex_bits = 0;
  std::size_t wanted = 1;       // bytes that are to be readable
  std::uint64_t signals = 0;    // which it waits for
  std::uint64_t left_over = 0;  // where a sleep that is interrupted tells how long it was still
  std::vector<pollfd> polled;
  std::vector<Watched> watched;

  // A clock that stands still must not hold a thread that waits for it by looking.
  unsigned clock_reads = 0;
  unsigned idle_calls = 0;
  unsigned spins = 0;
};

struct Process {
  pid_t pid = 0;
  pid_t inner_pid = 0;  // in the guest's namespace
  std::uint32_t number = 0;
  Descriptor pidfd;
  Process* parent = nullptr;
  Thread* in_vfork = nullptr;  // the thread of the parent that waits for it
  bool alive = true;
  bool signaled = false;  // its threads may have to be interrupted
  std::vector<std::unique_ptr<Thread>> threads;
  std::map<int, std::shared_ptr<Socket>> sockets;  // nullptr: a channel
  Deadline alarm;
  std::int64_t alarm_interval = 0;
};

}  // namespace picklock::guests
