// Adds one run to the measures of its cell, beside its verdicts: the time to a grant, of a handover
// and of a recovery from a crash, and the messages.
#pragma once

#include "compare/measures.h"
#include "history/history.h"
#include "sim/trace.h"

namespace picklock::compare {

// Counts requests and grants, in runs without nested acquires. `undisturbed`: the price as
// well. `one_crash`: nothing but the crash of one client happens.
void observe(const history::History& history, bool undisturbed, bool one_crash, Measures& measures);

// Counts the messages between the first `clients` processes and the lock's servers: all processes
// but the resource.
void observe_messages(const history::History& history, const sim::Trace& trace,
                      sim::ProcessId clients, const std::vector<bool>& resources, Price& price);

}  // namespace picklock::compare
