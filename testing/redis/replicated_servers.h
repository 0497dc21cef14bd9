// Redis servers that replicate over the simulated network: redis-1 is the master of redis-2,
// redis-3 and so on. Commands go straight into a server at an instant of the run. Test-only.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/redis/group.h"
#include "models/redis/wire.h"
#include "sim/simulation.h"
#include "testing/agenda.h"

namespace picklock::redis {

class ReplicatedServers {
 public:
  struct Setup {
    std::uint64_t seed = 1;
    std::size_t count = 2;
    bool in_step = true;  // else replicas connect when the run begins
    sim::Latency latency{.low = std::chrono::milliseconds(1), .high = std::chrono::milliseconds(1)};
    std::vector<sim::Duration> clock_offsets{};
    bool grouped = false;                           // in one group, and in step
    std::vector<std::string_view> configuration{};  // of all: names and values by turns
  };

  ReplicatedServers() : ReplicatedServers(Setup{}) {}
  explicit ReplicatedServers(const Setup& setup) {
    simulation.reset(setup.seed);
    keys.reset();
    tenures.reset(keys.id("lock"));
    sim::Scheduler& scheduler = simulation.scheduler;
    for (std::size_t i = 0; i < setup.count; ++i) {
      scheduler.processes().add("redis-" + std::to_string(i + 1), i < setup.clock_offsets.size()
                                                                      ? setup.clock_offsets[i]
                                                                      : sim::Duration{});
      servers_.emplace_back();
    }
    simulation.network.set_latency(setup.latency);
    for (std::size_t i = 0; i < setup.count; ++i)
      directory_.add({.process = &process(i + 1), .endpoint = &servers_[i]});
    for (std::size_t i = 0; i < setup.count; ++i) {
      servers_[i].reset(simulation, process(i + 1), tenures, keys, &directory_);
      servers_[i].configure(setup.configuration);
      if (setup.grouped) {
        if (i == 0) group.reset("redis-1", server(1), directory_);
        if (i > 0) group.add_replica(server(i + 1));
        continue;
      }
      if (i > 0) server(i + 1).replication().configure(directory_.of(process(1)));
      if (i > 0 && setup.in_step) server(i + 1).replication().join(server(1).replication());
    }
    for (std::size_t i = 0; i < setup.count; ++i) scheduler.processes().start(process(i + 1));
  }
  ReplicatedServers(const ReplicatedServers&) = delete;
  ReplicatedServers& operator=(const ReplicatedServers&) = delete;

  Server& server(std::size_t number) { return servers_[number - 1]; }
  sim::Process& process(std::size_t number) {
    return simulation.scheduler.processes().at(static_cast<sim::ProcessId>(number - 1));
  }
  Replication& replication(std::size_t number) { return server(number).replication(); }

  // Crashes the process; its machine and its disk stay.
  void crash(std::size_t number) {
    simulation.network.crash(process(number), false, false);
    simulation.scheduler.processes().halt(process(number), false);
  }
  void restart(std::size_t number, sim::Keeps keeps = sim::Keeps::all) {
    if (!process(number).down()) crash(number);
    simulation.scheduler.processes().restart(process(number), keeps);
  }

  void at(sim::Duration when, std::function<void()> act) {
    agenda_.add(when, std::move(act));
    agenda_.arm(simulation.scheduler);
  }
  // Nothing of it happens before.
  void run(sim::Duration length) {
    at(length, [this] { simulation.scheduler.stop(); });
    simulation.scheduler.hold_open();
    simulation.scheduler.run();
  }

  // Kills the process; messages that it has sent still arrive.
  void kill(std::size_t number) {
    simulation.network.crash(process(number), false, false);
    simulation.scheduler.processes().halt(process(number), false);
  }

  // Sends a command on a connection of its own, which is not on the network. Returns the reply or
  // error as its bytes.
  template <typename... Words>
  std::string say(std::size_t number, const Words&... words) {
    return say_on(server(number).connect(), words...);
  }
  template <typename... Words>
  std::string say_on(Session& session, const Words&... words) {
    const std::string_view argv[] = {words...};
    sim::Payload bytes;
    server_of(session).execute(session, argv, bytes);
    return std::string(bytes.view());
  }

  std::string field(std::size_t number, std::string_view name) {
    const std::string info = say(number, "INFO", "replication");
    const std::size_t at = info.find("\n" + std::string(name) + ":");
    if (at == std::string::npos) return {};
    const std::size_t from = at + name.size() + 2;
    return info.substr(from, info.find('\r', from) - from);
  }

  history::RecordedSimulation simulation;
  models::Tenures tenures;
  models::Keys keys;
  Group group;

 private:
  Server& server_of(const Session& session) {
    for (Server& server : servers_) {
      for (const Session* one : server.sessions()) {
        if (one == &session) return server;
      }
    }
    return servers_.front();
  }

  Directory directory_;
  std::deque<Server> servers_;
  sim::Agenda agenda_;
};

}  // namespace picklock::redis
