// A simulation whose history is recorded. Every world that models run in is one.
#pragma once

#include "history/recorder.h"
#include "sim/simulation.h"

namespace picklock::history {

struct RecordedSimulation : sim::Simulation {
  explicit RecordedSimulation(std::size_t stack_size = sim::FiberPool::kDefaultStack)
      : sim::Simulation(stack_size) {
    scheduler.record().set_observer(&recorder);
  }

  Recorder recorder{scheduler};
};

}  // namespace picklock::history
