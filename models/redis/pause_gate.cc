#include "models/redis/pause_gate.h"

#include <algorithm>

#include "models/redis/command_loop.h"
#include "models/redis/direct_commands.h"
#include "models/redis/executor.h"

namespace picklock::redis {

void PauseGate::reset() {
  timer_.bind<&PauseGate::on_end>(service_.simulation().scheduler, &service_.process(), *this);
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
  timer_.join();
  await_end();
}

// The server looks at it ten times a second (R107).
void PauseGate::await_end() {
  const sim::Instant now = service_.simulation().now();
  const sim::LocalClock& clock = service_.process().clock();
  constexpr std::int64_t kLast = INT64_MAX / 1'000'000 - 1;
  if (until_ms_ >= kLast) return;
  const sim::Instant over = clock.when(sim::ClockKind::wall, (until_ms_ + 1) * 1'000'000, now);
  if (over == sim::kNever) return;
  const std::int64_t local =
      clock.read(sim::ClockKind::monotonic, std::max(over, now + sim::Duration(1)));
  timer_.arm_on(sim::ClockKind::monotonic, keys_.next_cycle(local));
}

void PauseGate::on_end() {
  if (!open() && (loop_.occupied() || !is_over())) {
    await_end();
  } else {
    end();
  }
}

void PauseGate::unpause() {
  if (open()) return;
  held_back_ = Pause::none;
  keys_.hold_expiry(false);
  release_later();
}

void PauseGate::release_later() { timer_.arm(service_.simulation().now()); }

void PauseGate::end() {
  held_back_ = Pause::none;
  keys_.hold_expiry(false);
  loop_.release_held();
  direct_.release();
}

}  // namespace picklock::redis
