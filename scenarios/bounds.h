// How long a scenario's lock may take, as its parts allow themselves: what properties and the end
// of a run are measured by.
#pragma once

#include "scenarios/scenario.h"

namespace picklock::scenarios {

// Until an acquire has a lock that is free, whatever its servers have just gone through.
Duration acquire_bound(const Scenario& scenario);

// Until a lock whose holder has crashed is somebody else's, if nothing else goes wrong
// (docs/facts/algorithms.md, section 10). The scenario has an algorithm, as for all here.
Duration recovery_bound(const Scenario& scenario);

// From the last disturbance to the horizon: three times what a recovery may take, with every server
// that may fail in it.
Duration patience(const Scenario& scenario);

}  // namespace picklock::scenarios
