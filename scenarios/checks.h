// Checks of a scenario's keys against each other: names of processes, keys that a verb takes, steps
// that the algorithm has. A plan that passes can fire; only the run shows whether it does.
#pragma once

#include "keys/value.h"
#include "scenarios/scenario.h"
#include "scenarios/vocabulary.h"

namespace picklock::scenarios {

// `scenario` was read from `root`. Resolves the steps of the triggers of its faults and neighbors.
void check(const keys::Value& root, Scenario& scenario, const Vocabulary& vocabulary);

// The parts of it that have a source of their own.
void check_faults(const keys::Value& root, Scenario& scenario, const Vocabulary& vocabulary);
void check_fencing(const keys::Value& root, const Scenario& scenario, const AlgorithmWords& words);

}  // namespace picklock::scenarios
