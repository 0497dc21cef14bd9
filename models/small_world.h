// A few clients, one Redis server, a resource and, if asked for, a lease store on one simulation,
// for tests: each client runs a body, and what happened is read from the history. Test-only.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/lease_store/lease_store.h"
#include "models/redis/server.h"
#include "models/resource.h"
#include "models/sim_client.h"
#include "models/step.h"
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

// Before or after redis-1 applies a command of client-1 in this role.
inline sim::Fault fault_where_applied(sim::Side side, Role role, sim::Verb verb, Duration lasts) {
  sim::Fault fault;
  fault.verb = verb;
  fault.target = "redis-1";
  fault.trigger.side = side;
  fault.trigger.role = static_cast<std::uint8_t>(role);
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
    Duration command_timeout = std::chrono::seconds(3);
    Duration server_offset{};
    std::int64_t server_rate_ppb = 0;
    FencedBy fencing = FencedBy::nothing;
    std::uint32_t resend = 0;
    bool tracing = false;
    std::vector<std::string_view> configuration{};  // of redis-1: names and values by turns
    std::optional<lease_store::Settings> store{};   // nullopt: there is none
  };
  using Body = std::function<void(SmallWorld& world, Client& self)>;

  SmallWorld() : SmallWorld(Setup{}) {}
  explicit SmallWorld(const Setup& setup) { reset(setup); }

  // Whatever was in it, as new; what was allocated is kept.
  void reset(const Setup& setup) {
    sim::Scheduler& scheduler = simulation.scheduler;
    simulation.reset(setup.seed, setup.tracing);
    keys.reset();
    tenures.reset(keys.id("lock"));
    clients_ = setup.clients;
    for (std::uint32_t i = 1; i <= setup.clients; ++i)
      scheduler.add_process("client-" + std::to_string(i));
    scheduler.add_process("redis-1", setup.server_offset, setup.server_rate_ppb);
    scheduler.add_process("resource");
    processes_ = clients_ + 2;
    if (setup.store) {
      scheduler.add_process("store", setup.server_offset, setup.server_rate_ppb);
      store.reset(simulation, scheduler.process(processes_++), tenures, keys, *setup.store);
    }
    if (servers.empty()) servers.emplace_back();
    server().reset(simulation, scheduler.process(clients_), tenures, keys);
    server().configure(setup.configuration);
    group.reset("redis-1", server(), directory);
    resource.reset(simulation, scheduler.process(clients_ + 1), tenures, setup.fencing);
    while (machines.size() < setup.clients) machines.emplace_back();
    for (std::uint32_t i = 0; i < setup.clients; ++i) {
      machines[i].reset(simulation, scheduler.process(i), {&group, 1}, redis::FindBy::address,
                        resource,
                        {.command_timeout = setup.command_timeout, .resend = setup.resend},
                        setup.command_timeout, keys.id("lock"));
      if (setup.store) {
        machines[i].connect(store,
                            {.command_timeout = setup.command_timeout, .resend = setup.resend});
      }
    }
    simulation.nemesis.reset({}, 0, clients_, "lock");
  }

  redis::Server& server() { return servers.front(); }
  std::int64_t milliseconds() const { return sim::nanoseconds(simulation.now()) / 1'000'000; }

  // A thread of client 1, 2, ...; its commands are of one tenure and, unless they say so
  // themselves, of no role.
  void client(std::uint32_t number, Body body) {
    simulation.scheduler.spawn(
        simulation.scheduler.process(number - 1),
        [this, number, run = std::move(body)] {
          simulation.scheduler.running()->tenure = tenures.begin();
          SimClient self(machines[number - 1]);
          run(*this, self);
        },
        true);
  }
  void play(Role role) { simulation.scheduler.running()->role = static_cast<std::uint8_t>(role); }

  void run(const sim::Plan& plan = {}) {
    simulation.nemesis.reset(plan, 0, clients_, "lock");
    for (sim::ProcessId id = 0; id < processes_; ++id)
      simulation.scheduler.start(simulation.scheduler.process(id));
    simulation.scheduler.run();
  }

  const sim::History& history() const { return simulation.scheduler.recorder().history(); }
  std::uint64_t digest() { return simulation.scheduler.recorder().digest().value(); }

  // What befell entries: "10.001 entry removed expiry by 0 of 1".
  std::vector<std::string> effects() const {
    std::vector<std::string> lines;
    for (const sim::HistoryEvent& event : history()) {
      const bool entry =
          event.what >= sim::What::entry_created && event.what <= sim::What::entry_removed;
      if (!entry) continue;
      std::string line = seconds(event.at) + " " + std::string(sim::name(event.what)) + " " +
                         std::string(sim::name(event.cause)) + " by " +
                         std::to_string(event.tenure) + " of " + std::to_string(event.owner);
      if (event.until != sim::kNever) line += " until " + seconds(event.until);
      lines.push_back(line);
    }
    return lines;
  }

  sim::Simulation simulation;
  Tenures tenures;
  Keys keys;
  std::deque<redis::Server> servers;
  redis::Directory directory;
  redis::Group group;
  Resource resource;
  lease_store::LeaseStore store;
  std::deque<ClientMachine> machines;

 private:
  static std::string seconds(sim::Instant at) {
    const std::int64_t all = sim::nanoseconds(at);
    std::string fraction = std::to_string(all % 1'000'000'000);
    fraction.insert(0, 9 - fraction.size(), '0');
    while (fraction.size() > 1 && fraction.back() == '0') fraction.pop_back();
    return std::to_string(all / 1'000'000'000) + "." + fraction;
  }

  std::uint32_t clients_ = 0;
  std::uint32_t processes_ = 0;
};

}  // namespace picklock::models
