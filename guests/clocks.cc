// Time as a guest sees it: every clock of the kernel is one of the two that a process has.
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <utility>

#include "guests/supervisor.h"

namespace picklock::guests {
namespace {

constexpr std::int64_t kTick = 10'000'000;  // of times()
constexpr std::int64_t kMilli = 1'000'000;
constexpr std::uint64_t kMemory = std::uint64_t{4} << 30;  // as sysinfo tells it

// nullopt: a clock of computing, which takes no time.
std::optional<sim::ClockKind> kind_of(std::int64_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
      return sim::ClockKind::wall;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
      return sim::ClockKind::monotonic;
    default:
      return std::nullopt;
  }
}

bool exists(std::int64_t clock) {
  return clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID ||
         kind_of(clock).has_value();
}

std::int64_t clock_argument(const Thread& thread) {
  return static_cast<std::int32_t>(thread.argument(0));
}

timespec as_timespec(std::int64_t nanoseconds) {
  return {nanoseconds / kSecond, nanoseconds % kSecond};
}

}  // namespace

Deadline Supervisor::in(std::int64_t nanoseconds) {
  const std::int64_t from = now();
  return {sim::ClockKind::monotonic, nanoseconds > kNoEnd - from ? kNoEnd : from + nanoseconds};
}

Deadline Supervisor::in_milliseconds(std::int64_t milliseconds) {
  return milliseconds < 0 ? Deadline{} : in(milliseconds * kMilli);
}

// A timespec; nullopt: there is none, or it is not one.
std::optional<std::int64_t> Supervisor::span_at(Thread& thread, std::uint64_t address) {
  const auto span = thread.memory().get<timespec>(address);
  if (!span || span->tv_sec < 0 || span->tv_nsec < 0 || span->tv_nsec >= kSecond)
    return std::nullopt;
  if (span->tv_sec >= kNoEnd / kSecond) return kNoEnd;
  return span->tv_sec * kSecond + span->tv_nsec;
}

// ---------------------------------------------------------------- reading

void Supervisor::clock_gettime(Thread& thread) {
  const std::int64_t clock = clock_argument(thread);
  if (!exists(clock)) return answer(thread, -EINVAL);
  if (reads_too_often(thread)) return let_time_pass(thread);
  const auto kind = kind_of(clock);
  has_seen_clocks_ = has_seen_clocks_ || kind.has_value();
  const timespec shown = as_timespec(kind ? now(*kind) : 0);
  answer(thread, thread.memory().put(thread.argument(1), shown) ? 0 : -EFAULT);
}

void Supervisor::clock_getres(Thread& thread) {
  if (!exists(clock_argument(thread))) return answer(thread, -EINVAL);
  const std::uint64_t at = thread.argument(1);
  answer(thread, at == 0 || thread.memory().put(at, timespec{0, 1}) ? 0 : -EFAULT);
}

void Supervisor::gettimeofday(Thread& thread) {
  if (reads_too_often(thread)) return let_time_pass(thread);
  has_seen_clocks_ = true;
  const std::int64_t wall = now(sim::ClockKind::wall);
  const timeval shown{wall / kSecond, wall % kSecond / 1000};
  const std::uint64_t at = thread.argument(0);
  const std::uint64_t zone = thread.argument(1);
  bool there = at == 0 || thread.memory().put(at, shown);
  there = there && (zone == 0 || thread.memory().put(zone, std::int64_t{0}));
  answer(thread, there ? 0 : -EFAULT);
}

void Supervisor::time(Thread& thread) {
  if (reads_too_often(thread)) return let_time_pass(thread);
  has_seen_clocks_ = true;
  const std::int64_t seconds = now(sim::ClockKind::wall) / kSecond;
  const std::uint64_t at = thread.argument(0);
  answer(thread, at == 0 || thread.memory().put(at, seconds) ? seconds : -EFAULT);
}

// Other threads may be on their way to a call, and would share the count.
void Supervisor::lend_clocks(const Thread& thread) {
  take_clocks_back();
  if (clock_page_ == nullptr || thread.clock_reads >= most_reads(thread)) return;
  for (const auto& [tid, other] : threads_) {
    if (other->state == Thread::State::native) return;
  }
  reader_ = thread.tid;
  clock_page_->lend(now(sim::ClockKind::wall), now(sim::ClockKind::monotonic),
                    most_reads(thread) - thread.clock_reads);
}

void Supervisor::take_clocks_back() {
  if (reader_ == 0) return;
  const unsigned reads = clock_page_->take_back();
  const auto found = threads_.find(std::exchange(reader_, 0));
  if (reads == 0) return;
  has_seen_clocks_ = true;
  if (found != threads_.end()) found->second->clock_reads += reads;
}

void Supervisor::set_clock(Thread& thread) { answer(thread, -EPERM); }

// ---------------------------------------------------------------- sleeping

void Supervisor::nanosleep(Thread& thread) {
  const auto span = span_at(thread, thread.argument(0));
  if (!span) return answer(thread, -EINVAL);
  thread.left_over = thread.argument(1);
  sleep(thread, in(*span));
}

void Supervisor::clock_nanosleep(Thread& thread) {
  const auto kind = kind_of(clock_argument(thread));
  if (!kind) return refuse_call(thread);  // a sleep until enough is computed
  const auto span = span_at(thread, thread.argument(2));
  if (!span) return answer(thread, -EINVAL);
  const bool absolute = (thread.argument(1) & TIMER_ABSTIME) != 0;
  thread.left_over = absolute ? 0 : thread.argument(3);
  sleep(thread, absolute ? Deadline{*kind, *span} : in(*span));
}

void Supervisor::sleep(Thread& thread, Deadline deadline) {
  if (!has_come(deadline)) return wait(thread, Wait::sleep, deadline, {});
  if (polls_too_often(thread)) return let_time_pass(thread);
  answer(thread, 0);
}

void Supervisor::sched_yield(Thread& thread) {
  if (polls_too_often(thread)) return let_time_pass(thread);
  if (ready_.empty()) return answer(thread, 0);
  make_ready(thread, Thread::Next::answer);
}

// ---------------------------------------------------------------- what follows from time

void Supervisor::getrusage(Thread& thread) {
  answer(thread, thread.memory().put(thread.argument(1), rusage{}) ? 0 : -EFAULT);
}

void Supervisor::times(Thread& thread) {
  has_seen_clocks_ = true;
  const std::uint64_t at = thread.argument(0);
  const bool there = at == 0 || thread.memory().put(at, tms{});
  answer(thread, there ? now() / kTick : -EFAULT);
}

void Supervisor::sysinfo(Thread& thread) {
  has_seen_clocks_ = true;
  struct sysinfo about {};
  about.uptime = now() / kSecond;
  about.totalram = kMemory;
  about.freeram = kMemory / 2;
  about.procs = 1;
  about.mem_unit = 1;
  answer(thread, thread.memory().put(thread.argument(0), about) ? 0 : -EFAULT);
}

// One processor, with the same number in every run.
void Supervisor::sched_getaffinity(Thread& thread) {
  constexpr std::uint64_t kFirst = 1;
  if (thread.argument(1) < sizeof kFirst) return answer(thread, -EINVAL);
  const bool there = thread.memory().put(thread.argument(2), kFirst);
  answer(thread, there ? static_cast<std::int64_t>(sizeof kFirst) : -EFAULT);
}

}  // namespace picklock::guests
