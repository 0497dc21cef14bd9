// Bounds on the times that a scenario's lock may take, computed from its parts. Properties and the
// end of a run are measured by them.
#pragma once

#include <string_view>

#include "scenarios/scenario.h"

namespace picklock::scenarios {

// Longest time until an acquire gets a free lock, whatever its servers have just gone through; 0:
// the pauses of its class are unknown.
Duration acquire_bound(const Scenario& scenario);

// Longest time for which a client awaits an answer that a fault has taken, until it sends another
// command; less the part of it that acquire_bound() includes.
Duration lost_answer_bound(const Scenario& scenario);

// Longest time until another client gets the lock of a crashed holder, if nothing else goes wrong
// (docs/facts/algorithms.md, section 10). All functions here require that the scenario has an
// algorithm.
Duration recovery_bound(const Scenario& scenario);

// Time from the last disturbance to the horizon: three times the longest recovery, including every
// server that may fail in it.
Duration patience(const Scenario& scenario);
// The same without the time that servers take to forget what has ended in silence: whatever a
// client still tries then, it would try forever.
Duration patience_of_clients(const Scenario& scenario);

// The longest time that a message takes in one direction.
Duration slowest(const Latency& latency);
// Whether some message may take more or less time.
bool has_bounds(const Network& network);

// How much later than at the earliest a message on this link may arrive without a fault; zero
// unless `network.order` is any. Of an empty name, as of every process that may be there.
Duration order_slack(const Network& network, std::string_view from, std::string_view to);
// The same of the message that this fault acts on.
Duration order_slack(const Scenario& scenario, const sim::Fault& fault);

// The earliest that it can arrive after it was sent, of a link whose ends are known.
Duration least_latency(const Network& network, std::string_view from, std::string_view to);

// The classes of faults that the network and the servers are by themselves: whether a command, or a
// write, may take longer than its client waits for the answer.
FaultClasses late_without_faults(const Scenario& scenario);

}  // namespace picklock::scenarios
