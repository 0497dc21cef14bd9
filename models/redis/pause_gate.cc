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

bool PauseGate::is_over() const { return keys_.clock().ms() > until_ms_; }

void PauseGate::look_at_clock() {
  if (!open() && is_over()) end();
}

void PauseGate::pause(std::int64_t until_ms, Pause what) {
  if (open() && until_ms < keys_.clock().ms()) return;
  if (open()) until_ms_ = until_ms;
  until_ms_ = std::max(until_ms_, until_ms);
  held_back_ = std::max(held_back_, what);
  keys_.cycle().hold_expiry(true);
  timer_.join();
  await_end();
}

// The server looks at it ten times a second (R107).
void PauseGate::await_end() {
  const sim::Instant over = keys_.clock().passes(until_ms_);
  if (over == sim::kNever) return;
  timer_.arm_on(sim::ClockKind::monotonic, keys_.cycle().next_from(over));
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
  keys_.cycle().hold_expiry(false);
  release_later();
}

void PauseGate::release_later() { timer_.arm(service_.simulation().now()); }

void PauseGate::end() {
  held_back_ = Pause::none;
  keys_.cycle().hold_expiry(false);
  loop_.release_held();
  direct_.release();
}

}  // namespace picklock::redis
