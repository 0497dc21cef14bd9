#include "scenarios/coordinator_program.h"

#include "models/client/coordination.h"
#include "models/servers/kind.h"

namespace picklock::scenarios {

using models::Revokes;

void CoordinatorProgram::reset(models::ClientMachine& machine, const Scenario& scenario) {
  machine_ = &machine;
  scenario_ = &scenario;
  machine.process().set_program(this);
}

void CoordinatorProgram::start(sim::Keeps) {
  machine_->simulation().scheduler.threads().spawn(
      machine_->process(), [this] { coordinate(); }, true);
  machine_->started();
}

void CoordinatorProgram::coordinate() {
  const Fencing fencing = scenario_->servers.resource.fencing;
  const Revokes revokes = fencing == Fencing::revoke        ? Revokes::before_freeing
                          : fencing == Fencing::revoke_late ? Revokes::after_freeing
                                                            : Revokes::never;
  models::SimClient self(*machine_);
  lock_server(*scenario_)
      .coordinate(self, {.key = scenario_->lock.key,
                         .revokes = revokes,
                         .revoke = [this](std::string_view holder) {
                           return machine_->resource().close(holder);
                         }});
}

}  // namespace picklock::scenarios
