#include "guests/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

#include "guests/failure.h"
#include "guests/proc.h"

namespace picklock::guests {
namespace {

constexpr int kFirstPatience = 2000;  // microseconds
constexpr int kLastPatience = 20'000;
constexpr int kPatienceWithWoken = 100;

// A flag that is set for as long as this lives.
class Running {
 public:
  explicit Running(bool& flag) : flag_(flag) { flag_ = true; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { flag_ = false; }

 private:
  bool& flag_;
};

}  // namespace

void Supervisor::run() {
  look_again_ = true;
  if (!alive_ || frozen_ || running_) return;
  const Running running(running_);
  while (alive_ && !frozen_) {
    forget_gone();
    settle();
    look_at_waits();
    if (!alive_ || frozen_) break;
    Thread* const thread = next_ready();
    if (thread == nullptr) {
      drain_beliefs();
      if (std::exchange(look_again_, false)) continue;
      break;
    }
    step(*thread);
    if (alive_) drain_beliefs();
    cut_output();
  }
  if (alive_) look_for_leaks();
  if (alive_ && !frozen_) set_alarms();
}

Thread* Supervisor::next_ready() {
  if (ready_.empty()) return nullptr;
  Thread* const thread = ready_.front();
  ready_.pop_front();
  return thread;
}

void Supervisor::make_ready(Thread& thread, Thread::Next next, Reply reply) {
  thread.state = Thread::State::ready;
  thread.next = next;
  thread.reply = reply;
  ready_.push_back(&thread);
}

// Lets a thread go on until it waits or ends, or the guest is frozen or dies.
void Supervisor::step(Thread& thread) {
  thread.state = Thread::State::running;
  switch (thread.next) {
    case Thread::Next::handle:
      handle(thread);
      break;
    case Thread::Next::answer:
      answer(thread, thread.reply);
      break;
    case Thread::Next::look:
      look_again(thread);
      break;
    case Thread::Next::restart:
      if (ptrace(PTRACE_DETACH, thread.tid, nullptr, nullptr) != 0)
        fail("cannot let a new program run");
      break;
  }
  while (alive_ && thread.state == Thread::State::running) {
    if (!next_call(thread)) break;
    settle();
    handle(thread);
  }
}

void Supervisor::handle(Thread& thread) {
  const Call* const call = call_of(thread.call.data.nr);
  if (call == nullptr) return go_native(thread);
  (this->*call->handler)(thread);
}

void Supervisor::answer(Thread& thread, Reply reply) {
  if (!alive_ || thread.state == Thread::State::gone) return;
  if (frozen_) {
    make_ready(thread, Thread::Next::answer, reply);
    std::rotate(ready_.begin(), ready_.end() - 1, ready_.end());
    return;
  }
  thread.state = Thread::State::running;
  lend_clocks(thread);
  respond(thread, reply);
}

// False: the thread is gone.
bool Supervisor::respond(Thread& thread, Reply reply) {
  const int processor = sched_getcpu();
  if (processor >= 0 && processor != thread.processor) {
    // Beside its supervisor it goes on sooner; nothing else depends on it.
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(processor), &one);
    sched_setaffinity(thread.tid, sizeof one, &one);
    thread.processor = processor;
  }
  // A stop before the call returns ends the tracing of an exec that failed.
  if (thread.traced && ptrace(PTRACE_INTERRUPT, thread.tid, nullptr, nullptr) != 0)
    fail("cannot stop a thread");
  seccomp_notif_resp response{};
  response.id = thread.call.id;
  if (reply.native) {
    response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  } else if (reply.value < 0) {
    response.error = static_cast<int>(reply.value);
  } else {
    response.val = reply.value;
  }
  const bool done = ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, &response) == 0;
  if (!done && errno != ENOENT) fail("cannot answer a call");
  if (std::exchange(thread.traced, false)) {
    int status = 0;
    if (waitpid(thread.tid, &status, __WALL) == thread.tid && WIFSTOPPED(status))
      ptrace(PTRACE_DETACH, thread.tid, nullptr, nullptr);
  }
  return done;
}

int Supervisor::give(Thread& thread, int descriptor, int number, bool close_on_exec,
                     bool as_result) {
  seccomp_notif_addfd gift{};
  gift.id = thread.call.id;
  gift.srcfd = static_cast<std::uint32_t>(descriptor);
  gift.flags = as_result ? SECCOMP_ADDFD_FLAG_SEND : 0;
  if (number >= 0) {
    gift.flags |= SECCOMP_ADDFD_FLAG_SETFD;
    gift.newfd = static_cast<std::uint32_t>(number);
  }
  gift.newfd_flags = close_on_exec ? O_CLOEXEC : 0;
  const int given = ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_ADDFD, &gift);
  if (given < 0 && errno != ENOENT && errno != EMFILE) fail("cannot give a descriptor");
  return given >= 0 ? given : -errno;
}

int Supervisor::hand_in(Thread& thread, int descriptor, int number, bool close_on_exec) {
  return give(thread, descriptor, number, close_on_exec, false);
}

int Supervisor::hand_over(Thread& thread, int descriptor, int number, bool close_on_exec) {
  if (!alive_) return -ESRCH;
  const int given = give(thread, descriptor, number, close_on_exec, true);
  if (given == -EMFILE) answer(thread, given);
  return given;
}

// ---------------------------------------------------------------- calls that arrive

// Waits for the call of a thread. False: it has ended, or waits inside the kernel.
bool Supervisor::next_call(Thread& thread) {
  Process& process = *thread.process;
  int patience = kFirstPatience;
  bool slept = false;
  std::int64_t computed_before = -1;
  while (alive_) {
    if (std::exchange(thread.came, false)) return true;
    if (has_call(patience, &process)) {
      if (take_call() && arrived_ == &thread) return true;
      continue;
    }
    if (!process.alive || !alive_) return false;
    if (waits_in_kernel(thread)) {
      if (std::exchange(slept, true)) {
        thread.state = Thread::State::native;
        return false;
      }
      drain_beliefs();  // it may wait for room in that pipe
      continue;
    }
    slept = false;
    cut_output();
    patience = std::min(2 * patience, kLastPatience);
    const std::int64_t computed = computing_of(process.pid);
    if (computed_before < 0) computed_before = computed;
    look_at_computing(computed - computed_before);
  }
  return false;
}

// Also notices that a process has ended.
bool Supervisor::has_call(int microseconds, const Process* process) {
  Process& root = *processes_.front();
  std::array<pollfd, 3> watched{{{listener_.get(), POLLIN, 0},
                                 {root.pidfd.get(), POLLIN, 0},
                                 {process != nullptr ? process->pidfd.get() : -1, POLLIN, 0}}};
  const auto count = static_cast<nfds_t>(process == nullptr || process == &root ? 2 : 3);
  const timespec patience{microseconds / 1'000'000, microseconds % 1'000'000 * 1000L};
  while (::ppoll(watched.data(), count, &patience, nullptr) < 0) {
    if (errno != EINTR) fail("cannot wait for a call");
  }
  if ((watched[0].revents & POLLIN) != 0) return true;
  if (watched[1].revents != 0 || (watched[0].revents & POLLHUP) != 0) {
    end_of_root();
  } else if (watched[2].revents != 0) {
    for (const auto& one : processes_) {
      if (one.get() == process) ended(*one);
    }
  }
  return false;
}

// False: its thread has gone meanwhile.
bool Supervisor::take_call() {
  seccomp_notif call{};
  arrived_ = nullptr;
  if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
    if (errno == ENOENT || errno == EINTR) return false;
    fail("cannot take a call");
  }
  take_clocks_back();
  const auto tid = static_cast<pid_t>(call.pid);
  const auto found = threads_.find(tid);
  if (found == threads_.end()) {  // clone() looks for it
    stranger_ = std::make_unique<Thread>(tid, *processes_.front());
    stranger_->call = call;
    return true;
  }
  Thread* const thread = found->second;
  thread->call = call;
  arrived_ = thread;
  if (thread->state == Thread::State::native) {
    thread->in_vfork = false;
    make_ready(*thread, Thread::Next::handle);
  }
  return true;
}

bool Supervisor::waits_in_kernel(const Thread& thread) const {
  if (!is_asleep(thread.tid)) return false;
  pollfd one{listener_.get(), POLLIN, 0};
  return ::poll(&one, 1, 0) == 0;
}

// A step may wake threads that wait inside the kernel. Each must have come to its next call, or
// wait again, before the supervisor decides anything.
void Supervisor::settle() {
  for (std::size_t i = 0; i < processes_.size() && alive_; ++i) {
    Process& process = *processes_[i];
    if (std::exchange(process.signaled, false) && process.alive) interrupt_waits(process);
  }
  for (std::size_t i = 0; i < processes_.size() && alive_; ++i) {
    Process& process = *processes_[i];
    for (std::size_t j = 0; j < process.threads.size() && alive_; ++j) {
      Thread& thread = *process.threads[j];
      const auto is_on_its_way = [&] {
        return alive_ && process.alive && thread.state == Thread::State::native &&
               !thread.in_vfork && !waits_in_kernel(thread);
      };
      for (std::int64_t before = -1; is_on_its_way();) {
        if (has_call(kPatienceWithWoken, &process)) {
          take_call();
          continue;
        }
        const std::int64_t computed = computing_of(process.pid);
        if (before < 0) before = computed;
        look_at_computing(computed - before);
      }
    }
  }
}

// ---------------------------------------------------------------- from outside

void Supervisor::thaw() {
  if (!std::exchange(frozen_, false)) return;
  wake_due();
  run();
}

void Supervisor::time_came() {
  alarms_[0].reset();
  alarms_[1].reset();
  if (frozen_ || !alive_) return;
  wake_due();
  run();
}

}  // namespace picklock::guests
