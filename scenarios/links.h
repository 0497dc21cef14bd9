// The network of a scenario on a simulation.
#pragma once

#include "scenarios/scenario.h"
#include "sim/simulation.h"

namespace picklock::scenarios {

// Call this once the processes have been added. Throws std::invalid_argument if a link names a
// process that is not there.
void set_links(sim::Simulation& simulation, const Network& network);

}  // namespace picklock::scenarios
