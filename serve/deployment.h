// The servers of a scenario for clients outside the simulation, all on one machine. The clients
// together are one process of the simulation, from which nothing takes time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/client/tenures.h"
#include "models/servers/cluster.h"
#include "models/servers/kind.h"
#include "outside/resource.h"
#include "scenarios/scenario.h"

namespace picklock::serve {

// The process that stands for all clients, as a fault names it.
inline constexpr std::string_view kClients = "clients";
// The same in the text of a scenario, whose clients are left out but for one.
inline constexpr std::string_view kClientsInFile = "client-1";

// The sender of a message: a connection, or a client with a name, which may have several.
struct Caller {
  std::uint32_t connection = 0;  // in the order in which they came, from 1
  std::string name;              // empty: none
  bool there = true;
};

// A fault as a table of a scenario file has it, without the heading.
struct Strike {
  std::string table;
  bool at_once = false;  // the table has no moment
  std::string by;        // whose commands count: a caller's name, or its connection; empty: all
};

// How clients reach the servers.
struct Access {
  std::string machine = "127.0.0.1";  // the address of all servers, as they tell it to clients
  std::string password;               // which clients must give; empty: none
};

class Deployment {
 public:
  // Throws BadInput if clients outside cannot talk to such servers, or these ask for no password.
  explicit Deployment(scenarios::Scenario scenario, Access access = {});

  // The servers of the lock, numbered from 0, and the resource as the last.
  std::size_t size() const { return processes_.size() - 1; }
  const servers::ProcessSpec& served(std::size_t index) const { return processes_[index + 1]; }
  bool is_resource(std::size_t index) const { return index + 1 == size(); }
  std::unique_ptr<servers::Wire> open_wire(std::size_t index) const;
  void set_ports(const std::vector<std::uint16_t>& of_served);

  // A new run, in which the servers start. `wall_offset`: of the servers' wall clocks.
  void build(sim::Duration wall_offset, bool tracing);
  servers::Door door(std::size_t index) const { return cluster_->behind(doors_[index]); }
  // A connection more. The number of its caller accompanies what it sends.
  sim::Tag admit();
  // The caller gives itself a name: its number from now on.
  sim::Tag renamed(sim::Tag caller, const std::string& name);
  std::size_t connected() const { return connected_; }
  // The caller has received a message that nobody asked for.
  void pushed(std::uint32_t message, sim::Tag caller) { receivers_[message] = caller; }
  const std::map<std::uint32_t, sim::Tag>& receivers() const { return receivers_; }
  const Caller& caller(sim::Tag number) const { return callers_[number]; }
  // The connection of the caller has ended.
  void gone(sim::Tag caller);

  // It strikes at once, or at its time, `at`, which counts from now, or at its step. Returns its
  // number. Throws BadInput.
  std::size_t strike(Strike strike);
  // How many connections a fault `by` this client means now; more may come.
  std::size_t connections_of(std::string_view by) const;

  // Servers that run for days would fill the memory with what happened: forgets it from time to
  // time.
  void keep_history_short();
  bool knows_the_beginning() const { return knows_the_beginning_; }

  history::RecordedSimulation& simulation() { return simulation_; }
  sim::Process& clients() { return simulation_.scheduler.processes().at(0); }
  const models::Keys& keys() const { return keys_; }
  // How many keys, which come first, the scenario names as those of locks.
  std::size_t named_locks() const { return lock_keys_.size(); }
  // Which keys a request takes as a lock does (servers::Kind); nullptr: every key is a lock's.
  auto takes() const { return kind_->takes; }
  const std::deque<sim::Fault>& faults() const { return faults_; }
  // The same as their story names them.
  sim::Plan faults_told() const;
  const outside::Resource& resource() const { return resource_; }
  const std::vector<Caller>& callers() const { return callers_; }
  std::uint64_t seed() const { return scenario_.seed; }
  const scenarios::Scenario& scenario() const { return scenario_; }

 private:
  bool is_process(std::string_view name) const;
  void refuse_strangers(const sim::Fault& fault) const;
  void build_resource();

  scenarios::Scenario scenario_;
  Access access_;
  const servers::Kind* kind_ = nullptr;
  std::vector<servers::ProcessSpec> processes_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::string> lock_keys_;
  history::RecordedSimulation simulation_;
  models::Tenures tenures_;
  models::Keys keys_;
  std::unique_ptr<servers::Cluster> cluster_;
  outside::Resource resource_;
  std::vector<servers::Door> doors_;
  std::vector<Caller> callers_;                  // by number; 0 is nobody
  std::map<std::uint32_t, sim::Tag> receivers_;  // of messages that nobody asked for
  std::uint32_t connections_ = 0;
  std::size_t connected_ = 0;
  bool knows_the_beginning_ = true;
  std::deque<sim::Fault> faults_;  // of this run
  std::vector<std::string> by_;    // whose commands count, of each fault; empty: all
};

}  // namespace picklock::serve
