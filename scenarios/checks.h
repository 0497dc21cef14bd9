// What the keys of a scenario may be together: names of processes, what a verb has a use for, steps
// that the algorithm really has. A plan that passes can fire; whether it does is seen when it runs.
#pragma once

#include "scenarios/scenario.h"
#include "scenarios/value.h"
#include "scenarios/vocabulary.h"

namespace picklock::scenarios {

// `root` is what `scenario` was read from. Resolves the steps of its triggers, and of its
// neighbours'.
void check(const Value& root, Scenario& scenario, const Vocabulary& vocabulary);

}  // namespace picklock::scenarios
