// A real redis-server in the place of a simulated one: what arrives on a simulated connection is
// written to a TCP connection of its own, and what comes back goes to whoever has asked. Clients
// and locks meet the very objects that they meet in the simulation (architecture 8.21).
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/conform/frame.h"
#include "models/redis/conform/real_server.h"
#include "models/redis/directory.h"
#include "sim/simulation.h"

namespace picklock::models::redis::real {

class RealRedis final : public sim::Endpoint {
 public:
  // `process` stands for the server's machine. The address is numeric: nothing may wait for a name.
  RealRedis(sim::Simulation& simulation, sim::Process& process, conform::Address address);
  RealRedis(const RealRedis&) = delete;
  RealRedis& operator=(const RealRedis&) = delete;
  ~RealRedis();

  Node node() { return {.process = &process_, .endpoint = this, .port = address_.port}; }

  // What to wait for; then as many again, with what has happened to each.
  void watch(std::vector<pollfd>& sockets) const;
  std::size_t watched() const { return links_.size(); }
  void take_in(std::span<const pollfd> sockets);

  // --- sim::Endpoint
  void on_message(sim::Connection& connection, sim::Message& request) override;
  void on_reset(sim::Connection& connection) override;
  void on_closed(sim::Connection& connection) override;

 private:
  // A request that is not answered yet: what its answer has to carry.
  struct Asked {
    std::uint32_t call = 0;
    std::uint32_t waiter = 0;
    sim::ThreadId thread = 0;
    sim::TenureId tenure = 0;
    std::uint8_t role = 0;
    bool stray = false;
    std::size_t frames = 1;   // of the answer, still to come
    std::string answer = {};  // those that have come
  };
  struct Link;

  Link& link_of(sim::Connection& connection);
  std::unique_ptr<Link> dial(sim::Connection& connection) const;
  void read(Link& link);
  void answer(Link& link, const conform::Frame& frame, std::string_view bytes);
  static void write(Link& link);
  void drop(sim::Connection& connection);
  void lose(Link& link);

  sim::Simulation& simulation_;
  sim::Process& process_;
  conform::Address address_;
  std::deque<std::unique_ptr<Link>> links_;
};

}  // namespace picklock::models::redis::real
