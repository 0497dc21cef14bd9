#include "scenarios/cut_off.h"

#include <algorithm>

#include "scenarios/bounds.h"

namespace picklock::scenarios {

void CutOff::set(const Scenario& scenario, const std::vector<ProcessSpec>& processes) {
  patience_ = patience_of_clients(scenario);
  servers_.clear();
  for (sim::ProcessId id = askers(scenario); id < processes.size(); ++id) {
    if (!is_resource(processes[id].name)) servers_.push_back(id);
  }
}

void CutOff::reset(sim::Simulation& simulation, const servers::Cluster& cluster,
                   const std::deque<ClientProgram>& programs, std::uint32_t clients) {
  simulation_ = &simulation;
  cluster_ = &cluster;
  programs_ = &programs;
  look_again_.assign(clients, sim::kStart);
}

bool CutOff::is_one(const sim::Process& client) const {
  if (client.id() >= look_again_.size()) return false;
  const std::optional<sim::Instant>& since = (*programs_)[client.id()].waits_since();
  if (!since) return false;
  const sim::Instant calm = std::max(*since, simulation_->nemesis.last_end());
  if (simulation_->now() < calm + patience_) return false;
  return std::all_of(servers_.begin(), servers_.end(), [&](sim::ProcessId id) {
    const sim::Process& server = simulation_->scheduler.processes().at(id);
    return !cluster_->may_grant(server) || simulation_->network.is_apart(client, server);
  });
}

// No fault must be left that could heal a link or strike the client: one that waits for a step of
// somebody who still takes any.
bool CutOff::set_aside(sim::Process& client) {
  const sim::Nemesis& nemesis = simulation_->nemesis;
  sim::Instant& look_again = look_again_.at(client.id());
  if (client.down() || client.paused() || simulation_->now() < look_again) return false;
  look_again = simulation_->now() + patience_;
  if (!nemesis.quiet() || !is_one(client)) return false;
  const bool may_change = nemesis.awaits([this](sim::Process& other) {
    return !other.down() && sim::Threads::oldest(other) != nullptr && !is_one(other);
  });
  if (may_change) return false;
  simulation_->scheduler.processes().set_aside(client);
  return true;
}

}  // namespace picklock::scenarios
