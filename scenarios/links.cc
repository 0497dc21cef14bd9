#include "scenarios/links.h"

#include <stdexcept>
#include <string>

#include "scenarios/bounds.h"

namespace picklock::scenarios {
namespace {

sim::Latency as_sim(const Latency& latency, Order order) {
  if (order == Order::any)
    return {.low = latency.low, .high = latency.low, .slack = slowest(latency) - latency.low};
  return {.low = latency.low,
          .high = latency.high,
          .tail_one_in = latency.tail_one_in,
          .tail_high = latency.tail_high};
}

sim::Process& process_named(sim::Processes& processes, const std::string& name) {
  for (sim::ProcessId i = 0; i < processes.count(); ++i) {
    if (processes.at(i).name() == name) return processes.at(i);
  }
  throw std::invalid_argument("a link names a process that does not exist: " + name);
}

}  // namespace

void set_links(sim::Simulation& simulation, const Network& spec) {
  sim::Network& network = simulation.network;
  sim::Processes& processes = simulation.scheduler.processes();
  network.set_latency(as_sim(spec.latency, spec.order));
  network.set_patience(spec.break_after);
  network.priorities().set(spec.priorities, spec.priority_changes);
  for (const Link& link : spec.links) {
    sim::Process& from = process_named(processes, link.from);
    sim::Process& to = process_named(processes, link.to);
    const sim::Latency latency = as_sim(link.latency, spec.order);
    network.set_latency(from, to, latency);
    if (link.both) network.set_latency(to, from, latency);
  }
}

}  // namespace picklock::scenarios
