// How the threads of a guest wait: for how long is asked of virtual time, for what of the kernel.
#include <poll.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <tuple>
#include <utility>
#include <vector>

#include "guests/failure.h"
#include "guests/supervisor.h"

namespace picklock::guests {
namespace {

// A program may poll often for good reason. Python reads the clock several times for each module.
constexpr unsigned kReadsAtStart = 50'000;
constexpr unsigned kFirstReads = 2000;
constexpr unsigned kLaterReads = 100;
constexpr unsigned kFirstPolls = 64;
constexpr unsigned kLaterPolls = 16;
constexpr std::int64_t kFirstPause = 10'000;  // it doubles
constexpr unsigned kMostDoublings = 7;

}  // namespace

void Supervisor::wait(Thread& thread, Wait wait, Deadline deadline, Reply at_deadline) {
  thread.state = Thread::State::waiting;
  thread.wait = wait;
  thread.deadline = deadline;
  thread.at_deadline = at_deadline;
  thread.handled_anew = false;
  thread.ticket = ++tickets_;
  thread.clock_reads = 0;
  thread.idle_calls = 0;
  thread.spins = 0;
}

void Supervisor::stop_waiting(Thread& thread) {
  if (thread.wait == Wait::futex) futexes_.remove(thread);
  thread.polled.clear();
  thread.watched.clear();
}

bool Supervisor::has_come(const Deadline& deadline) {
  return deadline.at != kNoEnd && deadline.at <= now(deadline.clock);
}

// Those that are due go on in the order of their deadlines, however late they are looked at.
void Supervisor::wake_due() {
  fire_timers();
  struct Due {
    std::int64_t since;
    std::uint64_t ticket;
    Thread* thread;
    bool operator<(const Due& other) const {
      return std::tie(since, ticket) < std::tie(other.since, other.ticket);
    }
  };
  std::vector<Due> due;
  for (const auto& [tid, thread] : threads_) {
    if (thread->state != Thread::State::waiting || !has_come(thread->deadline)) continue;
    const std::int64_t since = thread->deadline.at - now(thread->deadline.clock);
    due.push_back({since, thread->ticket, thread});
  }
  std::sort(due.begin(), due.end());
  for (const Due& one : due) {
    if (one.thread->wait == Wait::futex) futexes_.remove(*one.thread);
    make_ready(*one.thread, one.thread->handled_anew ? Thread::Next::handle : Thread::Next::look);
  }
}

void Supervisor::set_alarms() {
  std::int64_t earliest[2] = {kNoEnd, kNoEnd};
  const auto note = [&earliest](const Deadline& deadline) {
    std::int64_t& mine = earliest[static_cast<std::size_t>(deadline.clock)];
    mine = std::min(mine, deadline.at);
  };
  for (const auto& [tid, thread] : threads_) {
    if (thread->state == Thread::State::waiting) note(thread->deadline);
  }
  for (const auto& process : processes_) {
    if (process->alive) note(process->alarm);
  }
  for (const TimerFd& timer : timers_) note(timer.next);
  for (const sim::ClockKind kind : {sim::ClockKind::monotonic, sim::ClockKind::wall}) {
    const auto which = static_cast<std::size_t>(kind);
    if (alarms_[which] == earliest[which]) continue;
    alarms_[which] = earliest[which];
    surroundings_.alarm(kind, earliest[which]);
  }
}

// ---------------------------------------------------------------- threads that only look

bool Supervisor::reads_too_often(Thread& thread) const {
  return ++thread.clock_reads > most_reads(thread);
}

unsigned Supervisor::most_reads(const Thread& thread) const {
  const unsigned first = is_early_ ? kReadsAtStart : kFirstReads;
  return thread.spins == 0 ? first : kLaterReads;
}

bool Supervisor::polls_too_often(Thread& thread) const {
  return ++thread.idle_calls > (thread.spins == 0 ? kFirstPolls : kLaterPolls);
}

void Supervisor::let_time_pass(Thread& thread) {
  const unsigned spins = thread.spins;
  stop_waiting(thread);
  wait(thread, Wait::sleep, in(kFirstPause << std::min(spins, kMostDoublings)), {});
  thread.handled_anew = true;
  thread.spins = spins + 1;
}

// ---------------------------------------------------------------- what threads wait for

void Supervisor::look_at_waits() {
  for (const auto& process : processes_) {
    for (const auto& thread : process->threads) {
      if (thread->state == Thread::State::waiting && is_over(*thread))
        make_ready(*thread, Thread::Next::look);
    }
  }
}

bool Supervisor::is_over(Thread& thread) {
  switch (thread.wait) {
    case Wait::sleep:
    case Wait::futex:
      return false;
    case Wait::poll:
    case Wait::select:
    case Wait::epoll:
    case Wait::channel:
      for (const Watched& watched : thread.watched) {
        if (watched.socket != nullptr) watched.socket->top_up();
        if (watched.socket == nullptr && !watched.copy) return true;
      }
      if (::poll(thread.polled.data(), thread.polled.size(), 0) <= 0) return false;
      return thread.wait != Wait::select || has_selected(thread);
    case Wait::reading: {
      const std::shared_ptr<Socket> socket = socket_of(thread);
      return socket == nullptr || socket->has(thread.wanted);
    }
    case Wait::writing:
    case Wait::dialing: {
      const std::shared_ptr<Socket> socket = socket_of(thread);
      return socket == nullptr || socket->state() != Socket::State::dialing;
    }
    case Wait::child:
      return has_ended_child(thread);
    case Wait::signal:
      return has_signal(thread);
  }
  return false;
}

// Another thread may have taken what it waited for.
void Supervisor::look_again(Thread& thread) {
  if (is_over(thread)) return finish_wait(thread);
  if (!has_come(thread.deadline)) {
    thread.state = Thread::State::waiting;
    return;
  }
  if (thread.wait == Wait::poll || thread.wait == Wait::select) return finish_wait(thread);
  stop_waiting(thread);
  answer(thread, thread.at_deadline);
}

void Supervisor::finish_wait(Thread& thread) {
  switch (thread.wait) {
    case Wait::poll:
      return answer_poll(thread);
    case Wait::select:
      return answer_select(thread);
    case Wait::dialing:
      if (const std::shared_ptr<Socket> socket = socket_of(thread); socket != nullptr)
        return answer_connect(thread, *socket);
      return answer(thread, -EBADF);
    case Wait::reading:
      return read_now(thread);
    case Wait::writing:
      return handle(thread);
    default:
      stop_waiting(thread);
      return go_native(thread);
  }
}

void Supervisor::wait_unless_over(Thread& thread, Wait kind, Deadline deadline) {
  thread.wait = kind;
  thread.deadline = deadline;
  const bool polls = has_come(deadline);
  if (is_over(thread)) return finish_wait(thread);
  if (!polls) return wait(thread, kind, deadline, {});
  if (polls_too_often(thread)) return let_time_pass(thread);
  finish_wait(thread);
}

void Supervisor::watch(Thread& thread, int descriptor, short events) {
  const auto& sockets = thread.process->sockets;
  Watched watched{.number = descriptor, .copy = {}, .socket = nullptr};
  const auto found = sockets.find(descriptor);
  if (found != sockets.end() && found->second != nullptr) {
    watched.socket = found->second;
  } else if (descriptor >= 0) {
    watched.copy = Descriptor(
        static_cast<int>(syscall(SYS_pidfd_getfd, thread.process->pidfd.get(), descriptor, 0)));
    if (!watched.copy && errno != EBADF) fail("cannot look at a descriptor of the program");
  }
  const int own = watched.socket != nullptr ? watched.socket->near() : watched.copy.get();
  thread.polled.push_back({own, events, 0});
  thread.watched.push_back(std::move(watched));
}

// ---------------------------------------------------------------- epoll

void Supervisor::epoll_wait(Thread& thread) {
  epoll_until(thread, in_milliseconds(static_cast<int>(thread.argument(3))));
}

void Supervisor::epoll_pwait2(Thread& thread) {
  if (thread.argument(3) == 0) return epoll_until(thread, {});
  const auto span = span_at(thread, thread.argument(3));
  if (!span) return answer(thread, -EFAULT);
  epoll_until(thread, in(*span));
}

void Supervisor::epoll_until(Thread& thread, Deadline deadline) {
  stop_waiting(thread);
  watch(thread, thread.descriptor(), POLLIN);
  wait_unless_over(thread, Wait::epoll, deadline);
}

}  // namespace picklock::guests
