// The processes and threads of a guest: how they begin, execute programs and end.
#include <dirent.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>
#include <utility>

#include "guests/failure.h"
#include "guests/proc.h"
#include "guests/supervisor.h"
#include "guests/tracing.h"

namespace picklock::guests {
namespace {

constexpr int kShortPatience = 100;         // microseconds
constexpr int kPatienceWithDying = 10'000;  // milliseconds

}  // namespace

Process& Supervisor::add_process(Process* parent, pid_t pid) {
  auto process = std::make_unique<Process>();
  process->pid = pid;
  process->inner_pid = inner_pid_of(pid);
  process->number = static_cast<std::uint32_t>(++last_process_);
  process->pidfd = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process->pidfd) fail("cannot refer to a process");
  process->parent = parent;
  processes_.push_back(std::move(process));
  return *processes_.back();
}

Thread& Supervisor::add_thread(Process& process, pid_t tid) {
  process.threads.push_back(std::make_unique<Thread>(tid, process));
  Thread& thread = *process.threads.back();
  threads_[tid] = &thread;
  return thread;
}

// ---------------------------------------------------------------- beginnings

void Supervisor::clone(Thread& thread) {
  const std::uint64_t flags = thread.argument(0);
  clone(thread, flags, (flags & CLONE_CHILD_CLEARTID) != 0 ? thread.argument(3) : 0);
}

void Supervisor::clone3(Thread& thread) {
  clone_args arguments{};
  // Shorter forms of it end before fields that are not used here.
  constexpr std::size_t kUsed = offsetof(clone_args, parent_tid);
  if (!thread.memory().read(thread.argument(0), &arguments, kUsed)) return answer(thread, -EFAULT);
  const std::uint64_t flags = arguments.flags;
  clone(thread, flags, (flags & CLONE_CHILD_CLEARTID) != 0 ? arguments.child_tid : 0);
}

void Supervisor::fork(Thread& thread) {
  clone(thread, thread.call.data.nr == SYS_vfork ? CLONE_VFORK : 0, 0);
}

// Parent and child run at once until each has come to its next call. The child's first one is its
// library's own housekeeping, before any code of the program.
void Supervisor::clone(Thread& thread, std::uint64_t flags, std::uint64_t cleared) {
  respond(thread, {0, true});
  while (alive_ && stranger_ == nullptr) {
    if (has_call(kShortPatience, thread.process)) {
      take_call();
      if (arrived_ == &thread) thread.came = true;
    } else if (thread.came && !has_stranger(thread)) {
      return;  // it has failed
    }
  }
  if (alive_) welcome(thread, flags, cleared);
}

// Whether there is a child whose first call is still to come.
bool Supervisor::has_stranger(const Thread& parent) const {
  const auto known = [this](const std::string& tid) {
    return threads_.contains(static_cast<pid_t>(std::stol(tid)));
  };
  const std::string tasks = fmt::format("/proc/{}/task", parent.process->pid);
  bool strange = false;
  if (DIR* const folder = opendir(tasks.c_str()); folder != nullptr) {
    while (const dirent* const entry = readdir(folder))
      strange |= entry->d_name[0] != '.' && !known(entry->d_name);
    closedir(folder);
  }
  const std::string children = fmt::format("{}/{}/children", tasks, parent.tid);
  if (std::FILE* const file = std::fopen(children.c_str(), "re"); file != nullptr) {
    int child = 0;
    while (std::fscanf(file, "%d", &child) == 1) strange |= !threads_.contains(child);
    std::fclose(file);
  }
  return strange;
}

void Supervisor::welcome(Thread& parent, std::uint64_t flags, std::uint64_t cleared) {
  const std::unique_ptr<Thread> stranger = std::move(stranger_);
  Process* process = parent.process;
  if ((flags & CLONE_THREAD) == 0) {
    process = &add_process((flags & CLONE_PARENT) != 0 ? process->parent : process, stranger->tid);
    process->sockets = parent.process->sockets;
    for (const auto& [number, socket] : process->sockets) {
      if (socket != nullptr) ++socket->holders;
    }
  }
  Thread& child = add_thread(*process, stranger->tid);
  child.call = stranger->call;
  child.cleared_at_exit = cleared;
  child.processor = parent.processor;
  make_ready(child, Thread::Next::handle);
  if ((flags & CLONE_VFORK) == 0) return;
  parent.state = Thread::State::native;
  parent.in_vfork = true;
  process->in_vfork = &parent;
  std::rotate(ready_.begin(), ready_.end() - 1, ready_.end());
}

// ---------------------------------------------------------------- other programs

// A new program gets a vDSO with a clock of its own: the process is stopped before it can read it.
void Supervisor::execute(Thread& thread) {
  Process& process = *thread.process;
  drain_beliefs();
  if (!alive_ || frozen_) return make_ready(thread, Thread::Next::handle);
  // A search along PATH executes one file after another, until there is one.
  const bool traced = std::exchange(thread.traced, false);
  if (!traced &&
      ptrace(PTRACE_SEIZE, thread.tid, nullptr, PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) != 0)
    fail("cannot trace a process that executes a program");
  respond(thread, {0, true});
  thread.traced = true;
  while (alive_ && process.alive) {
    int status = 0;
    const pid_t stopped = waitpid(process.pid, &status, WNOHANG | __WALL);
    if (stopped == process.pid && WIFSTOPPED(status)) {
      if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXEC << 8))) return executed(thread);
      ptrace(PTRACE_CONT, process.pid, nullptr, WSTOPSIG(status));  // a signal on its way
    } else if (stopped == process.pid) {
      thread.traced = false;
      if (&process != processes_.front().get()) return ended(process);
      exit_status_ = status;
      return end_of_root();
    }
    if (has_call(kShortPatience, &process) && take_call() && arrived_ == &thread) {
      thread.came = true;  // it has failed, and the tracing ends with the next answer
      return;
    }
  }
}

void Supervisor::executed(Thread& thread) {
  Process& process = *thread.process;
  thread.traced = false;
  for (const auto& other : process.threads) {
    if (other.get() != &thread) drop_thread(*other);
  }
  threads_.erase(thread.tid);
  thread.tid = process.pid;
  threads_[thread.tid] = &thread;
  thread.cleared_at_exit = 0;
  prepare_image(thread);
  std::vector<int> numbers;
  for (const auto& [number, socket] : process.sockets) numbers.push_back(number);
  for (const int number : numbers) {
    const Descriptor copy(
        static_cast<int>(syscall(SYS_pidfd_getfd, process.pidfd.get(), number, 0)));
    if (!copy) forget_socket(process, number);
  }
  make_ready(thread, Thread::Next::restart);
  std::rotate(ready_.begin(), ready_.end() - 1, ready_.end());
  release_vfork(process);
}

void Supervisor::release_vfork(Process& process) {
  Thread* const parent = std::exchange(process.in_vfork, nullptr);
  if (parent != nullptr) parent->in_vfork = false;
}

// ---------------------------------------------------------------- ends

void Supervisor::drop_thread(Thread& thread) {
  if (thread.state == Thread::State::waiting) stop_waiting(thread);
  if (thread.state == Thread::State::ready) std::erase(ready_, &thread);
  thread.state = Thread::State::gone;
  threads_.erase(thread.tid);
  // A process that ends in a vfork releases a thread that may have gone before it.
  for (const auto& process : processes_) {
    if (process->in_vfork == &thread) process->in_vfork = nullptr;
  }
}

// Between steps nothing refers to what is gone.
void Supervisor::forget_gone() {
  for (const auto& process : processes_) {
    std::erase_if(process->threads,
                  [](const auto& thread) { return thread->state == Thread::State::gone; });
  }
}

void Supervisor::exit_thread(Thread& thread) {
  Process& process = *thread.process;
  const auto lives = [](const auto& one) { return one->state != Thread::State::gone; };
  if (std::ranges::count_if(process.threads, lives) == 1) return exit_process(thread);
  const std::uint64_t cleared = thread.cleared_at_exit;
  respond(thread, {0, true});
  const pid_t tid = thread.tid;
  drop_thread(thread);
  const auto other = std::ranges::find_if(process.threads, lives);
  // The kernel clears this word and then wakes its waiters. They do not wait in the kernel.
  while (is_there(tid)) {
    const auto word = (*other)->memory().get<std::uint32_t>(cleared);
    if (cleared != 0 && (!word || *word == 0)) break;
    if (tid == process.pid && cleared == 0)
      break;  // the first thread stays until the last has gone
    ::sched_yield();
  }
  if (cleared != 0) wake_word(key_of(**other, cleared, false), SIZE_MAX, ~0U);
}

void Supervisor::exit_process(Thread& thread) {
  drain_beliefs();
  if (!alive_ || frozen_) return make_ready(thread, Thread::Next::handle);
  respond(thread, {0, true});
  await_end(*thread.process);
}

void Supervisor::await_end(Process& process) {
  pollfd one{process.pidfd.get(), POLLIN, 0};
  int ready = 0;
  while ((ready = ::poll(&one, 1, kPatienceWithDying)) < 0) {
    if (errno != EINTR) fail("cannot wait for the end of a process");
  }
  if (ready > 0) ended(process);
}

void Supervisor::ended(Process& process) {
  if (&process == processes_.front().get()) return end_of_root();
  if (!std::exchange(process.alive, false)) return;
  for (const auto& thread : process.threads) drop_thread(*thread);
  while (alive_ && !process.sockets.empty()) forget_socket(process, process.sockets.begin()->first);
  release_vfork(process);
  for (const auto& other : processes_) {
    if (other->parent == &process) other->parent = processes_.front().get();
  }
  look_again_ = true;
  if (alive_ && process.parent != nullptr) interrupt_waits(*process.parent);
}

void Supervisor::end_of_root() {
  if (!alive_) return;
  drain_beliefs();
  kill();
  if (fatal_signal_ != 0) exit_status_ = fatal_signal_;
  for (const auto& process : processes_) {
    while (!process->sockets.empty()) forget_socket(*process, process->sockets.begin()->first);
  }
}

// ---------------------------------------------------------------- waiting for children

void Supervisor::wait_for_child(Thread& thread) {
  const bool by_id = thread.call.data.nr == SYS_waitid;
  const auto options = static_cast<int>(thread.argument(by_id ? 3 : 2));
  if ((options & WNOHANG) != 0) {
    if (polls_too_often(thread)) return let_time_pass(thread);
    return go_native(thread);
  }
  const bool none = std::ranges::none_of(processes_, [&](const auto& process) {
    return process->parent == thread.process && process->alive;
  });
  if (none || has_ended_child(thread)) return go_native(thread);
  wait(thread, Wait::child, {}, {});
}

bool Supervisor::has_ended_child(const Thread& thread) const {
  const bool by_id = thread.call.data.nr == SYS_waitid;
  const auto which = static_cast<pid_t>(thread.argument(by_id ? 1 : 0));
  const bool one = by_id ? thread.argument(0) == P_PID : which > 0;
  return std::ranges::any_of(processes_, [&](const auto& process) {
    return process->parent == thread.process && !process->alive &&
           (!one || process->inner_pid == which) &&
           syscall(SYS_pidfd_send_signal, process->pidfd.get(), 0, nullptr, 0) == 0;
  });
}

}  // namespace picklock::guests
