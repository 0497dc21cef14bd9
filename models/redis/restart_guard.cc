#include "models/redis/restart_guard.h"

namespace picklock::redis {

// The timer is no process's: that of the server is down.
void RestartGuard::reset(sim::Simulation& simulation, sim::Process& process) {
  simulation_ = &simulation;
  process_ = &process;
  delay_ = {};
  timer_.bind<&RestartGuard::on_end>(simulation.scheduler, nullptr, *this);
  waiting_ = over_ = false;
}

// A restart during the wait begins the wait anew.
bool RestartGuard::holds_back(sim::Keeps keeps) {
  if (over_ || delay_.length == sim::Duration::zero()) return false;
  waiting_ = true;
  keeps_ = keeps;
  until_ = simulation_->scheduler.local_time(*process_, delay_.clock) + delay_.length.count();
  await();
  return true;
}

void RestartGuard::clock_changed() {
  if (waiting_) await();
}

void RestartGuard::await() {
  timer_.disarm();
  const sim::Instant end = process_->clock().when(delay_.clock, until_, simulation_->now());
  if (end != sim::kNever) timer_.arm(end);
}

void RestartGuard::on_end() {
  waiting_ = false;
  over_ = true;
  simulation_->scheduler.processes().restart(*process_, keeps_);
  over_ = false;
}

}  // namespace picklock::redis
