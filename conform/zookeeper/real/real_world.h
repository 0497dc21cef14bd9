// Clients on a real ZooKeeper server of our own: the real counterpart of models/small_world.h. The
// server lives as long as the program, and keeps what earlier tests have left there. Test-only.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conform/real/real_time.h"
#include "conform/zookeeper/real/real_zookeeper.h"
#include "conform/zookeeper/real_server.h"
#include "history/recorded_simulation.h"
#include "models/sim_client.h"
#include "models/zookeeper/names.h"
#include "picklock/client.h"

namespace picklock::conform::zookeeper::real {

using namespace picklock::zookeeper;

// The server's own statements, which it makes without a session: a test uses them to inspect it.
class Onlooker {
 public:
  explicit Onlooker(Address address) : address_(std::move(address)) {}

  // The ephemeral znode of this path, or those below it, in the order of their numbers.
  std::vector<std::string> ephemerals(const std::string& path) const {
    std::vector<std::string> found;
    for (const std::string& line : said("dump")) {
      if (line == "\t" + path || line.starts_with("\t" + path + "/"))
        found.push_back(line.substr(1));
    }
    std::sort(found.begin(), found.end(), [](const std::string& one, const std::string& other) {
      return sequence_of(one) < sequence_of(other);
    });
    return found;
  }

  // The number of sessions that watch the znode of this path, whether or not it exists.
  std::size_t watchers(const std::string& path) const {
    const std::vector<std::string> lines = said("wchp");
    const auto at = std::find(lines.begin(), lines.end(), path);
    if (at == lines.end()) return 0;
    const auto end = std::find_if_not(
        at + 1, lines.end(), [](const std::string& line) { return line.starts_with('\t'); });
    return static_cast<std::size_t>(end - at - 1);
  }

 private:
  std::vector<std::string> said(std::string_view word) const {
    std::istringstream text(four_letters(address_, word));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  Address address_;
};

class RealWorld {
 public:
  using Body = std::function<void(RealWorld& world, picklock::Client& self)>;

  // Only a test that requests a short session may lose it because the machine is busy.
  static constexpr Duration kLongSession = std::chrono::seconds(600);

  // A run that takes longer ends; then its test fails because results are missing.
  static constexpr Duration kLongestRun = std::chrono::seconds(120);

  static const Address& server_address() {
    static const RealServer server("maxSessionTimeout=600000\n");
    return server.address();
  }

  explicit RealWorld(std::uint32_t clients,
                     const models::LockOptions& options = {.ttl = kLongSession})
      : RealWorld(std::vector<models::LockOptions>(clients, options)) {}

  // `options` has the options of each client's lock; `ttl` is the time-out of its session.
  explicit RealWorld(const std::vector<models::LockOptions>& options,
                     const Address& address = server_address())
      : onlooker(address) {
    const auto clients = static_cast<std::uint32_t>(options.size());
    simulation.reset(static_cast<std::uint64_t>(getpid()));
    time = std::make_unique<conform::real::RealTime>(simulation);
    keys.reset();
    tenures.reset(keys.id("lock"));
    sim::Scheduler& scheduler = simulation.scheduler;
    const sim::Duration offset = conform::real::RealTime::clock_offset();
    for (std::uint32_t i = 1; i <= clients; ++i)
      scheduler.add_process("client-" + std::to_string(i), offset);
    server =
        std::make_unique<RealZooKeeper>(simulation, scheduler.add_process("zookeeper-1"), address);
    time->watch(*server);
    ends = {server->end()};
    resource.reset(simulation, scheduler.add_process("resource"), tenures,
                   models::FencedBy::nothing);
    for (std::uint32_t i = 0; i < clients; ++i) {
      models::ClientMachine& machine = machines.emplace_back();
      machine.reset(simulation, scheduler.process(i), std::span<const picklock::redis::Node>(),
                    resource, options[i], options[i].command_timeout, keys.id("lock"));
      machine.connect(ends, options[i], 0);
    }
    simulation.nemesis.reset({}, 0, clients);
  }

  // A thread of client 1, 2, ...
  sim::Thread& client(std::uint32_t number, Body body) {
    return simulation.scheduler.spawn(
        process(number),
        [this, number, run = std::move(body)] {
          simulation.scheduler.running()->tag = tenures.begin();
          models::SimClient self(machines[number - 1]);
          run(*this, self);
        },
        true);
  }

  // Ends the process of this client, with all its threads. Call it from a thread of another.
  void crash(std::uint32_t number) {
    simulation.network.crash(process(number), false, false);
    simulation.scheduler.halt(process(number), false);
    machines[number - 1].forget();
  }
  void pause(std::uint32_t number) { simulation.scheduler.pause(process(number)); }
  void resume(std::uint32_t number) { simulation.scheduler.resume(process(number)); }

  // Whether the calling thread, one of this client's, has been told that its lock is lost.
  bool has_lost(std::uint32_t number) {
    return machines[number - 1].has_lost(simulation.scheduler.running()->tag);
  }

  void run() {
    sim::Scheduler& scheduler = simulation.scheduler;
    scheduler.arm(
        scheduler.add_timer(
            nullptr, [](void* self, std::uint32_t) { static_cast<sim::Scheduler*>(self)->stop(); },
            &scheduler, 0),
        sim::kStart + kLongestRun);
    for (models::ClientMachine& machine : machines) machine.started();
    scheduler.run();
  }

  sim::Process& process(std::uint32_t number) { return simulation.scheduler.process(number - 1); }

  // Leaves room for calls that inspect the server from within a thread.
  history::RecordedSimulation simulation{std::size_t{512} << 10};
  std::unique_ptr<conform::real::RealTime> time;
  models::Tenures tenures;
  models::Keys keys;
  models::Resource resource;
  std::unique_ptr<RealZooKeeper> server;
  std::vector<models::ServerEnd> ends;
  std::deque<models::ClientMachine> machines;
  Onlooker onlooker;
};

}  // namespace picklock::conform::zookeeper::real
