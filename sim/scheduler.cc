#include "sim/scheduler.h"

#include <algorithm>
#include <cassert>

#include "sim/fiber_switch.h"
#include "sim/network.h"
#include "sim/pacer.h"
#include "sim/prefetch.h"

namespace picklock::sim {
namespace {

constexpr std::size_t kCrowd = 2048;

}  // namespace

Scheduler::Scheduler(std::size_t stack_size) : fibers_(stack_size) {
  fibers_.set_schedule(this);
  deep_fibers_.set_schedule(this);
}

Scheduler::~Scheduler() = default;

void Scheduler::reset(std::uint64_t seed, bool tracing) {
  queue_.clear();
  now_ = {};
  running_ = next_ = nullptr;
  events_ = under_way_ = 0;
  event_limit_ = ~0ull;
  ending_ = false;
  pacer_ = nullptr;
  permuted_.reset();
  seed_ = seed;
  digest_.reset(seed);
  tracer_.reset(tracing);
  if (observer_ != nullptr) observer_->begin();
  threads_used_ = 0;
  free_threads_.clear();
  last_thread_ = 0;
  process_count_ = 0;
  timers_.reset();
  failure_ = nullptr;
}

void Scheduler::report(const Occurrence& occurrence) {
  const auto both = [](std::uint64_t high, std::uint64_t low) { return (high << 32) ^ low; };
  digest_.add(static_cast<std::uint64_t>(nanoseconds(occurrence.at)) ^
              static_cast<std::uint64_t>(occurrence.what) << 56);
  digest_.add(both(occurrence.tag, 0));
  digest_.add(both(occurrence.process, occurrence.peer));
  digest_.add(both(occurrence.fault, occurrence.thread));
  digest_.add(static_cast<std::uint64_t>(nanoseconds(kNever)));
  if (observer_ != nullptr) observer_->receive(occurrence);
}

// ---------------------------------------------------------------- processes

Process& Scheduler::add_process(std::string_view name, Duration clock_offset,
                                std::int64_t clock_rate_ppb) {
  Process& process = processes_.at_least(process_count_);
  process.name_.assign(name);
  process.hash_ = hash_of(name);
  process.id_ = static_cast<ProcessId>(process_count_++);
  process.incarnation_ = process.pauses_ = process.threads_made_ = 0;
  process.down_ = process.silent_ = process.backlog_ = false;
  process.threads_ = nullptr;
  process.program_ = nullptr;
  process.service_ = process.slowness_ = {};
  process.free_at_ = process.caught_up_ = {};
  process.clock_ = LocalClock(clock_offset, clock_rate_ppb);
  process.refresh();
  process.deferred_.clear();
  return process;
}

void Scheduler::start(Process& process) {
  report({.at = now_, .what = Occurred::process_started, .process = process.id_});
  if (process.program_ != nullptr) process.program_->start(Keeps::all);
}

void Scheduler::pause(Process& process) {
  if (process.down_) return;  // nothing runs, and a later incarnation starts unpaused
  ++process.pauses_;
  process.refresh();
  if (tracer_.on()) tracer_.add({.at = now_, .kind = TraceKind::paused, .process = process.id_});
}

void Scheduler::resume(Process& process) {
  if (process.pauses_ == 0 || --process.pauses_ > 0) return;
  process.refresh();
  if (tracer_.on()) tracer_.add({.at = now_, .kind = TraceKind::resumed, .process = process.id_});
  // One nanosecond apart: permuted ties must not reorder the messages of one connection.
  std::int64_t at = nanoseconds(now_);
  for (Event event : process.deferred_) {
    event.at = at++;
    queue_.push(event);
  }
  if (!process.deferred_.empty()) {
    process.caught_up_ = Instant(Duration(at));
    process.backlog_ = true;
    process.refresh();
  }
  process.deferred_.clear();
}

void Scheduler::halt(Process& process, bool silent) {
  process.down_ = true;
  process.silent_ = silent;
  process.pauses_ = 0;
  process.refresh();
  // Deferred events are lost with the kernel's sockets, but the messages among them must still be
  // accounted for.
  for (const Event& event : process.deferred_) {
    if (event.kind() == EventKind::deliver || event.kind() == EventKind::send)
      network_->forget(event.target());
  }
  process.deferred_.clear();
  timers_.disarm_all(process);
  report({.at = now_, .what = Occurred::process_crashed, .process = process.id_});
  if (tracer_.on()) tracer_.add({.at = now_, .kind = TraceKind::crashed, .process = process.id_});
  for (Thread* thread = process.threads_; thread != nullptr; thread = thread->next_) kill(*thread);
  if (process.program_ != nullptr) process.program_->halted();
}

void Scheduler::restart(Process& process, Keeps keeps) {
  if (!process.down_) return;
  process.down_ = process.silent_ = false;
  process.refresh();
  ++process.incarnation_;
  process.free_at_ = now_;
  report({.at = now_, .what = Occurred::process_started, .process = process.id_});
  if (tracer_.on()) tracer_.add({.at = now_, .kind = TraceKind::started, .process = process.id_});
  if (process.program_ != nullptr) process.program_->start(keeps);
}

void Scheduler::step_clock(Process& process, Duration by) {
  process.clock_.step(by);
  rearm_local(process);
}

void Scheduler::set_clock_rate(Process& process, std::int64_t rate_ppb) {
  process.clock_.set_rate(now_, rate_ppb);
  rearm_local(process);
}

// A change of a clock takes effect at once on every wait and timer armed on it.
void Scheduler::rearm_local(Process& process) {
  if (tracer_.on()) tracer_.add({.at = now_, .kind = TraceKind::clock_set, .process = process.id_});
  for (Thread* thread = process.threads_; thread != nullptr; thread = thread->next_) {
    if (!thread->parked_ || !thread->timed_ || thread->woken_) continue;
    if (thread->patient_) {
      watch_patience(*thread);
      continue;
    }
    thread->ticket_ = (thread->ticket_ + 1) & kTicketMask;
    queue_.push(process.clock_.when(thread->clock_, thread->until_, now_), EventKind::wake,
                thread->slot_, thread->ticket_);
  }
  timers_.follow_clock(process);
  if (process.program_ != nullptr) process.program_->clock_changed();
}

// ---------------------------------------------------------------- threads

Thread& Scheduler::add_thread(Process& process, std::function<void()> body, bool foreground,
                              FiberPool& pool) {
  std::uint32_t slot = 0;
  if (!free_threads_.empty()) {
    slot = free_threads_.back();
    free_threads_.pop_back();
  } else {
    slot = static_cast<std::uint32_t>(threads_used_++);
  }
  Thread& thread = threads_.at_least(slot);
  thread.tag = 0;
  thread.interruptible_ = thread.interrupted_ = thread.gave_way_ = false;
  thread.role = {};
  thread.last_used_ = nullptr;
  thread.stack_hint_ = thread.switch_hint_ = nullptr;
  thread.fiber_ = nullptr;
  thread.pool_ = &pool;
  thread.process_ = &process;
  thread.hash_ = mixed(process.hash_ + ++process.threads_made_);
  thread.slot_ = slot;
  thread.id_ = ++last_thread_;
  thread.parked_ = true;
  thread.woken_ = true;
  thread.killed_ = thread.timed_ = thread.patient_ = false;
  thread.watched_ = kNever;
  thread.ignored_ = 0;
  thread.foreground_ = foreground;
  thread.body_ = std::move(body);
  thread.scheduler_ = this;
  // The list keeps the order of creation, so every walk over it has that order.
  thread.next_ = nullptr;
  thread.previous_ = process.threads_;
  if (process.threads_ == nullptr) {
    process.threads_ = &thread;
  } else {
    while (thread.previous_->next_ != nullptr) thread.previous_ = thread.previous_->next_;
    thread.previous_->next_ = &thread;
  }
  if (foreground) hold_open();
  crowded_ = threads_used_ > kCrowd;
  queue_.push(now_, EventKind::wake, slot, thread.ticket_);
  return thread;
}

void Scheduler::kill(Thread& thread) {
  if (thread.killed_) return;
  thread.killed_ = true;
  if (&thread == running_) return;
  thread.ticket_ = (thread.ticket_ + 1) & kTicketMask;
  queue_.push(now_, EventKind::wake, thread.slot_, thread.ticket_);
}

inline void Scheduler::block(Thread& me) {
  assert(std::uncaught_exceptions() == 0 && "a thread must not wait while an exception unwinds it");
  if (me.killed_) throw Killed{};  // the thread killed itself a moment ago
  me.parked_ = true;
  me.woken_ = false;
  if (crowded_) me.stack_hint_ = __builtin_frame_address(0);
  running_ = nullptr;
  Thread* next = advance();
  if (next != &me) FiberSwitch::from(*me.fiber_, next != nullptr ? fiber_of(*next) : nullptr);
  running_ = &me;
  me.parked_ = false;
  if (me.killed_) throw Killed{};
}

void Scheduler::park() {
  running_->timed_ = running_->patient_ = false;
  block(*running_);
}

bool Scheduler::park_patiently(std::int64_t monotonic_limit) {
  Thread& me = *running_;
  me.timed_ = me.patient_ = true;
  me.clock_ = ClockKind::monotonic;
  me.until_ = monotonic_limit;
  watch_patience(me);
  block(me);
  return me.woken_;
}

void Scheduler::watch_patience(Thread& thread) {
  const Instant due = thread.process_->clock_.when(thread.clock_, thread.until_, now_);
  if (thread.watched_ <= due) return;
  thread.watched_ = due;
  queue_.push(due, EventKind::patience, thread.slot_, 0);
}

// The event was armed for the earliest limit of the thread; the present limit may be later, or the
// wait may be over.
bool Scheduler::out_of_patience(Thread& thread, const Event& event) {
  if (thread.process_ == nullptr || nanoseconds(thread.watched_) > event.at) return false;
  thread.watched_ = kNever;
  if (!thread.parked_ || !thread.patient_ || thread.woken_ || thread.killed_) return false;
  if (thread.process_->clock_.when(thread.clock_, thread.until_, Instant(Duration(event.at))) >
      Instant(Duration(event.at))) {
    const Instant due =
        thread.process_->clock_.when(thread.clock_, thread.until_, Instant(Duration(event.at)));
    thread.watched_ = due;
    queue_.push(due, EventKind::patience, thread.slot_, 0);
    return false;
  }
  return true;
}

inline bool Scheduler::wait_until(ClockKind clock, std::int64_t local) {
  Thread& me = *running_;
  me.timed_ = true;
  me.patient_ = false;
  me.clock_ = clock;
  me.until_ = local;
  queue_.push(me.process_->clock_.when(clock, local, now_), EventKind::wake, me.slot_, me.ticket_);
  block(me);
  return me.woken_;
}

bool Scheduler::park_until(ClockKind clock, std::int64_t local) { return wait_until(clock, local); }

void Scheduler::sleep(Duration length) {
  const std::int64_t from = local_time(*running_->process_, ClockKind::monotonic);
  wait_until(ClockKind::monotonic, from + length.count());
}

void Scheduler::wake(Thread& thread) {
  if (!thread.parked_ || thread.woken_ || thread.killed_) return;
  thread.woken_ = true;
  // A thread that an event wakes runs at once, without an event of its own.
  if (running_ == nullptr && next_ == nullptr && thread.process_->pauses_ == 0) {
    thread.ticket_ = (thread.ticket_ + 1) & kTicketMask;
    next_ = &thread;
    return;
  }
  queue_.push(now_, EventKind::wake, thread.slot_, thread.ticket_);
}

void Scheduler::interrupt(Thread& thread) {
  thread.interrupted_ = true;
  if (thread.interruptible_) wake(thread);
}

void Scheduler::stand_still() {
  Thread& me = *running_;
  if (me.killed_) {
    if (std::uncaught_exceptions() > 0) return;
    throw Killed{};
  }
  // As if it were due now: the thread continues, in order, when its process resumes.
  me.timed_ = me.patient_ = false;
  queue_.push(now_, EventKind::wake, me.slot_, me.ticket_);
  block(me);
}

bool Scheduler::mute() const {
  // Enough calls for every destructor on the way out, but not for an endless loop.
  constexpr std::uint32_t kMostIgnored = 1000;
  if (std::uncaught_exceptions() > 0 || ++running_->ignored_ < kMostIgnored) return true;
  throw Killed{};
}

// ---------------------------------------------------------------- the run

// An exception that an event handler lets escape ends the run, and run() rethrows it. Thrown here,
// it would unwind the fiber that happens to be blocking, or escape from a fiber's body.
Thread* Scheduler::advance() noexcept {
  try {
    return next_thread();
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
    ending_ = true;
    return nullptr;
  }
}

// False: the next event, if there is one, is not due yet.
[[gnu::noinline]] bool Scheduler::keep_pace() {
  const Instant reached = pacer_->wait(queue_.empty() ? kNever : queue_.next());
  if (reached == kNever) return true;
  now_ = std::max(now_, reached);
  // Overdue events happen now, because no clock may go back.
  late_.clear();
  while (!queue_.empty() && queue_.next() <= now_) late_.push_back(queue_.pop());
  for (Event& event : late_) {
    event.at = nanoseconds(now_);
    queue_.push(event);
  }
  pacer_->take_in();
  return next_ == nullptr && !queue_.empty() && queue_.next() <= now_;
}

[[gnu::always_inline]] inline Thread* Scheduler::next_thread() {
  while (!ending_) {
    if (next_ != nullptr) {
      Thread* woken = next_;
      next_ = nullptr;
      return woken;
    }
    if (under_way_ == 0 || events_ >= event_limit_) break;
    if (pacer_ != nullptr && !keep_pace()) continue;
    if (queue_.empty()) break;
    const Event event = permuted_ ? queue_.pop_any(*permuted_) : queue_.pop();
    if (crowded_) fetch_ahead();
    // A branch separates the two frequent kinds, because it is predicted better than a jump through
    // a table.
    if (event.kind() == EventKind::deliver) {
      count(event, network_->mark(event.target()));
      network_->deliver(event.target(), event);
      continue;
    }
    switch (event.kind()) {
      case EventKind::wake: {
        Thread& thread = threads_[event.target()];
        if (thread.ticket_ != event.ticket()) continue;
        count(event, thread.hash_);
        if (thread.process_->pauses_ > 0 && !thread.killed_) {
          defer(*thread.process_, event);
          continue;
        }
        thread.ticket_ = (thread.ticket_ + 1) & kTicketMask;
        return &thread;
      }
      case EventKind::patience: {
        Thread& thread = threads_[event.target()];
        if (!out_of_patience(thread, event)) continue;
        count(event, thread.hash_);
        if (thread.process_->pauses_ > 0) {
          defer(*thread.process_, Event(0, EventKind::wake, thread.slot_, thread.ticket_));
          continue;
        }
        thread.ticket_ = (thread.ticket_ + 1) & kTicketMask;
        return &thread;
      }
      case EventKind::deliver:
        continue;
      case EventKind::send:
        count(event, 2);
        network_->send_kept(event.target(), event);
        continue;
      case EventKind::timer: {
        Timer* const timer = timers_.fired_by(event);
        if (timer == nullptr) continue;
        const Process* const owner = timer->owner_;
        if (owner != nullptr && owner->pauses_ > 0) {
          count(event, 3);
          defer(*timer->owner_, event);
          continue;
        }
        timer->armed_ = false;
        if (owner != nullptr && owner->down_) continue;
        count(event, 3 ^ (owner != nullptr ? owner->hash_ : 0));
        timer->fire_(timer->self_, timer->argument_);
        continue;
      }
    }
  }
  ending_ = true;
  return nullptr;
}

// With thousands of threads nearly everything that an event touches is out of the cache. It is
// fetched in three steps while other events run; each step follows pointers that the step before
// has fetched.
void Scheduler::fetch_ahead() {
  constexpr std::size_t kSecond = 7;
  constexpr std::size_t kThird = 3;
  const std::size_t waiting = queue_.in_window();
  if (waiting <= kSecond) return;
  const Event& newest = queue_.peek(waiting - 1);
  if (newest.kind() == EventKind::deliver) {
    network_->fetch(newest.target());
  } else if (newest.kind() == EventKind::wake) {
    fetch_thread(newest.target());
  }
  const Event& second = queue_.peek(kSecond);
  if (second.kind() == EventKind::deliver) {
    if (const std::uint32_t waiter = network_->fetch_connection(second.target()))
      fetch_thread(waiter - 1);
  } else if (second.kind() == EventKind::wake) {
    const Thread& thread = threads_[second.target()];
    prefetch(thread.process_);
    network_->fetch_connection(thread.last_used_);
  }
  const Event& third = queue_.peek(kThird);
  if (third.kind() == EventKind::deliver) {
    if (const std::uint32_t waiter = network_->fetch_receiver(third.target()))
      fetch_fiber(threads_[waiter - 1]);
  } else if (third.kind() == EventKind::wake) {
    const Thread& thread = threads_[third.target()];
    network_->fetch_client(thread.last_used_);
    fetch_fiber(thread);
  }
}

void Scheduler::fetch_thread(std::uint32_t slot) const {
  const char* thread = reinterpret_cast<const char*>(&threads_[slot]);
  prefetch(thread);
  prefetch(thread + 64);
}

// Fetches the memory that a switch to the thread reads, and the part of its stack that it uses
// until it waits again.
void Scheduler::fetch_fiber(const Thread& thread) const {
  constexpr std::ptrdiff_t kLine = 64;
  if (thread.stack_hint_ == nullptr) return;
  prefetch(thread.fiber_);
  prefetch(thread.switch_hint_);
  const char* stack = static_cast<const char*>(thread.stack_hint_);
  for (std::ptrdiff_t line = 1; line <= 9; ++line) prefetch(stack - line * kLine);
}

Fiber* Scheduler::fiber_of(Thread& thread) {
  if (thread.fiber_ == nullptr) {
    thread.fiber_ = thread.pool_->take();
    thread.fiber_->assign(&Scheduler::run_body, &thread);
    thread.switch_hint_ = FiberSwitch::touches(*thread.fiber_);
  }
  return thread.fiber_;
}

void Scheduler::run_body(void* argument) {
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
  self.finish(thread);
}

void Scheduler::finish(Thread& thread) {
  running_ = nullptr;
  thread.body_ = nullptr;
  thread.fiber_ = nullptr;
  thread.ticket_ = (thread.ticket_ + 1) & kTicketMask;
  (thread.previous_ != nullptr ? thread.previous_->next_ : thread.process_->threads_) =
      thread.next_;
  if (thread.next_ != nullptr) thread.next_->previous_ = thread.previous_;
  free_threads_.push_back(thread.slot_);
  if (thread.foreground_) let_go();
  thread.process_ = nullptr;
}

Fiber* Scheduler::after_body(Fiber&) {
  Thread* next = advance();
  return next != nullptr ? fiber_of(*next) : nullptr;
}

void Scheduler::run() {
  if (Thread* first = advance()) FiberPool::switch_to(nullptr, fiber_of(*first));
  ending_ = true;
  next_ = nullptr;
  for (std::size_t slot = 0; slot < threads_used_; ++slot) {
    Thread& thread = threads_[slot];
    if (thread.process_ == nullptr) continue;
    thread.killed_ = true;
    if (thread.fiber_ != nullptr) {
      FiberPool::switch_to(nullptr, thread.fiber_);
    } else {
      finish(thread);
    }
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace picklock::sim
