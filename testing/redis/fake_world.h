// Sentinels, fake servers and a client that sends them requests, on one simulation. Test-only.
#pragma once

#include <gmock/gmock.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/redis/sentinel/sentinel.h"
#include "testing/agenda.h"
#include "testing/redis/fake_server.h"

namespace picklock::redis {

using namespace std::chrono_literals;

// A connection that keeps all replies and messages.
class Asker final : public LinkListener {
 public:
  void on_reply(Link&, std::uint64_t, std::string_view reply) override {
    replies.emplace_back(reply);
  }
  void on_pushed(Link&, std::string_view message) override { pushed.emplace_back(message); }
  void on_lost(Link&) override { lost = true; }

  Link link{*this};
  std::vector<std::string> replies;
  std::vector<std::string> pushed;
  bool lost = false;
};

class FakeWorld {
 public:
  using Duration = sim::Duration;

  struct Setup {
    std::uint64_t seed = 1;
    std::size_t sentinels = 3;
    std::size_t servers = 3;  // of each master: the first leads, the rest follow
    std::size_t masters = 1;
    std::uint32_t quorum = 2;
    Duration down_after = 1s;
    Duration failover_timeout = 6s;
    std::uint32_t parallel_syncs = 1;
    sim::Latency latency{.low = 50us, .high = 500us};
  };
  explicit FakeWorld(const Setup& setup) {
    sim::Scheduler& scheduler = simulation.scheduler;
    simulation.reset(setup.seed);
    simulation.network.set_latency(setup.latency);
    const std::size_t all = setup.servers * setup.masters;
    for (std::size_t i = 1; i <= all; ++i) scheduler.processes().add("redis-" + std::to_string(i));
    for (std::size_t i = 1; i <= setup.sentinels; ++i)
      scheduler.processes().add("sentinel-" + std::to_string(i));
    client = &scheduler.processes().add("client-1");
    servers.resize(all);
    sentinels.resize(setup.sentinels);
    sim::ProcessId id = 0;
    for (std::size_t i = 0; i < all; ++i) {
      servers[i].reset(simulation, scheduler.processes().at(id++), servers, i);
      if (i % setup.servers != 0) servers[i].follow(servers[i - i % setup.servers].address());
      directory.add(servers[i].node());
    }
    std::vector<SentinelConfig> configs;
    for (std::size_t i = 0; i < setup.masters; ++i) {
      configs.push_back({.name = "redis-" + std::to_string(i * setup.servers + 1),
                         .master = servers[i * setup.servers].node(),
                         .quorum = setup.quorum,
                         .down_after = setup.down_after,
                         .failover_timeout = setup.failover_timeout,
                         .parallel_syncs = setup.parallel_syncs});
    }
    for (Sentinel& sentinel : sentinels) {
      sim::Process& process = scheduler.processes().at(id++);
      sentinel.keep_events(true);
      sentinel.reset(simulation, process, directory, configs);
      directory.add({&process, &sentinel, kSentinelPort});
    }
  }

  FakeServer& server(std::size_t number) { return servers[number - 1]; }
  Sentinel& sentinel(std::size_t number) { return sentinels[number - 1]; }

  // Plans an action; call run() afterwards.
  void at(Duration when, std::function<void()> what) { agenda_.add(when, std::move(what)); }
  void run(Duration length) {
    sim::Scheduler& scheduler = simulation.scheduler;
    for (sim::ProcessId id = 0; id < scheduler.processes().count(); ++id)
      scheduler.processes().start(scheduler.processes().at(id));
    agenda_.arm(scheduler);
    scheduler.threads().spawn(
        *client,
        [&scheduler, length] {
          scheduler.sleep(length);
          // Heartbeats and messages held by a partition would keep the run going for ever.
          scheduler.stop();
        },
        true);
    scheduler.run();
  }

  void pause(const sim::Service& of) { simulation.scheduler.processes().pause(of.process()); }
  void resume(const sim::Service& of) { simulation.scheduler.processes().resume(of.process()); }
  void kill(const sim::Service& of) {
    simulation.network.crash(of.process(), false, false);
    simulation.scheduler.processes().halt(of.process(), false);
  }
  void restart(const sim::Service& of, sim::Keeps keeps = sim::Keeps::all) {
    simulation.scheduler.processes().restart(of.process(), keeps);
  }
  void cut(const sim::Service& one, const sim::Service& other) {
    simulation.network.block(one.process(), other.process());
    simulation.network.block(other.process(), one.process());
  }
  void heal(const sim::Service& one, const sim::Service& other) {
    simulation.network.unblock(one.process(), other.process());
    simulation.network.unblock(other.process(), one.process());
  }

  // Sends a request from the client's process; the answer arrives a moment later.
  void ask(Asker& asker, const Sentinel& of, std::initializer_list<std::string_view> argv) {
    if (!asker.link.dialled())
      asker.link.dial(simulation, *client, directory.of(of.process()), ++dials_);
    asker.link.send(argv);
  }

  // When the Sentinel first wrote a line that begins so, at or after an instant.
  static std::optional<Duration> when(const Sentinel& of, std::string_view line,
                                      Duration from = Duration::zero()) {
    for (const Sentinel::Event& event : of.events()) {
      if (event.at >= sim::kStart + from && event.line.starts_with(line))
        return event.at - sim::kStart;
    }
    return std::nullopt;
  }
  static std::size_t count(const Sentinel& of, std::string_view line) {
    std::size_t found = 0;
    for (const Sentinel::Event& event : of.events())
      found += event.line.starts_with(line) ? 1u : 0u;
    return found;
  }
  std::size_t count(std::string_view line) const {
    std::size_t found = 0;
    for (const Sentinel& sentinel : sentinels) found += count(sentinel, line);
    return found;
  }
  Sentinel* leader() {
    for (Sentinel& sentinel : sentinels) {
      if (when(sentinel, "+elected-leader")) return &sentinel;
    }
    return nullptr;
  }
  const Address& master_of(std::size_t number, std::string_view name = "redis-1") {
    return sentinel(number).master(name)->current_address();
  }
  FakeServer& server_at(const Address& address) {
    for (FakeServer& server : servers) {
      if (server.address() == address) return server;
    }
    std::abort();
  }

  sim::Simulation simulation;
  Directory directory;
  std::deque<FakeServer> servers;
  std::deque<Sentinel> sentinels;
  sim::Process* client = nullptr;

 private:
  sim::Agenda agenda_;
  std::uint32_t dials_ = 0;
};

}  // namespace picklock::redis
