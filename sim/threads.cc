#include "sim/threads.h"

#include "sim/fiber_switch.h"
#include "sim/scheduler.h"

namespace picklock::sim {
namespace {

constexpr std::size_t kCrowd = 2048;

}  // namespace

Threads::Threads(Scheduler& scheduler, std::size_t stack_size)
    : scheduler_(scheduler), fibers_(stack_size) {
  fibers_.set_schedule(&scheduler);
  deep_fibers_.set_schedule(&scheduler);
}

void Threads::reset() {
  used_ = 0;
  free_.clear();
  last_ = 0;
}

Thread& Threads::add(Process& process, std::function<void()> body, bool foreground,
                     FiberPool& pool) {
  std::uint32_t slot = 0;
  if (!free_.empty()) {
    slot = free_.back();
    free_.pop_back();
  } else {
    slot = static_cast<std::uint32_t>(used_++);
  }
  Thread& thread = threads_.at_least(slot);
  thread.tag = 0;
  thread.interruptible_ = thread.interrupted_ = thread.gave_way_ = false;
  thread.role = {};
  thread.last_used_ = nullptr;
  thread.heeded_ = nullptr;
  thread.stack_hint_ = thread.switch_hint_ = nullptr;
  thread.fiber_ = nullptr;
  thread.pool_ = &pool;
  thread.process_ = &process;
  thread.hash_ = mixed(process.hash_ + ++process.threads_made_);
  thread.slot_ = slot;
  thread.id_ = ++last_;
  thread.parked_ = true;
  thread.woken_ = true;
  thread.killed_ = thread.timed_ = thread.patient_ = false;
  thread.watched_ = kNever;
  thread.ignored_ = 0;
  thread.foreground_ = foreground;
  thread.body_ = std::move(body);
  thread.scheduler_ = &scheduler_;
  // The list keeps the order of creation, so every walk over it has that order.
  thread.next_ = nullptr;
  thread.previous_ = process.threads_;
  if (process.threads_ == nullptr) {
    process.threads_ = &thread;
  } else {
    while (thread.previous_->next_ != nullptr) thread.previous_ = thread.previous_->next_;
    thread.previous_->next_ = &thread;
  }
  if (foreground) scheduler_.hold_open();
  crowded_ = used_ > kCrowd;
  scheduler_.queue_.push(scheduler_.now_, EventKind::wake, slot, thread.ticket_);
  return thread;
}

void Threads::kill(Thread& thread) {
  if (thread.killed_) return;
  thread.killed_ = true;
  if (&thread == scheduler_.running_) return;
  thread.ticket_ = (thread.ticket_ + 1) & kTicketMask;
  scheduler_.queue_.push(scheduler_.now_, EventKind::wake, thread.slot_, thread.ticket_);
}

void Threads::kill_all(Process& process) {
  for (Thread* thread = process.threads_; thread != nullptr; thread = thread->next_) kill(*thread);
}

void Threads::wake(Thread& thread) {
  if (!thread.parked_ || thread.woken_ || thread.killed_) return;
  thread.woken_ = true;
  // A thread that an event wakes runs at once, without an event of its own.
  if (scheduler_.running_ == nullptr && scheduler_.next_ == nullptr &&
      thread.process_->pauses_ == 0) {
    thread.ticket_ = (thread.ticket_ + 1) & kTicketMask;
    scheduler_.next_ = &thread;
    return;
  }
  scheduler_.queue_.push(scheduler_.now_, EventKind::wake, thread.slot_, thread.ticket_);
}

void Threads::interrupt(Thread& thread, bool* heeded) {
  thread.interrupted_ = true;
  thread.heeded_ = heeded;
  if (thread.interruptible_) wake(thread);
}

void Threads::watch_patience(Thread& thread) {
  const Instant due = thread.process_->clock_.when(thread.clock_, thread.until_, scheduler_.now_);
  if (thread.watched_ <= due) return;
  thread.watched_ = due;
  scheduler_.queue_.push(due, EventKind::patience, thread.slot_, 0);
}

// The event was armed for the earliest limit of the thread; the present limit may be later, or the
// wait may be over.
bool Threads::out_of_patience(Thread& thread, const Event& event) {
  if (thread.process_ == nullptr || nanoseconds(thread.watched_) > event.at) return false;
  thread.watched_ = kNever;
  if (!thread.parked_ || !thread.patient_ || thread.woken_ || thread.killed_) return false;
  const Instant now(Duration(event.at));
  const Instant due = thread.process_->clock_.when(thread.clock_, thread.until_, now);
  if (due <= now) return true;
  thread.watched_ = due;
  scheduler_.queue_.push(due, EventKind::patience, thread.slot_, 0);
  return false;
}

void Threads::follow_clock(Process& process) {
  for (Thread* thread = process.threads_; thread != nullptr; thread = thread->next_) {
    if (!thread->parked_ || !thread->timed_ || thread->woken_) continue;
    if (thread->patient_) {
      watch_patience(*thread);
      continue;
    }
    thread->ticket_ = (thread->ticket_ + 1) & kTicketMask;
    scheduler_.queue_.push(process.clock_.when(thread->clock_, thread->until_, scheduler_.now_),
                           EventKind::wake, thread->slot_, thread->ticket_);
  }
}

Fiber* Threads::fiber_of(Thread& thread) {
  if (thread.fiber_ == nullptr) {
    thread.fiber_ = thread.pool_->take();
    thread.fiber_->assign(&Threads::run_body, &thread);
    thread.switch_hint_ = FiberSwitch::touches(*thread.fiber_);
  }
  return thread.fiber_;
}

void Threads::run_body(void* argument) {
  Thread& thread = *static_cast<Thread*>(argument);
  Scheduler& self = *thread.scheduler_;
  self.running_ = &thread;
  thread.parked_ = false;
  try {
    if (!thread.killed_) thread.body_();
  } catch (const Killed&) {
  } catch (...) {
    if (!self.failure_) self.failure_ = std::current_exception();
    self.ending_ = true;
  }
  self.threads_.finish(thread);
}

void Threads::finish(Thread& thread) {
  scheduler_.running_ = nullptr;
  thread.body_ = nullptr;
  thread.fiber_ = nullptr;
  thread.ticket_ = (thread.ticket_ + 1) & kTicketMask;
  (thread.previous_ != nullptr ? thread.previous_->next_ : thread.process_->threads_) =
      thread.next_;
  if (thread.next_ != nullptr) thread.next_->previous_ = thread.previous_;
  free_.push_back(thread.slot_);
  if (thread.foreground_) scheduler_.let_go();
  thread.process_ = nullptr;
}

// At the end of a run.
void Threads::unwind_all() {
  for (std::size_t slot = 0; slot < used_; ++slot) {
    Thread& thread = threads_[slot];
    if (thread.process_ == nullptr) continue;
    thread.killed_ = true;
    if (thread.fiber_ != nullptr) {
      FiberPool::switch_to(nullptr, thread.fiber_);
    } else {
      finish(thread);
    }
  }
}

}  // namespace picklock::sim
