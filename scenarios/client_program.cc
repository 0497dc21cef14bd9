#include "scenarios/client_program.h"

#include <algorithm>

namespace picklock::scenarios {

using models::Role;
using sim::What;

void ClientProgram::reset(models::ClientMachine& machine, const models::Algorithm& algorithm,
                          const Scenario& scenario, models::Tenures& tenures,
                          Duration first_arrival, sim::Instant& busy_until) {
  machine_ = &machine;
  algorithm_ = &algorithm;
  scenario_ = &scenario;
  tenures_ = &tenures;
  first_arrival_ = first_arrival;
  busy_until_ = &busy_until;
  machine.process().set_program(this);
}

void ClientProgram::start(sim::Keeps) {
  const bool first = machine_->process().incarnation() == 0;
  machine_->simulation().scheduler.spawn(
      machine_->process(), [this, first] { live(first); }, true);
}

void ClientProgram::live(bool first) {
  models::SimClient self(*machine_);
  const std::unique_ptr<models::Lock> lock = algorithm_->make(scenario_->lock.options);
  if (first && first_arrival_ > Duration::zero()) self.sleep(first_arrival_);
  for (std::uint32_t i = 0; i < scenario_->clients.cycles; ++i) {
    if (i > 0 && scenario_->clients.think > Duration::zero()) self.sleep(scenario_->clients.think);
    cycle(self, *lock);
  }
}

void ClientProgram::cycle(models::SimClient& self, models::Lock& lock) {
  thread().tenure = tenures_->begin();
  thread().role = static_cast<std::uint8_t>(Role::acquire);
  busy_for(Duration::zero());
  self.note(What::acquire_invoked);
  const models::Acquired acquired = lock.acquire(self, scenario_->lock.key);
  if (!acquired) {
    self.note(acquired.is_unknown() ? What::acquire_unknown : What::acquire_failed);
    thread().tenure = 0;
    thread().role = 0;
    return;
  }
  self.note(What::acquire_ok);
  tenures_->settle(thread().tenure);
  busy_for(scenario_->clients.hold);
  work(self);
  thread().role = static_cast<std::uint8_t>(Role::release);
  self.note(What::release_invoked);
  switch (lock.release(self, acquired.lease())) {
    case models::Released::ok:
      self.note(What::release_ok);
      break;
    case models::Released::not_held:
      self.note(What::release_failed);
      break;
    case models::Released::unknown:
      self.note(What::release_unknown);
      break;
  }
  thread().tenure = 0;
  thread().role = 0;
}

void ClientProgram::busy_for(Duration length) {
  *busy_until_ = std::max(*busy_until_, machine_->simulation().now() + length);
}

// With one write it is the section's last act; with more, the first opens it and they are evenly
// spread.
void ClientProgram::work(models::SimClient& self) {
  const std::uint32_t writes = scenario_->clients.writes;
  const Duration hold = scenario_->clients.hold;
  thread().role = static_cast<std::uint8_t>(Role::write);
  if (writes <= 1) {
    self.sleep(hold);
    if (writes == 1) machine_->resource().write(1);
    return;
  }
  const Duration gap = hold / static_cast<std::int64_t>(writes - 1);
  for (std::uint32_t i = 1; i <= writes; ++i) {
    machine_->resource().write(i);
    if (i < writes) self.sleep(gap);
  }
}

}  // namespace picklock::scenarios
