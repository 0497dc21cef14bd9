// What one run adds to the measures of its cell, beside its verdicts: how long it took to be
// granted, to be handed the lock, or to come back from a crash, and what was sent for it.
#pragma once

#include "explore/compare/measures.h"
#include "sim/history.h"
#include "sim/trace.h"

namespace picklock::compare {

// Who asked, and who was granted; in runs without nested acquires. `undisturbed`: the price as
// well. `one_crash`: nothing but the crash of one client happens.
void observe(const sim::History& history, bool undisturbed, bool one_crash, Measures& measures);

// What was sent between the first `clients` processes and the lock's servers: anybody but the
// resource.
void observe_messages(const sim::History& history, const sim::Trace& trace, sim::ProcessId clients,
                      sim::ProcessId resource, Price& price);

}  // namespace picklock::compare
