// The table of trapped calls, each with the member that answers it. All others are the kernel's.
#include <linux/filter.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "guests/supervisor.h"

namespace picklock::guests {
namespace {

// Headers of older kernels lack these.
constexpr int kFutexWaitv = 449;
constexpr int kFutexWake = 454;
constexpr int kFutexWait = 455;
constexpr int kFutexRequeue = 456;

}  // namespace

std::span<const Supervisor::Call> Supervisor::calls() {
  static const auto kCalls = std::to_array<Call>({
      // Time
      {SYS_clock_gettime, &Supervisor::clock_gettime},
      {SYS_clock_getres, &Supervisor::clock_getres},
      {SYS_gettimeofday, &Supervisor::gettimeofday},
      {SYS_time, &Supervisor::time},
      {SYS_clock_settime, &Supervisor::set_clock},
      {SYS_settimeofday, &Supervisor::set_clock},
      {SYS_adjtimex, &Supervisor::set_clock},
      {SYS_clock_adjtime, &Supervisor::set_clock},
      {SYS_nanosleep, &Supervisor::nanosleep},
      {SYS_clock_nanosleep, &Supervisor::clock_nanosleep},
      {SYS_sched_yield, &Supervisor::sched_yield},
      {SYS_getrusage, &Supervisor::getrusage},
      {SYS_times, &Supervisor::times},
      {SYS_sysinfo, &Supervisor::sysinfo},
      {SYS_timerfd_create, &Supervisor::timerfd_create},
      {SYS_timerfd_settime, &Supervisor::timerfd_settime},
      {SYS_timerfd_gettime, &Supervisor::timerfd_gettime},
      {SYS_alarm, &Supervisor::alarm},
      {SYS_setitimer, &Supervisor::setitimer, Trap::always, "setitimer for time of computing"},
      {SYS_getitimer, &Supervisor::getitimer, Trap::always, "getitimer for time of computing"},
      {SYS_timer_create, &Supervisor::refuse_call, Trap::always, "timer_create"},
      // Waiting
      {SYS_poll, &Supervisor::poll},
      {SYS_ppoll, &Supervisor::ppoll},
      {SYS_select, &Supervisor::select},
      {SYS_pselect6, &Supervisor::pselect},
      {SYS_epoll_wait, &Supervisor::epoll_wait},
      {SYS_epoll_pwait, &Supervisor::epoll_wait},
      {SYS_epoll_pwait2, &Supervisor::epoll_pwait2},
      {SYS_futex, &Supervisor::futex},
      {kFutexWaitv, &Supervisor::no_such_call},
      {kFutexWake, &Supervisor::no_such_call},
      {kFutexWait, &Supervisor::no_such_call},
      {kFutexRequeue, &Supervisor::no_such_call},
      {SYS_wait4, &Supervisor::wait_for_child},
      {SYS_waitid, &Supervisor::wait_for_child},
      {SYS_rt_sigtimedwait, &Supervisor::rt_sigtimedwait},
      {SYS_semtimedop, &Supervisor::refuse_timeout, Trap::always, "semtimedop with a timeout"},
      {SYS_mq_timedsend, &Supervisor::refuse_timeout, Trap::always, "mq_timedsend"},
      {SYS_mq_timedreceive, &Supervisor::refuse_timeout, Trap::always, "mq_timedreceive"},
      {SYS_io_uring_setup, &Supervisor::refuse_call, Trap::always, "io_uring_setup"},
      {SYS_io_setup, &Supervisor::refuse_call, Trap::always, "io_setup"},
      // Processes and threads
      {SYS_clone, &Supervisor::clone},
      {SYS_clone3, &Supervisor::clone3},
      {SYS_fork, &Supervisor::fork},
      {SYS_vfork, &Supervisor::fork},
      {SYS_execve, &Supervisor::execute},
      {SYS_execveat, &Supervisor::execute},
      {SYS_exit, &Supervisor::exit_thread},
      {SYS_exit_group, &Supervisor::exit_process},
      {SYS_set_tid_address, &Supervisor::set_tid_address},
      // The first calls of new threads, and of forked ones.
      {SYS_set_robust_list, &Supervisor::pass},
      {SYS_gettid, &Supervisor::pass},
      {SYS_sched_getaffinity, &Supervisor::sched_getaffinity},
      {SYS_sched_setaffinity, &Supervisor::do_nothing},
      {SYS_getcpu, &Supervisor::getcpu},
      {SYS_ptrace, &Supervisor::refuse_call, Trap::always, "ptrace"},
      {SYS_kill, &Supervisor::kill_process},
      {SYS_tgkill, &Supervisor::kill_thread},
      {SYS_tkill, &Supervisor::kill_any_thread},
      {SYS_rt_sigqueueinfo, &Supervisor::kill_process},
      {SYS_rt_tgsigqueueinfo, &Supervisor::kill_thread},
      {SYS_pidfd_send_signal, &Supervisor::kill_by_descriptor},
      // Files
      {SYS_open, &Supervisor::open},
      {SYS_openat, &Supervisor::openat},
      {SYS_openat2, &Supervisor::openat},
      {SYS_getrandom, &Supervisor::getrandom},
      {SYS_close, &Supervisor::close, Trap::on_socket},
      {SYS_close_range, &Supervisor::close_range},
      {SYS_dup, &Supervisor::duplicate, Trap::on_socket},
      {SYS_dup2, &Supervisor::duplicate_to, Trap::on_socket_or_second},
      {SYS_dup3, &Supervisor::duplicate_to, Trap::on_socket_or_second},
      {SYS_fcntl, &Supervisor::fcntl, Trap::on_socket},
      {SYS_sendfile, &Supervisor::copy_to_socket, Trap::on_socket_or_second, "sendfile"},
      {SYS_splice, &Supervisor::copy_to_socket, Trap::on_socket_or_third, "splice"},
      // Channels
      {SYS_pipe, &Supervisor::pipe},
      {SYS_pipe2, &Supervisor::pipe},
      {SYS_socketpair, &Supervisor::socketpair},
      {SYS_eventfd, &Supervisor::eventfd},
      {SYS_eventfd2, &Supervisor::eventfd},
      // Sockets
      {SYS_socket, &Supervisor::make_socket},
      {SYS_connect, &Supervisor::connect},
      {SYS_bind, &Supervisor::bind, Trap::on_socket},
      {SYS_listen, &Supervisor::refuse_on_socket, Trap::on_socket, "listen"},
      {SYS_accept, &Supervisor::refuse_on_socket, Trap::on_socket, "accept"},
      {SYS_accept4, &Supervisor::refuse_on_socket, Trap::on_socket, "accept4"},
      {SYS_read, &Supervisor::read, Trap::on_socket},
      {SYS_readv, &Supervisor::read, Trap::on_socket},
      {SYS_recvfrom, &Supervisor::read, Trap::on_socket},
      {SYS_recvmsg, &Supervisor::read, Trap::on_socket},
      {SYS_recvmmsg, &Supervisor::refuse_on_socket, Trap::on_socket, "recvmmsg"},
      {SYS_preadv2, &Supervisor::refuse_on_socket, Trap::on_socket, "preadv2"},
      {SYS_write, &Supervisor::write, Trap::on_socket},
      {SYS_writev, &Supervisor::writev, Trap::on_socket},
      {SYS_sendto, &Supervisor::sendto, Trap::on_socket},
      {SYS_sendmsg, &Supervisor::sendmsg, Trap::on_socket},
      {SYS_sendmmsg, &Supervisor::sendmmsg, Trap::on_socket},
      {SYS_pwritev2, &Supervisor::refuse_on_socket, Trap::on_socket, "pwritev2"},
      {SYS_shutdown, &Supervisor::shutdown, Trap::on_socket},
      {SYS_setsockopt, &Supervisor::setsockopt, Trap::on_socket},
      {SYS_getsockopt, &Supervisor::getsockopt, Trap::on_socket},
      {SYS_getsockname, &Supervisor::getsockname, Trap::on_socket},
      {SYS_getpeername, &Supervisor::getpeername, Trap::on_socket},
  });
  return kCalls;
}

const Supervisor::Call* Supervisor::call_of(int number) {
  static const std::vector<const Call*> by_number = [] {
    std::vector<const Call*> all;
    for (const Call& call : calls()) {
      const auto at = static_cast<std::size_t>(call.number);
      if (at >= all.size()) all.resize(at + 1);
      all[at] = &call;
    }
    return all;
  }();
  const auto at = static_cast<std::size_t>(number);
  return at < by_number.size() ? by_number[at] : nullptr;
}

const std::vector<sock_filter>& Supervisor::filter() {
  static const std::vector<sock_filter> text = [] {
    std::vector<Trapped> trapped;
    for (const Call& call : calls()) trapped.push_back({call.number, call.when});
    return make_filter(trapped);
  }();
  return text;
}

// ---------------------------------------------------------------- calls that need little

void Supervisor::no_such_call(Thread& thread) { answer(thread, -ENOSYS); }

void Supervisor::set_tid_address(Thread& thread) {
  thread.cleared_at_exit = thread.argument(0);
  go_native(thread);
}

void Supervisor::getcpu(Thread& thread) {
  for (const unsigned which : {0U, 1U}) {
    const std::uint64_t at = thread.argument(which);
    if (at != 0 && !thread.memory().put(at, std::uint32_t{0})) return answer(thread, -EFAULT);
  }
  answer(thread, 0);
}

}  // namespace picklock::guests
