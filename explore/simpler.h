// What it means for the story of a scenario to be simpler, one step at a time: a fault, a client, a
// server, a cycle or a nested acquire less; a condition less on a trigger; a duration or a time
// that is rounder or shorter. A scenario is 1-minimal for a violation if no single step keeps it
// (architecture 8.13).
#pragma once

#include <functional>
#include <vector>

#include "scenarios/scenario.h"

namespace picklock::explore {

// Changes the scenario that it was made for. False: the step cannot be taken, whatever it has left
// behind.
using Simplification = std::function<bool(scenarios::Scenario& scenario)>;

// Every one, those first that take most away.
std::vector<Simplification> simplifications(const scenarios::Scenario& scenario);

// Rounder, or one grain shorter: the simplest first. A sign is kept, and so is that it is not 0.
std::vector<sim::Duration> simpler(sim::Duration duration);

}  // namespace picklock::explore
