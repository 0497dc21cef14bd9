// Judges the premises of promises: only a run that kept the premise can break the promise. A lock
// that promises safety for sections within the lease has broken nothing if a section outlasted its
// lease.
#pragma once

#include <string_view>

#include "history/history.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

// Whether there is a judge for the premise with these words (Promise). A premise without a judge
// counts as kept.
bool is_judged(std::string_view premise);

// Whether the run of the scenario with this history kept the premise.
bool was_kept(std::string_view premise, const Scenario& scenario, const history::History& history);

}  // namespace picklock::scenarios
