// Judges the premises of promises: only a run that kept the premise can break the promise. A lock
// that promises safety for sections within the lease has broken nothing if a section outlasted its
// lease.
#pragma once

#include <string_view>
#include <vector>

#include "history/history.h"
#include "scenarios/promises.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

// Whether there is a judge for each clause of a premise (Promise). A clause without a judge counts
// as kept, and so do those behind it.
bool is_judged(std::string_view premise);
std::vector<std::string_view> judged_clauses();

// The first part of the premise that the run of the scenario with this history did not keep, in the
// premise's own words; empty: the run kept all of it. Every promise also requires that nothing but
// the lock's commands sets its key: a client that writes into the key breaks it.
std::string_view part_not_kept(std::string_view premise, const Scenario& scenario,
                               const history::History& history);
bool was_kept(std::string_view premise, const Scenario& scenario, const history::History& history);

// Whether a violation in this run counts: the lock promised the property and the run kept the
// premise; or a lock that no user has forced breaks exclusion in a run without faults.
bool answers_for(const Promised& promised, const Scenario& scenario,
                 const history::History& history);

// Says of the promise what the run made of it, and names what the run did not keep.
void judge_premise(Promised& promised, const Scenario& scenario, const history::History& history);

}  // namespace picklock::scenarios
