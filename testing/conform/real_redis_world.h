// Clients on real redis-servers of our own: the real counterpart of testing/small_world.h. The
// servers live as long as the program, and are emptied when a world is made. Test-only.
#pragma once

#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conform/redis/frame.h"
#include "conform/redis/real/real_redis.h"
#include "conform/redis/real_server.h"
#include "conform/socket.h"
#include "models/redis/client_end.h"
#include "testing/conform/real_clients.h"

namespace picklock::conform::redis::real {

using namespace picklock::redis;

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

class RealWorld : public conform::real::RealClients<RealWorld> {
 public:
  static constexpr Duration kCommandTimeout = std::chrono::seconds(60);

  explicit RealWorld(std::uint32_t clients, std::size_t count = RealServers::kCount,
                     const models::LockOptions& options = {.command_timeout = kCommandTimeout})
      : RealWorld(std::vector<models::LockOptions>(clients, options), count) {}

  // For each client the options of its lock.
  explicit RealWorld(const std::vector<models::LockOptions>& options,
                     std::size_t count = RealServers::kCount)
      : RealClients(options.size(), "lock") {
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < count; ++i) {
      const Address& address = RealServers::all().address(i);
      onlookers.emplace_back(address).ask({"FLUSHALL"});
      onlookers.back().ask({"SCRIPT", "FLUSH"});
      sim::Process& process =
          simulation.scheduler.processes().add("redis-" + std::to_string(i + 1));
      time->watch(servers.emplace_back(simulation, process, address));
      nodes.push_back(servers.back().node());
    }
    add_machines(options);
    for (std::size_t i = 0; i < options.size(); ++i) {
      connections.emplace_back().reset(simulation, machines[i].process(), nodes, options[i]);
      machines[i].connect(connections.back());
    }
  }

  bool held(std::string_view key) {
    for (Onlooker& onlooker : onlookers) {
      if (onlooker.exists(key)) return true;
    }
    return false;
  }

  std::deque<RealRedis> servers;
  std::deque<picklock::redis::ClientEnd> connections;  // of each client
  std::deque<Onlooker> onlookers;                      // one at each server
};

}  // namespace picklock::conform::redis::real
