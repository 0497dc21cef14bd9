#include "scenarios/coordinator_program.h"

#include "models/locks/zookeeper/coordinator.h"

namespace picklock::scenarios {

using models::locks::zookeeper::Coordinator;

void CoordinatorProgram::reset(models::ClientMachine& machine, const Scenario& scenario) {
  machine_ = &machine;
  scenario_ = &scenario;
  machine.process().set_program(this);
}

void CoordinatorProgram::start(sim::Keeps) {
  machine_->simulation().scheduler.spawn(
      machine_->process(), [this] { coordinate(); }, true);
  machine_->started();
}

void CoordinatorProgram::coordinate() {
  const Fencing fencing = scenario_->servers.resource.fencing;
  const Coordinator::Revokes revokes =
      fencing == Fencing::revoke        ? Coordinator::Revokes::before_freeing
      : fencing == Fencing::revoke_late ? Coordinator::Revokes::after_freeing
                                        : Coordinator::Revokes::never;
  models::SimClient self(*machine_);
  Coordinator(scenario_->lock.key, revokes, [this](std::string_view holder) {
    return machine_->resource().close(holder);
  }).run(self);
}

}  // namespace picklock::scenarios
