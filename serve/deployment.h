// The servers of a scenario for clients outside the simulation, all on one machine. The clients
// together are one process of the simulation, from which nothing takes time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/client/tenures.h"
#include "models/servers/cluster.h"
#include "models/servers/kind.h"
#include "scenarios/scenario.h"

namespace picklock::serve {

// The process that stands for all clients, in faults and in the history.
inline constexpr std::string_view kClients = "client-1";

class Deployment {
 public:
  // Throws BadInput if clients outside cannot talk to such servers.
  explicit Deployment(scenarios::Scenario scenario);

  // The servers, without their ports: they are numbered from 0.
  std::size_t size() const { return processes_.size() - 1; }
  const servers::ProcessSpec& server(std::size_t index) const { return processes_[index + 1]; }
  const servers::Wire& wire() const { return *kind_->wire; }
  void set_ports(const std::vector<std::uint16_t>& of_servers);

  // A new run, in which the servers start. `wall_offset`: of the servers' wall clocks.
  void build(sim::Duration wall_offset);
  // A connection more: its number, which counts from 1 and accompanies what it sends.
  sim::Tag admit() { return tenures_.begin(); }
  const servers::Door& door(std::size_t index) const { return doors_[index]; }

  // A fault as a table of a scenario file has it, without the heading. It strikes at once, or at
  // its time, `at`, which counts from now. Returns its number. Throws BadInput.
  std::size_t strike(std::string table, bool at_once);

  // Servers that run for days would fill the memory with what happened.
  void keep_history_short();

  history::RecordedSimulation& simulation() { return simulation_; }
  sim::Process& clients() { return simulation_.scheduler.processes().at(0); }
  const models::Keys& keys() const { return keys_; }
  const std::deque<sim::Fault>& faults() const { return faults_; }
  const scenarios::Scenario& scenario() const { return scenario_; }

 private:
  bool is_process(std::string_view name) const;
  void refuse_strangers(const sim::Fault& fault) const;

  scenarios::Scenario scenario_;
  const servers::Kind* kind_ = nullptr;
  std::vector<servers::ProcessSpec> processes_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::string> lock_keys_;
  history::RecordedSimulation simulation_;
  models::Tenures tenures_;
  models::Keys keys_;
  std::unique_ptr<servers::Cluster> cluster_;
  std::vector<servers::Door> doors_;
  std::deque<sim::Fault> faults_;  // of this run
};

}  // namespace picklock::serve
