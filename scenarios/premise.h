// Premises of promises, judged: a promise is broken only by a run in which its premise was kept. A
// lock that is promised for sections within the lease has broken nothing where a section outlasted
// it.
#pragma once

#include <string_view>

#include "scenarios/scenario.h"
#include "sim/history.h"

namespace picklock::scenarios {

// Whether there is a judge for it, by its words (Promise). One without is taken for kept.
bool is_judged(std::string_view premise);

// Whether the run of the scenario with this history kept it.
bool was_kept(std::string_view premise, const Scenario& scenario, const sim::History& history);

}  // namespace picklock::scenarios
