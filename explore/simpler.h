// Single steps that make a scenario simpler: one fault, client, server, cycle or nested acquire
// less; one condition less on a trigger; a rounder or shorter duration or time. A scenario is
// 1-minimal for a violation if no single step keeps it (architecture "Witness").
#pragma once

#include <functional>
#include <vector>

#include "scenarios/scenario.h"

namespace picklock::explore {

// Changes the scenario that it was made for. False: the step cannot be taken, and the scenario may
// be half changed.
using Simplification = std::function<bool(scenarios::Scenario& scenario)>;

// All simplifications; those that remove most come first.
std::vector<Simplification> simplifications(const scenarios::Scenario& scenario);

// Durations that are rounder, or one grain shorter, the simplest first. The sign is kept, and none
// is 0.
std::vector<sim::Duration> simpler(sim::Duration duration);

}  // namespace picklock::explore
