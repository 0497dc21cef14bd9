#include "models/redis/pause_gate.h"

#include <algorithm>
#include <utility>

#include "models/redis/command_loop.h"
#include "models/redis/direct_commands.h"
#include "models/redis/executor.h"

namespace picklock::redis {

void PauseGate::reset() {
  has_timer_ = false;
  halted();
}

void PauseGate::clock_changed() {
  if (open()) return;
  await_end();
  if (executor_.answering() == nullptr) look_at_clock();
}

bool PauseGate::is_over() const { return keys_.clock_ms() > until_ms_; }

void PauseGate::look_at_clock() {
  if (!open() && is_over()) end();
}

void PauseGate::pause(std::int64_t until_ms, Pause what) {
  if (open() && until_ms < keys_.clock_ms()) return;
  if (open()) until_ms_ = until_ms;
  until_ms_ = std::max(until_ms_, until_ms);
  held_back_ = std::max(held_back_, what);
  keys_.hold_expiry(true);
  if (!std::exchange(has_timer_, true)) {
    timer_ =
        service_.simulation().scheduler.add_timer(&service_.process(), &PauseGate::on_end, this, 0);
  }
  await_end();
}

// The server looks at it ten times a second (R107).
void PauseGate::await_end() {
  sim::Scheduler& scheduler = service_.simulation().scheduler;
  const sim::LocalClock& clock = service_.process().clock();
  constexpr std::int64_t kLast = INT64_MAX / 1'000'000 - 1;
  if (until_ms_ >= kLast) return;
  const sim::Instant over =
      clock.when(sim::ClockKind::wall, (until_ms_ + 1) * 1'000'000, scheduler.now());
  if (over == sim::kNever) return;
  const std::int64_t local =
      clock.read(sim::ClockKind::monotonic, std::max(over, scheduler.now() + sim::Duration(1)));
  scheduler.arm_on(timer_, sim::ClockKind::monotonic, keys_.next_cycle(local));
}

void PauseGate::on_end(void* self, std::uint32_t) {
  auto& gate = *static_cast<PauseGate*>(self);
  if (!gate.open() && (gate.loop_.occupied() || !gate.is_over())) {
    gate.await_end();
  } else {
    gate.end();
  }
}

void PauseGate::unpause() {
  if (open()) return;
  held_back_ = Pause::none;
  keys_.hold_expiry(false);
  release_later();
}

void PauseGate::release_later() {
  sim::Scheduler& scheduler = service_.simulation().scheduler;
  scheduler.arm(timer_, scheduler.now());
}

void PauseGate::end() {
  held_back_ = Pause::none;
  keys_.hold_expiry(false);
  loop_.release_held();
  direct_.release();
}

}  // namespace picklock::redis
