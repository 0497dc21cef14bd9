#include "scenarios/cut_off.h"

#include <algorithm>

#include "models/servers/kind.h"
#include "scenarios/bounds.h"

namespace picklock::scenarios {
namespace {

// Whether no server is replaced unless a fault does it.
bool keep_roles(const Scenario& scenario) {
  const servers::Kind& server = lock_server(scenario);
  const bool has_replicas = server.copies != nullptr && server.copies(scenario.servers);
  return has_replicas &&
         server.bounds(scenario.servers, scenario.lock.options).replacing == Duration::zero();
}

bool is_replica(const std::vector<ProcessSpec>& processes, sim::ProcessId id) {
  using servers::Standing;
  const ProcessKind& kind = *processes[id].kind;
  const bool is_first = id == 0 || processes[id - 1].kind != &kind;
  return kind.standing == Standing::replica ||
         (kind.standing == Standing::first_is_primary && !is_first);
}

}  // namespace

void CutOff::set(const Scenario& scenario, const std::vector<ProcessSpec>& processes) {
  scenario_ = &scenario;
  patience_ = patience_of_clients(scenario);
  granting_.clear();
  replicas_.clear();
  const bool keep = keep_roles(scenario);
  for (sim::ProcessId id = askers(scenario); id < processes.size(); ++id) {
    if (is_resource(processes[id].name)) continue;
    (keep && is_replica(processes, id) ? replicas_ : granting_).push_back(id);
  }
}

void CutOff::reset(sim::Simulation& simulation, const std::deque<ClientProgram>& programs,
                   std::uint32_t clients) {
  servers_ = granting_;
  if (servers::fails_over(scenario_->faults))
    servers_.insert(servers_.end(), replicas_.begin(), replicas_.end());
  simulation_ = &simulation;
  programs_ = &programs;
  look_again_.assign(clients, sim::kStart);
}

bool CutOff::is_one(const sim::Process& client) const {
  if (client.id() >= look_again_.size()) return false;
  const std::optional<sim::Instant>& since = (*programs_)[client.id()].waits_since();
  if (!since) return false;
  const sim::Instant calm = std::max(*since, simulation_->nemesis.last_end());
  if (simulation_->now() < calm + patience_) return false;
  return std::all_of(servers_.begin(), servers_.end(), [&](sim::ProcessId server) {
    return simulation_->network.is_apart(client, simulation_->scheduler.processes().at(server));
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
