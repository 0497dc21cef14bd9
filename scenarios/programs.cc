#include "scenarios/programs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>

#include "guests/nursery.h"
#include "guests/support.h"
#include "keys/bad_input.h"
#include "models/servers/kind.h"
#include "outside/resource_client.h"
#include "outside/resource_wire.h"
#include "scenarios/process_kinds.h"
#include "scenarios/program_locks.h"
#include "scenarios/setup.h"
#include "scenarios/topology.h"

namespace picklock::scenarios {
namespace {

// Where a language finds its libraries; nothing else of the surroundings reaches a program.
constexpr std::string_view kPassedOn[] = {"PATH",      "PYTHONPATH",     "VIRTUAL_ENV",
                                          "NODE_PATH", "CLASSPATH",      "JAVA_HOME",
                                          "GEM_PATH",  "LD_LIBRARY_PATH"};

std::unique_ptr<servers::Wire> open_resource_wire() {
  return std::make_unique<outside::ResourceWire>();
}

// The beginnings of programs, which are kept from run to run. A child of this process cannot use
// what its parent has kept, and must not end it.
guests::Nursery& nursery() {
  struct Kept {
    std::unique_ptr<guests::Nursery> nursery;
    pid_t owner = 0;

    ~Kept() {
      if (owner != getpid()) static_cast<void>(nursery.release());
    }
  };
  thread_local Kept kept;
  if (kept.owner != getpid()) {
    static_cast<void>(kept.nursery.release());
    kept.nursery = std::make_unique<guests::Nursery>();
    kept.owner = getpid();
  }
  return *kept.nursery;
}

}  // namespace

std::vector<std::uint16_t> ports_of(std::span<const servers::ProcessSpec> processes) {
  std::vector<std::uint16_t> ports;
  std::map<std::uint16_t, std::uint16_t> used;  // of each port of a kind, how often
  for (const servers::ProcessSpec& process : processes) {
    const std::uint16_t port = process.kind == &kResourceKind ? kResourcePort : process.kind->port;
    ports.push_back(port == 0 ? port : static_cast<std::uint16_t>(port + used[port]++));
  }
  return ports;
}

void Programs::set(const Scenario& scenario, std::span<const servers::ProcessSpec> processes) {
  if (const std::string& why = guests::unsupported(); !why.empty())
    throw keys::BadInput("this machine cannot run programs in virtual time: " + why);
  scenario_ = &scenario;
  processes_ = processes;
  ports_ = ports_of(processes);
}

void Programs::build_resource(const servers::Site& site, servers::Cluster& cluster,
                              const models::ResourceRules& rules) {
  history::RecordedSimulation& simulation = site.simulation;
  simulation_ = &simulation;
  tenures_ = &site.tenures;
  client_of_.assign(1, outside::kNobody);
  cluster_ = &cluster;
  addresses_.clear();
  sim::Processes& processes = simulation.scheduler.processes();
  for (const servers::Door& door : cluster.doors()) {
    const sim::ProcessId id = door.process->id();
    addresses_.push_back({.name = door.process->name(),
                          .port = ports_[id],
                          .port_of_kind = processes_[id].kind->port,
                          .door = door,
                          .open_wire = lock_server(*scenario_).open_wire});
  }
  for (sim::ProcessId id = 0; id < processes_.size(); ++id) {
    if (processes_[id].kind != &kResourceKind) continue;
    sim::Process& process = processes.at(id);
    process.set_service(scenario_->servers.resource.service);
    resource_.reset(simulation, process, rules);
    addresses_.push_back({.name = process.name(),
                          .port = kResourcePort,
                          .port_of_kind = kResourcePort,
                          .door = {.process = &process,
                                   .endpoint = &resource_,
                                   .protocol = &outside::Resource::protocol()},
                          .open_wire = open_resource_wire});
  }
}

void Programs::build_client(std::uint32_t number, const ClientsSpec& clients, Duration arrives) {
  sim::Process& process = simulation_->scheduler.processes().at(number);
  std::vector<std::string> environment = {
      "HOME=/",
      "LANG=C.UTF-8",
      "TZ=UTC",
      "PICKLOCK_CLIENT=" + process.name(),
      fmt::format("PICKLOCK_NUMBER={}", number + 1),
      fmt::format("PICKLOCK_LOCK={}", scenario_->lock.key),
      fmt::format("PICKLOCK_RESOURCE=127.0.0.1:{}", kResourcePort)};
  std::string servers;
  for (const outside::Address& one : addresses_) {
    if (one.port != kResourcePort)
      servers += fmt::format("{}127.0.0.1:{}", servers.empty() ? "" : ",", one.port);
  }
  environment.push_back("PICKLOCK_SERVERS=" + servers);
  for (const std::string_view name : kPassedOn) {
    if (const char* const value = std::getenv(std::string(name).c_str()))
      environment.push_back(fmt::format("{}={}", name, value));
  }
  programs_[number].reset(*simulation_, process,
                          {.command = &clients.program,
                           .folder = clients.folder,
                           .environment = std::move(environment),
                           .addresses = addresses_,
                           .cluster = cluster_,
                           .nursery = &nursery()},
                          arrives, *this);
}

models::Resource::Way Programs::way_to(std::string name) {
  return [this, name = std::move(name)](sim::Simulation& simulation, sim::Process& self,
                                        Duration patience) {
    return std::make_unique<outside::ResourceClient>(simulation, self, resource_, name, patience);
  };
}

// The servers note for each tag what was granted to it.
sim::Tag Programs::admit(sim::Process& client) {
  const sim::Tag tag = tenures_->begin();
  client_of_.resize(tag + 1, outside::kNobody);
  client_of_[tag] = client.id();
  return tag;
}

void Programs::end(std::span<const std::string> keys) {
  std::string why;
  std::uint32_t who = 0;
  ends_.clear();
  for (auto& [client, program] : programs_) {
    if (why.empty() && !program.not_reproducible().empty()) {
      why = program.not_reproducible();
      who = client;
    }
    if (const std::string how = program.ending(); !how.empty())
      ends_.push_back({processes_[client].name, how, program.last_line(), program.printed()});
    program.end();
  }
  if (!why.empty()) {
    throw keys::BadInput(
        fmt::format("{}: the run is not reproducible, because {} cannot be run in "
                    "virtual time: {}",
                    keys::printable(scenario_->name, 200), processes_[who].name, why));
  }
  std::vector<bool> own(scenario_->clients.count);
  for (std::uint32_t i = 0; i < own.size(); ++i) own[i] = !programs_.contains(i);
  for (const history::HistoryEvent& event : simulation_->recorder.history()) {
    if (event.what != history::What::acquire_invoked) continue;
    if (event.tenure >= client_of_.size()) client_of_.resize(event.tenure + 1, outside::kNobody);
    client_of_[event.tenure] = event.process;
  }
  outside::Cast cast{.client_of = client_of_,
                     .number_of = {},
                     .first_server = scenario_->clients.count,
                     .clients = scenario_->clients.count,
                     .own = std::move(own),
                     .quorum = quorum_of(*scenario_, scenario_->clients, scenario_->lock),
                     .resource = 0,
                     .things = resource_.names(),
                     .second_thing = static_cast<sim::ProcessId>(processes_.size()),
                     .keys = keys,
                     .takes = lock_server(*scenario_).takes,
                     .named = lock_keys(*scenario_).size()};
  for (sim::ProcessId id = 0; id < processes_.size(); ++id) {
    cast.number_of.push_back(id);
    cast.group_of.push_back(group_of(*scenario_, processes_[id]));
    if (processes_[id].kind == &kResourceKind) cast.resource = id;
  }
  account_ = outside::account_of(simulation_->recorder.history(),
                                 simulation_->scheduler.record().tracer().trace(), cast);
}

std::vector<std::string> Programs::names() const {
  std::vector<std::string> names;
  for (const servers::ProcessSpec& process : processes_) names.push_back(process.name);
  const std::vector<std::string>& things = resource_.names();
  for (std::size_t i = 1; i < things.size(); ++i) names.push_back("resource-" + things[i]);
  return names;
}

bool Programs::judges(Property property) const {
  if (property == Property::mutual_exclusion) {
    return std::any_of(
        account_.history.begin(), account_.history.end(), [this](const history::HistoryEvent& one) {
          return one.what == history::What::acquire_ok && programs_.contains(one.process);
        });
  }
  return std::find(std::begin(kJudgedOutside), std::end(kJudgedOutside), property) !=
         std::end(kJudgedOutside);
}

}  // namespace picklock::scenarios
