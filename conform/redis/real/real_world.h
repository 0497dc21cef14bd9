// Clients on real redis-servers of our own: the real counterpart of models/small_world.h. The
// servers live as long as the program, and are emptied when a world is made. Test-only.
#pragma once

#include <unistd.h>

#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conform/real/real_time.h"
#include "conform/redis/frame.h"
#include "conform/redis/real/real_redis.h"
#include "conform/redis/real_server.h"
#include "conform/socket.h"
#include "history/recorded_simulation.h"
#include "models/sim_client.h"
#include "picklock/client.h"

namespace picklock::conform::redis::real {

using namespace picklock::redis;

using conform::real::RealTime;

// redis-1, redis-2, ...
class RealServers {
 public:
  static constexpr std::size_t kCount = 3;

  static RealServers& all() {
    static RealServers servers;
    return servers;
  }

  const Address& address(std::size_t server) const { return servers_[server]->address(); }

 private:
  RealServers() {
    for (std::size_t i = 1; i <= kCount; ++i) {
      servers_.push_back(std::make_unique<RealServer>(
          Settings{.name = "redis-" + std::to_string(i),
                   .configuration = "save \"\"\nappendonly no\njemalloc-bg-thread no\nhz 100"}));
    }
  }

  std::vector<std::unique_ptr<RealServer>> servers_;
};

// A connection that belongs to no client: a test uses it to inspect and steer a server.
class Onlooker {
 public:
  explicit Onlooker(const Address& address) : socket_(address) {}

  Frame ask(const std::vector<std::string>& words) {
    socket_.send(request_of(words));
    return next();
  }
  std::int64_t number(const std::vector<std::string>& words) {
    const Frame frame = ask(words);
    if (frame.kind != ':') throw std::runtime_error(words[0] + " is answered " + frame.text);
    return std::stoll(frame.text);
  }
  bool exists(std::string_view key) { return number({"EXISTS", std::string(key)}) == 1; }
  std::int64_t pttl(std::string_view key) { return number({"PTTL", std::string(key)}); }

  Frame next() {
    Frame frame;
    constexpr int kPatience = 2000;  // times the wait of soon()
    for (int i = 0; i < kPatience && !socket_.ended(); ++i) {
      std::string_view bytes = socket_.received();
      if (take_frame(bytes, frame) == Framing::whole) {
        socket_.received().erase(0, socket_.received().size() - bytes.size());
        return frame;
      }
      socket_.soon();
    }
    throw std::runtime_error("a real server does not answer");
  }

 private:
  Socket socket_;
};

class RealWorld {
 public:
  using Body = std::function<void(RealWorld& world, picklock::Client& self)>;

  static constexpr Duration kCommandTimeout = std::chrono::seconds(60);

  explicit RealWorld(std::uint32_t clients, std::size_t count = RealServers::kCount,
                     const models::LockOptions& options = {.command_timeout = kCommandTimeout})
      : RealWorld(std::vector<models::LockOptions>(clients, options), count) {}

  // `options` has the options of each client's lock.
  explicit RealWorld(const std::vector<models::LockOptions>& options,
                     std::size_t count = RealServers::kCount) {
    const auto clients = static_cast<std::uint32_t>(options.size());
    simulation.reset(static_cast<std::uint64_t>(getpid()));
    time = std::make_unique<RealTime>(simulation);
    keys.reset();
    tenures.reset(keys.id("lock"));
    sim::Scheduler& scheduler = simulation.scheduler;
    const sim::Duration offset = RealTime::clock_offset();
    for (std::uint32_t i = 1; i <= clients; ++i)
      scheduler.add_process("client-" + std::to_string(i), offset);
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < count; ++i) {
      const Address& address = RealServers::all().address(i);
      onlookers.emplace_back(address).ask({"FLUSHALL"});
      onlookers.back().ask({"SCRIPT", "FLUSH"});
      sim::Process& process = scheduler.add_process("redis-" + std::to_string(i + 1));
      time->watch(servers.emplace_back(simulation, process, address));
      nodes.push_back(servers.back().node());
    }
    resource.reset(simulation, scheduler.add_process("resource"), tenures,
                   models::FencedBy::nothing);
    for (std::uint32_t i = 0; i < clients; ++i) {
      machines.emplace_back().reset(simulation, scheduler.process(i), nodes, resource, options[i],
                                    options[i].command_timeout, keys.id("lock"));
    }
    simulation.nemesis.reset({}, 0, clients);
  }

  // A thread of client 1, 2, ...
  void client(std::uint32_t number, Body body) {
    simulation.scheduler.spawn(
        simulation.scheduler.process(number - 1),
        [this, number, run = std::move(body)] {
          simulation.scheduler.running()->tag = tenures.begin();
          models::SimClient self(machines[number - 1]);
          run(*this, self);
        },
        true);
  }

  // Ends the process of this client, with all its threads. Call it from a thread of another.
  void crash(std::uint32_t number) {
    sim::Process& process = simulation.scheduler.process(number - 1);
    simulation.network.crash(process, false, false);
    simulation.scheduler.halt(process, false);
    machines[number - 1].forget();
  }

  void run() { simulation.scheduler.run(); }

  bool held(std::string_view key) {
    for (Onlooker& onlooker : onlookers) {
      if (onlooker.exists(key)) return true;
    }
    return false;
  }

  // Leaves room for calls that inspect servers from within a thread.
  history::RecordedSimulation simulation{std::size_t{512} << 10};
  std::unique_ptr<RealTime> time;
  models::Tenures tenures;
  models::Keys keys;
  models::Resource resource;
  std::deque<RealRedis> servers;
  std::deque<Onlooker> onlookers;  // one at each server
  std::deque<models::ClientMachine> machines;
};

}  // namespace picklock::conform::redis::real
