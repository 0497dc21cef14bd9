// A few clients, one or more Redis servers, a resource and, on request, servers of another kind on
// one simulation. Each client runs a body, and tests read the results from the history. Test-only.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/sim_client.h"
#include "models/redis/client_end.h"
#include "models/redis/server.h"
#include "models/redis/wire.h"
#include "models/resource/resource.h"
#include "models/servers/cluster.h"
#include "models/servers/kind.h"
#include "picklock/client.h"
#include "sim/simulation.h"

namespace picklock::models {

inline sim::Fault fault_at(Duration when, sim::Verb verb, std::string_view target,
                           std::optional<Duration> lasts = {}) {
  sim::Fault fault;
  fault.verb = verb;
  fault.target = target;
  fault.trigger.at = sim::kStart + when;
  fault.lasts = lasts;
  return fault;
}

// A fault before or after redis-1 applies a command of client-1 in this role.
inline sim::Fault fault_where_applied(sim::Side side, Role role, sim::Verb verb, Duration lasts) {
  sim::Fault fault;
  fault.verb = verb;
  fault.target = "redis-1";
  fault.trigger.side = side;
  fault.trigger.role = role;
  fault.trigger.phase = sim::Phase::applied;
  fault.trigger.by = "client-1";
  fault.lasts = lasts;
  fault.keeps = sim::Keeps::all;
  return fault;
}

class SmallWorld {
 public:
  struct Setup {
    std::uint64_t seed = 1;
    std::uint32_t clients = 1;
    std::uint32_t servers = 1;
    Duration command_timeout = std::chrono::seconds(3);
    Duration server_offset{};
    std::int64_t server_rate_ppb = 0;
    ResourceRules resource{};
    std::uint32_t resource_nodes = 1;
    std::uint32_t resend = 0;
    bool tracing = false;
    std::vector<std::string_view> configuration{};   // of the servers: names and values by turns
    const picklock::servers::Kind* other = nullptr;  // a kind of servers beside Redis
    picklock::servers::Specs specs{};                // the settings of that kind
    bool coordinated = false;                        // a coordinator frees locks on these servers
    LockOptions options{};                           // further settings of the clients' connections
  };
  using Body = std::function<void(SmallWorld& world, Client& self)>;

  SmallWorld() : SmallWorld(Setup{}) {}
  explicit SmallWorld(const Setup& setup) { reset(setup); }

  // Resets the world to a new state; memory is kept for reuse.
  void reset(const Setup& setup) {
    sim::Scheduler& scheduler = simulation.scheduler;
    simulation.reset(setup.seed, setup.tracing);
    keys.reset();
    tenures.reset(keys.id("lock"));
    clients_ = setup.clients;
    for (std::uint32_t i = 1; i <= setup.clients; ++i)
      scheduler.processes().add("client-" + std::to_string(i));
    for (std::uint32_t i = 1; i <= setup.servers; ++i) {
      scheduler.processes().add("redis-" + std::to_string(i), setup.server_offset,
                                setup.server_rate_ppb);
    }
    std::vector<sim::Process*> homes;
    for (std::uint32_t i = 1; i <= setup.resource_nodes; ++i) {
      homes.push_back(&scheduler.processes().add(
          setup.resource_nodes == 1 ? "resource" : "resource-" + std::to_string(i)));
    }
    processes_ = clients_ + setup.servers + setup.resource_nodes;
    if (setup.other != nullptr) build_others(setup);
    while (servers.size() < setup.servers) servers.emplace_back();
    groups.resize(setup.servers);
    for (std::uint32_t i = 0; i < setup.servers; ++i) {
      servers[i].reset(simulation, scheduler.processes().at(clients_ + i), tenures, keys);
      servers[i].configure(setup.configuration);
      groups[i].reset(servers[i].process().name(), servers[i], directory);
    }
    if (homes.size() == 1) {
      resource.reset(simulation, *homes[0], tenures, setup.resource);
    } else {
      resource.replicate(simulation, homes, tenures, setup.resource);
    }
    LockOptions options = setup.options;
    options.command_timeout = setup.command_timeout;
    options.resend = setup.resend;
    programs_.clear();
    while (machines.size() < setup.clients) {
      machines.emplace_back();
      redis_ends_.emplace_back();
    }
    for (std::uint32_t i = 0; i < setup.clients; ++i) {
      sim::Process& process = scheduler.processes().at(i);
      redis_ends_[i].reset(simulation, process, groups, picklock::servers::FindBy::address,
                           options);
      machines[i].reset(simulation, process, resource, options, setup.command_timeout, tenures);
      machines[i].connect(redis_ends_[i]);
      if (setup.other == nullptr) continue;
      machines[i].connect(cluster_->connect({simulation, tenures, keys},
                                            {.process = process, .options = options, .number = i}));
      programs_.emplace_back(machines[i]);
      process.set_program(&programs_.back());
    }
    simulation.nemesis.reset({}, 0, clients_);
  }

  redis::Server& server(std::size_t number = 1) { return servers[number - 1]; }
  // The servers of the other kind.
  template <typename Cluster>
  Cluster& cluster() {
    return dynamic_cast<Cluster&>(*cluster_);
  }
  std::int64_t milliseconds() const { return sim::nanoseconds(simulation.now()) / 1'000'000; }

  // Starts a thread of client 1, 2, ...; its commands belong to one tenure and have no role unless
  // they name one.
  sim::Thread& client(std::uint32_t number, Body body, std::uint32_t thread = 1) {
    return simulation.scheduler.threads().spawn(
        simulation.scheduler.processes().at(number - 1),
        [this, number, thread, run = std::move(body)] {
          simulation.scheduler.running()->tag = tenures.begin();
          SimClient self(machines[number - 1], thread);
          run(*this, self);
        },
        true);
  }
  void play(Role role) { simulation.scheduler.running()->role = role; }

  void run(const sim::Plan& plan = {}) {
    simulation.nemesis.reset(plan, 0, clients_);
    for (sim::ProcessId id = 0; id < processes_; ++id)
      simulation.scheduler.processes().start(simulation.scheduler.processes().at(id));
    simulation.scheduler.run();
  }

  const history::History& history() const { return simulation.recorder.history(); }
  std::uint64_t digest() { return simulation.scheduler.record().digest().value(); }

  // The commands that clients have sent to Redis in a traced run: "0.001 redis-1 GET lock".
  std::vector<std::string> sent() const {
    const sim::Trace& trace = simulation.scheduler.record().tracer().trace();
    std::vector<std::string> lines;
    for (const sim::TraceRecord& record : trace.records) {
      const bool request = record.kind == sim::TraceKind::sent && !record.reply;
      if (!request || record.process >= clients_ || record.peer >= clients_ + groups.size())
        continue;
      lines.push_back(seconds(record.at) + " redis-" + std::to_string(record.peer - clients_ + 1) +
                      " " + redis::protocol().describe(trace.payload(record), false));
    }
    return lines;
  }

  // The changes of entries: "10.001 entry removed expiry by 0 of 1".
  std::vector<std::string> effects() const {
    std::vector<std::string> lines;
    for (const history::HistoryEvent& event : history()) {
      const bool entry =
          event.what >= history::What::entry_created && event.what <= history::What::entry_removed;
      if (!entry) continue;
      std::string line = seconds(event.at) + " " + std::string(history::name(event.what)) + " " +
                         std::string(history::name(event.cause)) + " by " +
                         std::to_string(event.tenure) + " of " + std::to_string(event.owner);
      if (event.until != sim::kNever) line += " until " + seconds(event.until);
      lines.push_back(line);
    }
    return lines;
  }

  history::RecordedSimulation simulation;
  Tenures tenures;
  Keys keys;
  std::deque<redis::Server> servers;
  redis::Directory directory;
  std::vector<redis::Group> groups;
  Resource resource;
  std::deque<ClientMachine> machines;

 private:
  // The program of a client that keeps a session.
  struct Program final : sim::Program {
    explicit Program(ClientMachine& of) : machine(of) {}
    void start(sim::Keeps) override { machine.started(); }
    void halted() override { machine.forget(); }
    ClientMachine& machine;
  };

  void build_others(const Setup& setup) {
    specs_ = setup.specs;
    others_.assign(processes_, {});
    for (const picklock::servers::Row& row : setup.other->rows(specs_)) {
      for (std::uint32_t i = 1; i <= row.count; ++i) {
        others_.push_back({.name = row.prefix + (row.numbered ? std::to_string(i) : ""),
                           .kind = row.kind,
                           .group = row.group});
        simulation.scheduler.processes().add(others_.back().name, setup.server_offset,
                                             setup.server_rate_ppb);
      }
    }
    processes_ = static_cast<std::uint32_t>(others_.size());
    if (cluster_of_ != setup.other) cluster_ = setup.other->make_cluster();
    cluster_of_ = setup.other;
    cluster_->set({.specs = &specs_,
                   .processes = others_,
                   .lock_keys = lock_keys_,
                   .coordinated = setup.coordinated});
    cluster_->build({simulation, tenures, keys});
  }

  static std::string seconds(sim::Instant at) {
    const std::int64_t all = sim::nanoseconds(at);
    std::string fraction = std::to_string(all % 1'000'000'000);
    fraction.insert(0, 9 - fraction.size(), '0');
    while (fraction.size() > 1 && fraction.back() == '0') fraction.pop_back();
    return std::to_string(all / 1'000'000'000) + "." + fraction;
  }

  const std::vector<std::string> lock_keys_{"lock"};
  std::deque<redis::ClientEnd> redis_ends_;
  picklock::servers::Specs specs_;
  std::vector<picklock::servers::ProcessSpec> others_;  // of each process; of the others: no kind
  std::unique_ptr<picklock::servers::Cluster> cluster_;
  const picklock::servers::Kind* cluster_of_ = nullptr;
  std::deque<Program> programs_;
  std::uint32_t clients_ = 0;
  std::uint32_t processes_ = 0;
};

}  // namespace picklock::models
