// The program of a scenario's coordinator: it frees the locks of holders that are gone, for as long
// as it runs.
#pragma once

#include "models/client/sim_client.h"
#include "scenarios/scenario.h"
#include "sim/process.h"

namespace picklock::scenarios {

class CoordinatorProgram final : public sim::Program {
 public:
  // The machine must outlive the run.
  void reset(models::ClientMachine& machine, const Scenario& scenario);

  void start(sim::Keeps keeps) override;
  void halted() override { machine_->forget(); }
  void clock_changed() override { machine_->clock_changed(); }

 private:
  void coordinate();

  models::ClientMachine* machine_ = nullptr;
  const Scenario* scenario_ = nullptr;
};

}  // namespace picklock::scenarios
