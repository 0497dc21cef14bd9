// A client, a primary with one replica and the Sentinels that watch them, on one simulation. The
// run ends when the client's threads have ended. Test-only.
#pragma once

#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/redis/sim_client.h"
#include "sim/simulation.h"
#include "testing/agenda.h"

namespace picklock::redis {

class GroupWorld {
 public:
  struct Setup {
    std::size_t sentinels = 3;
    servers::FindBy find_by = servers::FindBy::monitors;
    sim::Duration patience = std::chrono::seconds(1);
    sim::Duration down_after = std::chrono::seconds(1);
  };

  GroupWorld() : GroupWorld(Setup{}) {}
  explicit GroupWorld(const Setup& setup) {
    simulation.reset(1, true);
    simulation.network.set_latency({.low = kWay, .high = kWay});
    keys.reset();
    tenures.reset(keys.id("lock"));
    sim::Process& client = add("client-1");
    for (const char* name : {"redis-1", "redis-2"})
      directory.add({.process = &add(name), .endpoint = &servers.emplace_back()});
    for (std::size_t i = 1; i <= setup.sentinels; ++i) {
      sim::Process& process = add("sentinel-" + std::to_string(i));
      directory.add({&process, &sentinels.emplace_back(), kSentinelPort});
    }
    for (std::size_t i = 1; i <= servers.size(); ++i)
      server(i).reset(simulation, process("redis-" + std::to_string(i)), tenures, keys, &directory);
    group.reset("redis-1", server(1), directory);
    group.add_replica(server(2));
    for (std::size_t i = 1; i <= sentinels.size(); ++i) set_up(i, setup.down_after);
    discovery.reset(simulation, client, group, setup.find_by);
    redis.reset(simulation, client, server(1), {.command_timeout = setup.patience}, &discovery);
    simulation.nemesis.reset({}, 0, 1);
  }
  GroupWorld(const GroupWorld&) = delete;
  GroupWorld& operator=(const GroupWorld&) = delete;

  Server& server(std::size_t number) { return servers[number - 1]; }
  sim::Process& process(std::string_view name) {
    for (sim::ProcessId id = 0; id < names_.size(); ++id) {
      if (names_[id] == name) return simulation.scheduler.processes().at(id);
    }
    throw std::invalid_argument("no such process");
  }

  // Plan actions with at() and threads of the client with thread(); then call run().
  void at(sim::Duration when, std::function<void()> what) { agenda_.add(when, std::move(what)); }
  void thread(std::function<void()> body) {
    ++threads_;
    simulation.scheduler.threads().spawn(
        process("client-1"),
        [this, run = std::move(body)] {
          run();
          // Otherwise messages to a paused process would keep the run going for ever.
          if (--threads_ == 0) simulation.scheduler.stop();
        },
        true);
  }
  void run() {
    sim::Scheduler& scheduler = simulation.scheduler;
    for (sim::ProcessId id = 0; id < names_.size(); ++id)
      scheduler.processes().start(scheduler.processes().at(id));
    agenda_.arm(scheduler);
    scheduler.run();
  }

  void sleep(sim::Duration length) { simulation.scheduler.sleep(length); }
  sim::Duration now() const { return simulation.now() - sim::kStart; }
  // Kills the process; its peers are notified.
  void kill(std::string_view name) {
    simulation.network.crash(process(name), false, false);
    simulation.scheduler.processes().halt(process(name), false);
  }
  void pause(std::string_view name) { simulation.scheduler.processes().pause(process(name)); }
  void resume(std::string_view name) { simulation.scheduler.processes().resume(process(name)); }

  // Sends a command straight into the server, as an operator.
  std::string say(std::size_t number, std::initializer_list<std::string_view> argv) {
    sim::Payload bytes;
    server(number).execute(server(number).connect(), {argv.begin(), argv.size()}, bytes);
    return std::string(bytes.view());
  }

  // The receivers of the client's messages, in order: "sentinel-1", "redis-1".
  std::vector<std::string> asked() const {
    std::vector<std::string> all;
    for (const sim::TraceRecord& record : simulation.scheduler.record().tracer().trace().records) {
      if (record.kind == sim::TraceKind::sent && record.process == 0)
        all.push_back(names_[record.peer]);
    }
    return all;
  }

  static constexpr sim::Duration kWay = std::chrono::microseconds(100);

  history::RecordedSimulation simulation;
  models::Tenures tenures;
  models::Keys keys;
  Directory directory;
  std::deque<Server> servers;
  std::deque<Sentinel> sentinels;
  Group group;
  Discovery discovery;
  SimClient redis;

 private:
  sim::Process& add(const std::string& name) {
    names_.push_back(name);
    return simulation.scheduler.processes().add(name);
  }

  // The Sentinel knows the replica and the other Sentinels, as if it had run for long.
  void set_up(std::size_t number, sim::Duration down_after) {
    SentinelConfig config{.name = group.name(),
                          .master = *directory.of(server(1).process()),
                          .down_after = down_after,
                          .replicas = {*directory.of(server(2).process())}};
    for (std::size_t other = 1; other <= sentinels.size(); ++other) {
      const Node* node = directory.of(process("sentinel-" + std::to_string(other)));
      if (other != number) config.sentinels.push_back(*node);
    }
    Sentinel& sentinel = sentinels[number - 1];
    sentinel.reset(simulation, process("sentinel-" + std::to_string(number)), directory,
                   {&config, 1});
    group.add_sentinel(sentinel);
  }

  std::size_t threads_ = 0;
  std::vector<std::string> names_;
  sim::Agenda agenda_;
};

}  // namespace picklock::redis
