// Signals that processes of a guest send to each other, or get from a timer. A thread that waits
// here is not seen waiting by the kernel: its call is ended here.
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include "guests/failure.h"
#include "guests/proc.h"
#include "guests/supervisor.h"

namespace picklock::guests {
namespace {

// The kernel restarts the call, unless a handler of the signal wants it interrupted.
constexpr std::int64_t kRestart = 512;

bool stops(int number) {
  return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

bool ends_by_default(int number) {
  switch (number) {
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
    case SIGCONT:
      return false;
    default:
      return number > 0 && !stops(number);
  }
}

bool can_restart(Wait wait) {
  return wait == Wait::futex || wait == Wait::reading || wait == Wait::writing ||
         wait == Wait::channel || wait == Wait::child;
}

}  // namespace

bool Supervisor::is_deadly(const Process& process, int number) const {
  if (number == SIGKILL) return true;
  const Signals signals = signals_of(process.pid);
  return ends_by_default(number) &&
         ((signals.caught | signals.ignored | signals.blocked) & bit_of(number)) == 0;
}

// The first process of a namespace is spared by signals from inside that it does not handle.
void Supervisor::end_by_signal(int number) {
  fatal_signal_ = number;
  end_of_root();
}

// Nobody is to read what it writes.
void Supervisor::write_in_vain(Thread& thread, bool with_signal) {
  const bool is_first = thread.process == processes_.front().get();
  if (is_first && with_signal && is_deadly(*thread.process, SIGPIPE)) return end_by_signal(SIGPIPE);
  go_native(thread);
}

void Supervisor::deliver(Process& process, int number) {
  if (is_deadly(process, number) && &process == processes_.front().get())
    return end_by_signal(number);
  const bool deadly = is_deadly(process, number);
  if (syscall(SYS_pidfd_send_signal, process.pidfd.get(), number, nullptr, 0) != 0) return;
  deadly ? await_end(process) : interrupt_waits(process);
}

void Supervisor::signal_from(Thread& thread, std::int64_t inner_pid, int number) {
  drain_beliefs();
  if (!alive_) return;
  if (stops(number)) return refuse("it stopped a process by a signal");
  std::vector<Process*> reached;
  for (const auto& process : processes_) {
    // Groups are not told apart: all processes are taken to be in one.
    if (process->alive && (inner_pid <= 0 || process->inner_pid == inner_pid))
      reached.push_back(process.get());
  }
  std::vector<Process*> dying;
  for (Process* const process : reached) {
    if (!is_deadly(*process, number)) continue;
    if (process == processes_.front().get() && process != thread.process && inner_pid <= 0)
      continue;
    if (process == processes_.front().get()) return end_by_signal(number);
    dying.push_back(process);
  }
  respond(thread, {0, true});
  for (Process* const process : dying) {
    if (process->alive) await_end(*process);
  }
  // The sender goes on meanwhile; the others hear of it once they are looked at.
  for (Process* const process : reached) {
    if (process->alive) interrupt_later(*process);
  }
}

void Supervisor::kill_process(Thread& thread) {
  signal_from(thread, static_cast<std::int32_t>(thread.argument(0)),
              static_cast<int>(thread.argument(1)));
}

void Supervisor::kill_thread(Thread& thread) {
  signal_from(thread, static_cast<std::int32_t>(thread.argument(0)),
              static_cast<int>(thread.argument(2)));
}

void Supervisor::kill_any_thread(Thread& thread) {
  signal_from(thread, thread.process->inner_pid, static_cast<int>(thread.argument(1)));
}

void Supervisor::kill_by_descriptor(Thread& thread) {
  const Descriptor copy(static_cast<int>(
      syscall(SYS_pidfd_getfd, thread.process->pidfd.get(), thread.descriptor(), 0)));
  if (!copy) return go_native(thread);
  // Which process it means is not asked: all are looked at.
  signal_from(thread, 0, static_cast<int>(thread.argument(1)));
}

// ---------------------------------------------------------------- threads that wait

void Supervisor::interrupt_waits(Process& process) {
  bool taken = false;
  for (const auto& thread : process.threads) {
    if (thread->state == Thread::State::gone) continue;
    const Signals signals = signals_of(thread->tid);
    const std::uint64_t open = ~signals.blocked & signals.caught;
    const bool its_own = (signals.pending & open) != 0;
    const bool any = !taken && (signals.pending_for_process & open) != 0;
    if (!its_own && !any) continue;
    taken = taken || any;
    if (thread->state == Thread::State::waiting) interrupt(*thread);
  }
}

void Supervisor::interrupt(Thread& thread) {
  const Wait wait = thread.wait;
  if (wait == Wait::sleep && thread.left_over != 0) {
    const std::int64_t left =
        std::max<std::int64_t>(thread.deadline.at - now(thread.deadline.clock), 0);
    // A bad address does not keep it asleep.
    thread.memory().put(thread.left_over, timespec{left / kSecond, left % kSecond});
  }
  const bool timed = thread.deadline.at != kNoEnd;
  stop_waiting(thread);
  make_ready(thread, Thread::Next::answer,
             {can_restart(wait) && !timed ? -kRestart : -EINTR, false});
}

void Supervisor::rt_sigtimedwait(Thread& thread) {
  const auto set = thread.memory().get<std::uint64_t>(thread.argument(0));
  if (!set) return answer(thread, -EFAULT);
  thread.signals = *set;
  if (has_signal(thread)) return go_native(thread);
  Deadline deadline;
  if (thread.argument(2) != 0) {
    const auto span = span_at(thread, thread.argument(2));
    if (!span) return answer(thread, -EINVAL);
    deadline = in(*span);
    if (*span == 0) return go_native(thread);
  }
  wait(thread, Wait::signal, deadline, {-EAGAIN, false});
}

bool Supervisor::has_signal(const Thread& thread) {
  const Signals signals = signals_of(thread.tid);
  return ((signals.pending | signals.pending_for_process) & thread.signals) != 0;
}

}  // namespace picklock::guests
