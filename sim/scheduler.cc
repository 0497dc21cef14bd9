#include "sim/scheduler.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/fetch_ahead.h"
#include "sim/fiber_switch.h"
#include "sim/network.h"
#include "sim/pacer.h"

namespace picklock::sim {

Scheduler::Scheduler(std::size_t stack_size) : threads_(*this, stack_size) {}

Scheduler::~Scheduler() = default;

void Scheduler::reset(std::uint64_t seed, bool tracing) {
  queue_.clear();
  now_ = {};
  running_ = next_ = nullptr;
  under_way_ = 0;
  event_limit_ = ~0ull;
  ending_ = false;
  pacer_ = nullptr;
  permuted_.reset();
  record_.reset(seed, tracing);
  threads_.reset();
  processes_.reset();
  timers_.reset();
  failure_ = nullptr;
}

// ---------------------------------------------------------------- waits

inline void Scheduler::block(Thread& me) {
  assert(std::uncaught_exceptions() == 0 && "a thread must not wait while an exception unwinds it");
  if (me.killed_) throw Killed{};  // the thread killed itself a moment ago
  me.parked_ = true;
  me.woken_ = false;
  if (threads_.crowded_) me.stack_hint_ = __builtin_frame_address(0);
  running_ = nullptr;
  Thread* next = advance();
  if (next != &me)
    FiberSwitch::from(*me.fiber_, next != nullptr ? threads_.fiber_of(*next) : nullptr);
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
  threads_.watch_patience(me);
  block(me);
  return me.woken_;
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
  // Overdue events happen now, because no clock may go back. Events of this instant follow them.
  if (!queue_.empty() && queue_.next() < now_) {
    late_.clear();
    while (!queue_.empty() && queue_.next() <= now_) late_.push_back(queue_.pop());
    for (Event& event : late_) {
      event.at = nanoseconds(now_);
      queue_.push(event);
    }
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
    if (under_way_ == 0 || out_of_events()) break;
    if (pacer_ != nullptr && !keep_pace()) continue;
    if (queue_.empty()) break;
    const Event event = permuted_ ? queue_.pop_any(*permuted_) : queue_.pop();
    if (threads_.crowded_) FetchAhead(queue_, threads_, *network_).step();
    // A branch separates the two frequent kinds, because it is predicted better than a jump through
    // a table.
    if (event.kind() == EventKind::deliver) {
      count(event, network_->mark(event.target()));
      network_->deliver(event.target(), event);
      continue;
    }
    switch (event.kind()) {
      case EventKind::wake: {
        Thread& thread = threads_.threads_[event.target()];
        if (thread.ticket_ != event.ticket()) continue;
        count(event, thread.hash_);
        if (thread.process_->pauses_ > 0 && !thread.killed_) {
          thread.process_->defer(event);
          continue;
        }
        thread.ticket_ = (thread.ticket_ + 1) & kTicketMask;
        return &thread;
      }
      case EventKind::patience: {
        Thread& thread = threads_.threads_[event.target()];
        if (!threads_.out_of_patience(thread, event)) continue;
        count(event, thread.hash_);
        if (thread.process_->pauses_ > 0) {
          thread.process_->defer(Event(0, EventKind::wake, thread.slot_, thread.ticket_));
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
          timer->owner_->defer(event);
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

Fiber* Scheduler::after_body(Fiber&) {
  Thread* next = advance();
  return next != nullptr ? threads_.fiber_of(*next) : nullptr;
}

void Scheduler::run() {
  if (Thread* first = advance()) FiberPool::switch_to(nullptr, threads_.fiber_of(*first));
  ending_ = true;
  next_ = nullptr;
  threads_.unwind_all();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace picklock::sim
