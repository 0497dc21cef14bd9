// Timers of a guest: those that are descriptors, and the one that sends SIGALRM.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "guests/failure.h"
#include "guests/supervisor.h"

namespace picklock::guests {
namespace {

// The kernel gives each eventfd a number, by which copies of it are known; 0: it is none.
std::uint64_t identity_of(int descriptor) {
  const std::string path = fmt::format("/proc/self/fdinfo/{}", descriptor);
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return 0;
  char line[128];
  unsigned long long identity = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, "eventfd-id: %llu", &identity) == 1) break;
  }
  std::fclose(file);
  return identity + 1;
}

std::int64_t nanoseconds(const timespec& span) { return span.tv_sec * kSecond + span.tv_nsec; }
std::int64_t nanoseconds(const timeval& span) {
  return span.tv_sec * kSecond + span.tv_usec * 1000;
}

}  // namespace

// How often a timer has expired. Its next expiration is then ahead.
std::int64_t Supervisor::expirations(Deadline& next, std::int64_t interval) {
  if (!has_come(next)) return 0;
  if (interval <= 0) {
    next.at = kNoEnd;
    return 1;
  }
  const std::int64_t count = 1 + (now(next.clock) - next.at) / interval;
  next.at += count * interval;
  return count;
}

void Supervisor::fire_timers() {
  for (TimerFd& timer : timers_) {
    const auto count = static_cast<std::uint64_t>(expirations(timer.next, timer.interval));
    // The counter of an eventfd is that of a timerfd.
    if (count != 0 && ::write(timer.copy.get(), &count, sizeof count) < 0 && errno != EAGAIN)
      fail("cannot fire a timer");
  }
  for (std::size_t i = 0; i < processes_.size() && alive_; ++i) {
    Process& process = *processes_[i];
    if (!process.alive || expirations(process.alarm, process.alarm_interval) == 0) continue;
    deliver(process, SIGALRM);
  }
}

// ---------------------------------------------------------------- descriptors

// An eventfd takes the place of a timerfd, whose clock would be the kernel's.
void Supervisor::timerfd_create(Thread& thread) {
  const auto clock = static_cast<int>(thread.argument(0));
  const auto flags = static_cast<int>(thread.argument(1));
  Descriptor copy(::eventfd(0, EFD_CLOEXEC | ((flags & TFD_NONBLOCK) != 0 ? EFD_NONBLOCK : 0)));
  if (!copy) fail("cannot make a timer");
  const bool wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_ALARM;
  const std::uint64_t identity = identity_of(copy.get());
  if (give_channel(thread, copy.get(), (flags & TFD_CLOEXEC) != 0, true) < 0) return;
  timers_.push_back({.copy = std::move(copy),
                     .identity = identity,
                     .next = {},
                     .interval = 0,
                     .clock = wall ? sim::ClockKind::wall : sim::ClockKind::monotonic});
}

Supervisor::TimerFd* Supervisor::timer_of(Thread& thread) {
  const Descriptor copy(static_cast<int>(
      syscall(SYS_pidfd_getfd, thread.process->pidfd.get(), thread.descriptor(), 0)));
  if (!copy) return nullptr;
  const std::uint64_t identity = identity_of(copy.get());
  for (TimerFd& timer : timers_) {
    if (timer.identity == identity) return &timer;
  }
  return nullptr;
}

void Supervisor::timerfd_settime(Thread& thread) {
  TimerFd* const timer = timer_of(thread);
  if (timer == nullptr) return answer(thread, -EINVAL);
  const auto asked = thread.memory().get<itimerspec>(thread.argument(2));
  if (!asked) return answer(thread, -EFAULT);
  if (thread.argument(3) != 0 && !put_timer(thread, thread.argument(3), *timer))
    return answer(thread, -EFAULT);
  std::uint64_t count = 0;
  pollfd one{timer->copy.get(), POLLIN, 0};
  // Expirations that were not read are forgotten.
  if (::poll(&one, 1, 0) > 0 && ::read(timer->copy.get(), &count, sizeof count) < 0)
    fail("cannot set a timer");
  timer->interval = nanoseconds(asked->it_interval);
  const std::int64_t first = nanoseconds(asked->it_value);
  const bool absolute = (thread.argument(1) & TFD_TIMER_ABSTIME) != 0;
  timer->next = {timer->clock, absolute ? first : now(timer->clock) + first};
  if (first == 0) timer->next.at = kNoEnd;
  fire_timers();
  answer(thread, 0);
}

bool Supervisor::put_timer(Thread& thread, std::uint64_t at, const TimerFd& timer) {
  const std::int64_t left = timer.next.at == kNoEnd ? 0 : timer.next.at - now(timer.clock);
  const itimerspec shown{.it_interval = {timer.interval / kSecond, timer.interval % kSecond},
                         .it_value = {left / kSecond, left % kSecond}};
  return thread.memory().put(at, shown);
}

void Supervisor::timerfd_gettime(Thread& thread) {
  const TimerFd* const timer = timer_of(thread);
  if (timer == nullptr) return answer(thread, -EINVAL);
  answer(thread, put_timer(thread, thread.argument(1), *timer) ? 0 : -EFAULT);
}

// ---------------------------------------------------------------- SIGALRM

std::int64_t Supervisor::time_to_alarm(const Process& process) {
  return process.alarm.at == kNoEnd ? 0 : process.alarm.at - now();
}

void Supervisor::alarm(Thread& thread) {
  Process& process = *thread.process;
  const std::int64_t left = (time_to_alarm(process) + kSecond - 1) / kSecond;
  const auto seconds = static_cast<std::int64_t>(static_cast<std::uint32_t>(thread.argument(0)));
  process.alarm = seconds == 0 ? Deadline{} : in(seconds * kSecond);
  process.alarm_interval = 0;
  answer(thread, left);
}

bool Supervisor::put_alarm(Thread& thread, std::uint64_t at) {
  const std::int64_t left = time_to_alarm(*thread.process);
  const std::int64_t interval = thread.process->alarm_interval;
  const itimerval shown{.it_interval = {interval / kSecond, interval % kSecond / 1000},
                        .it_value = {left / kSecond, left % kSecond / 1000}};
  return thread.memory().put(at, shown);
}

void Supervisor::setitimer(Thread& thread) {
  if (thread.argument(0) != ITIMER_REAL) return refuse_call(thread);
  const auto asked = thread.memory().get<itimerval>(thread.argument(1));
  if (!asked) return answer(thread, -EFAULT);
  if (thread.argument(2) != 0 && !put_alarm(thread, thread.argument(2)))
    return answer(thread, -EFAULT);
  const std::int64_t first = nanoseconds(asked->it_value);
  thread.process->alarm = first == 0 ? Deadline{} : in(first);
  thread.process->alarm_interval = nanoseconds(asked->it_interval);
  answer(thread, 0);
}

void Supervisor::getitimer(Thread& thread) {
  if (thread.argument(0) != ITIMER_REAL) return refuse_call(thread);
  answer(thread, put_alarm(thread, thread.argument(1)) ? 0 : -EFAULT);
}

}  // namespace picklock::guests
