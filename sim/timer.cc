#include "sim/timer.h"

#include <algorithm>

#include "sim/scheduler.h"

namespace picklock::sim {

void Timer::bind_to(Scheduler& scheduler, Process* owner, void* self, std::uint32_t argument,
                    void (*fire)(void*, std::uint32_t)) {
  leave();
  timers_ = &scheduler.timers();
  owner_ = owner;
  fire_ = fire;
  self_ = self;
  argument_ = argument;
}

void Timer::join() {
  if (place_ != kNowhere) return;
  place_ = static_cast<std::uint32_t>(timers_->joined_.size());
  timers_->joined_.push_back(this);
  ticket_ = 0;
  watched_ = kNever;
}

void Timer::leave() {
  armed_ = false;
  if (place_ == kNowhere) return;
  timers_->joined_[place_] = nullptr;
  place_ = kNowhere;
}

void Timer::arm(Instant at) {
  join();
  at_ = std::max(at, timers_->now_);
  armed_ = true;
  on_clock_ = false;
  watch();
}

void Timer::arm_on(ClockKind clock, std::int64_t local) {
  arm(owner_->clock().when(clock, local, timers_->now_));
  on_clock_ = true;
  clock_ = clock;
  until_ = local;
}

// A timer that is postponed keeps its event, which is pushed again when it comes too early. Most
// timers are postponed or disarmed again and again, and void events would crowd the queue.
void Timer::watch() {
  if (watched_ <= at_) return;
  watched_ = at_;
  ticket_ = (ticket_ + 1) & kTicketMask;
  timers_->queue_.push(at_, EventKind::timer, place_, ticket_);
}

void Timers::reset() {
  for (Timer* const timer : joined_) {
    if (timer == nullptr) continue;
    timer->armed_ = false;
    timer->place_ = Timer::kNowhere;
  }
  joined_.clear();
}

void Timers::disarm_all(const Process& owner) {
  for (Timer* const timer : joined_) {
    if (timer != nullptr && timer->owner_ == &owner) timer->disarm();
  }
}

void Timers::follow_clock(const Process& owner) {
  for (Timer* const timer : joined_) {
    if (timer != nullptr && timer->armed_ && timer->on_clock_ && timer->owner_ == &owner)
      timer->arm_on(timer->clock_, timer->until_);
  }
}

bool Timers::fires(Timer& timer, const Event& event) {
  if (timer.ticket_ != event.ticket()) return false;
  timer.watched_ = kNever;
  if (!timer.armed_) return false;
  if (nanoseconds(timer.at_) <= event.at) return true;
  timer.watch();
  return false;
}

}  // namespace picklock::sim
