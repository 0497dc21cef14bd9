// Clients on a real ZooKeeper server of our own: the real counterpart of testing/small_world.h. The
// server lives as long as the program, and keeps what earlier tests have left there. Test-only.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conform/zookeeper/real/real_zookeeper.h"
#include "conform/zookeeper/real_server.h"
#include "models/zookeeper/names.h"
#include "models/zookeeper/sim_client.h"
#include "testing/conform/real_clients.h"

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

class RealWorld : public conform::real::RealClients<RealWorld> {
 public:
  // No session ends because a machine is busy, unless a test asks for a short one.
  static constexpr Duration kLongSession = std::chrono::seconds(600);

  static const Address& server_address() {
    static const RealServer server("maxSessionTimeout=600000\n");
    return server.address();
  }

  explicit RealWorld(std::uint32_t clients,
                     const models::LockOptions& options = {.ttl = kLongSession})
      : RealWorld(std::vector<models::LockOptions>(clients, options)) {}

  // For each client the options of its lock; `ttl` is the time-out of its session.
  explicit RealWorld(const std::vector<models::LockOptions>& options,
                     const Address& address = server_address())
      : RealClients(options.size(), "lock"),
        server(simulation, simulation.scheduler.processes().add("zookeeper-1"), address),
        ends{server.end()},
        onlooker(address) {
    time->watch(server);
    add_machines(options);
    for (std::size_t i = 0; i < options.size(); ++i) {
      sessions.emplace_back().reset(simulation, machines[i].process(), ends, options[i], 0);
      machines[i].connect(sessions.back());
    }
  }

  void run() {
    for (models::ClientMachine& machine : machines) machine.started();
    run_for(std::chrono::seconds(120));
  }

  RealZooKeeper server;
  std::vector<models::ServerEnd> ends;
  std::deque<picklock::zookeeper::SimClient> sessions;
  Onlooker onlooker;
};

}  // namespace picklock::conform::zookeeper::real
