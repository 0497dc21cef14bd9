// Pipes, eventfds and socket pairs of a guest. They are the kernel's own, but the supervisor makes
// them, so that it knows their numbers: a thread that would wait in a read or write of one waits
// here instead. Woken by the kernel, it would run beside the thread that woke it.
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "guests/failure.h"
#include "guests/supervisor.h"

namespace picklock::guests {
namespace {

int flags_of_channel_call(const Thread& thread) {
  switch (thread.call.data.nr) {
    case SYS_recvfrom:
    case SYS_sendto:
      return static_cast<int>(thread.argument(3));
    case SYS_recvmsg:
    case SYS_sendmsg:
      return static_cast<int>(thread.argument(2));
    default:
      return 0;
  }
}

}  // namespace

// One that finds no number gets an ordinary one: threads then wait for it in the kernel.
int Supervisor::give_channel(Thread& thread, int descriptor, bool close_on_exec, bool as_result) {
  const int free = free_number(*thread.process, kFirstChannel);
  const int number = free < kFirstSocket ? free : -1;
  int given = 0;
  if (as_result) {
    given = hand_over(thread, descriptor, number, close_on_exec);
  } else {
    given = hand_in(thread, descriptor, number, close_on_exec);
  }
  if (given >= kFirstChannel) thread.process->sockets[given] = nullptr;
  return given;
}

void Supervisor::give_pair(Thread& thread, int first, int second, std::uint64_t at,
                           bool close_on_exec) {
  const Descriptor owned_first(first);
  const Descriptor owned_second(second);
  const std::array<int, 2> numbers{give_channel(thread, first, close_on_exec, false),
                                   give_channel(thread, second, close_on_exec, false)};
  for (const int number : numbers) {
    if (number < 0) return answer(thread, number);
  }
  answer(thread, thread.memory().put(at, numbers) ? 0 : -EFAULT);
}

void Supervisor::pipe(Thread& thread) {
  const bool has_flags = thread.call.data.nr == SYS_pipe2;
  const int flags = has_flags ? static_cast<int>(thread.argument(1)) : 0;
  int ends[2];
  if (pipe2(ends, flags | O_CLOEXEC) != 0) return answer(thread, -errno);
  give_pair(thread, ends[0], ends[1], thread.argument(0), (flags & O_CLOEXEC) != 0);
}

void Supervisor::socketpair(Thread& thread) {
  const auto family = static_cast<int>(thread.argument(0));
  const auto kind = static_cast<int>(thread.argument(1));
  int ends[2];
  if (::socketpair(family, kind | SOCK_CLOEXEC, static_cast<int>(thread.argument(2)), ends) != 0)
    return answer(thread, -errno);
  give_pair(thread, ends[0], ends[1], thread.argument(3), (kind & SOCK_CLOEXEC) != 0);
}

void Supervisor::eventfd(Thread& thread) {
  const bool has_flags = thread.call.data.nr == SYS_eventfd2;
  const int flags = has_flags ? static_cast<int>(thread.argument(1)) : 0;
  const auto count = static_cast<unsigned>(thread.argument(0));
  const Descriptor made(::eventfd(count, flags | EFD_CLOEXEC));
  if (!made) return answer(thread, -errno);
  give_channel(thread, made.get(), (flags & EFD_CLOEXEC) != 0, true);
}

void Supervisor::use_channel(Thread& thread, short events) {
  if (!thread.process->sockets.contains(thread.descriptor())) return go_native(thread);
  stop_waiting(thread);
  watch(thread, thread.descriptor(), events);
  const int copy = thread.watched.front().copy.get();
  thread.wait = Wait::channel;
  thread.deadline = {};
  const bool goes_on = copy < 0 || (::fcntl(copy, F_GETFL) & O_NONBLOCK) != 0 || is_over(thread) ||
                       (flags_of_channel_call(thread) & MSG_DONTWAIT) != 0;
  if (goes_on) {
    const bool broken = copy >= 0 && events == POLLOUT && is_over(thread) &&
                        (thread.polled.front().revents & (POLLERR | POLLHUP)) != 0;
    const bool with_signal = (flags_of_channel_call(thread) & MSG_NOSIGNAL) == 0;
    stop_waiting(thread);
    return broken ? write_in_vain(thread, with_signal) : go_native(thread);
  }
  wait(thread, Wait::channel, {}, {});
}

}  // namespace picklock::guests
