#include "scenarios/client_program.h"

#include <algorithm>

#include "models/fencing.h"

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
  const std::unique_ptr<models::Lock> lock = algorithm_->make(lock_options(*scenario_));
  if (first && first_arrival_ > Duration::zero()) self.sleep(first_arrival_);
  for (std::uint32_t i = 0; i < scenario_->clients.cycles; ++i) {
    if (i > 0 && scenario_->clients.think > Duration::zero()) self.sleep(scenario_->clients.think);
    cycle(self, *lock);
  }
}

void ClientProgram::cycle(models::SimClient& self, models::Lock& lock) {
  thread().tenure = tenures_->begin();
  const models::Acquired acquired = acquire(self, lock);
  if (acquired) {
    tenures_->settle(thread().tenure);
    work(self, lock, acquired.lease());
    release(self, lock, acquired.lease());
  }
  thread().tenure = 0;
  play(Role::none);
}

models::Acquired ClientProgram::acquire(models::SimClient& self, models::Lock& lock) {
  play(Role::acquire);
  busy_for(Duration::zero());
  self.note(What::acquire_invoked);
  models::Acquired acquired = lock.acquire(self, scenario_->lock.key);
  self.note(acquired                ? What::acquire_ok
            : acquired.is_unknown() ? What::acquire_unknown
                                    : What::acquire_failed);
  if (acquired) busy_for(scenario_->clients.hold);
  return acquired;
}

void ClientProgram::release(models::SimClient& self, models::Lock& lock,
                            const models::Lease& lease) {
  play(Role::release);
  self.note(What::release_invoked);
  switch (lock.release(self, lease)) {
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
}

void ClientProgram::busy_for(Duration length) {
  *busy_until_ = std::max(*busy_until_, machine_->simulation().now() + length);
}

// With one write it is the section's last act; with more, the first opens it and they are evenly
// spread.
void ClientProgram::work(models::SimClient& self, models::Lock& lock, const models::Lease& lease) {
  const std::uint32_t writes = scenario_->clients.writes;
  const Duration hold = scenario_->clients.hold;
  std::int64_t token = lease.fence;
  play(Role::write);
  if (scenario_->servers.resource.fencing == Fencing::after) {
    token = models::fetch_fencing_token(self, scenario_->lock.key);
    if (token == 0) return;  // nothing may be written without one
  }
  if (writes > 1) write(self, lock, lease, 1, token);
  open_section(self, lock);
  if (writes <= 1) {
    self.sleep(hold);
    if (writes == 1) write(self, lock, lease, 1, token);
    return;
  }
  const Duration gap = hold / static_cast<std::int64_t>(writes - 1);
  for (std::uint32_t i = 2; i <= writes; ++i) {
    self.sleep(gap);
    write(self, lock, lease, i, token);
  }
}

// What a holder does to its own lock before it goes on with its work.
void ClientProgram::open_section(models::SimClient& self, models::Lock& lock) {
  const ClientsSpec& clients = scenario_->clients;
  if (clients.nested) {
    const models::Acquired again = acquire(self, lock);
    if (again) release(self, lock, again.lease());
  }
  if (clients.progress != Progress::none) {
    play(Role::write);
    machine_->redis(0).set(scenario_->lock.key, "half-done",
                           {.keepttl = clients.progress == Progress::set_keepttl});
  }
}

// Who has learned that the lock is lost changes nothing any more.
void ClientProgram::write(models::SimClient& self, models::Lock& lock, const models::Lease& lease,
                          std::uint32_t number, std::int64_t token) {
  if (machine_->has_lost(thread().tenure)) return;
  // Who writes first of all has just been told.
  const bool first = number == 1 && scenario_->clients.writes > 1;
  if (scenario_->clients.check_before_write && !first) {
    play(Role::check);
    const models::Held held = lock.look(self, lease);
    if (held == models::Held::no) self.lost(lease);
    if (held != models::Held::yes) return;
  }
  play(Role::write);
  machine_->resource().write(number, token);
}

}  // namespace picklock::scenarios
