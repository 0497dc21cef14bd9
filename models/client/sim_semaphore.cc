#include "models/client/sim_semaphore.h"

#include "models/client/sim_client.h"

namespace picklock::models {

// Keeps a waiter in the queue until its wait ends, also when its thread is killed and unwinds. A
// permit that a killed thread has just received goes to the next waiter.
class SimSemaphore::Queued {
 public:
  Queued(SimSemaphore& semaphore, Waiter& waiter) : semaphore_(semaphore), waiter_(waiter) {
    semaphore_.waiters_.push_back(&waiter_);
  }
  Queued(const Queued&) = delete;
  Queued& operator=(const Queued&) = delete;
  ~Queued() {
    std::erase(semaphore_.waiters_, &waiter_);
    if (waiter_.served && waiter_.thread->killed()) semaphore_.serve(waiter_.by);
  }

 private:
  SimSemaphore& semaphore_;
  Waiter& waiter_;
};

Semaphore::Woken SimSemaphore::acquire(Duration patience) {
  sim::Scheduler& scheduler = machine_.simulation().scheduler;
  if (scheduler.inert()) return Woken::by_time;
  if (permits_ > 0) {
    --permits_;
    return Woken::by_permit;
  }
  if (patience == Duration::zero()) return Woken::by_time;
  sim::Thread& thread = *scheduler.running();
  Waiter me{.thread = &thread};
  const Queued queued(*this, me);
  const bool endless = patience < Duration::zero();
  note(history::What::wait_begun, 0, endless ? sim::kNever : scheduler.now() + patience);
  const bool interruptible = what_ == Awaits::news;
  if (!interruptible || scheduler.threads().begin_interruptible(thread)) wait(patience);
  if (interruptible) scheduler.threads().end_interruptible(thread);
  const bool interrupted = interruptible && !me.served && thread.take_interrupt();
  note(history::What::wait_ended, me.by, sim::kNever);
  return me.served ? Woken::by_permit : interrupted ? Woken::by_interrupt : Woken::by_time;
}

void SimSemaphore::wait(Duration patience) const {
  sim::Scheduler& scheduler = machine_.simulation().scheduler;
  const std::int64_t now = scheduler.local_time(machine_.process(), sim::ClockKind::monotonic);
  if (patience < Duration::zero() || patience.count() >= INT64_MAX - now) {
    scheduler.park();
  } else {
    scheduler.park_until(sim::ClockKind::monotonic, now + patience.count());
  }
}

// Only of news it matters whose they are.
void SimSemaphore::release() { serve(what_ == Awaits::news ? machine_.speaker() : 0); }

void SimSemaphore::serve(history::TenureId by) {
  sim::Scheduler& scheduler = machine_.simulation().scheduler;
  for (Waiter* waiter : waiters_) {
    if (waiter->served || waiter->thread->killed()) continue;
    waiter->served = true;
    waiter->by = by;
    if (what_ == Awaits::news && scheduler.record().tracer().on()) {
      scheduler.record().tracer().add({.at = scheduler.now(),
                                       .kind = sim::TraceKind::woke,
                                       .process = machine_.process().id(),
                                       .message = scheduler.record().handed_over(),
                                       .tag = by});
    }
    scheduler.threads().wake(*waiter->thread);
    return;
  }
  ++permits_;
}

void SimSemaphore::note(history::What what, history::TenureId by, sim::Instant until) const {
  if (what_ != Awaits::news) return;
  sim::Scheduler& scheduler = machine_.simulation().scheduler;
  const sim::Thread& thread = *scheduler.running();
  machine_.simulation().recorder.note({.at = scheduler.now(),
                                       .what = what,
                                       .role = thread.role,
                                       .process = machine_.process().id(),
                                       .thread = thread.id(),
                                       .tenure = thread.tag,
                                       .owner = by,
                                       .key = machine_.lock_key(),
                                       .until = until});
}

}  // namespace picklock::models
