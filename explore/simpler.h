// Single steps that make a scenario simpler: one fault, client, server, cycle or nested acquire
// less; one condition less on a trigger; a rounder or shorter duration or time. A scenario is
// 1-minimal for a violation if no single step keeps it (architecture "Witness").
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
