// A real server in the place of a simulated one. Each simulated connection has its own TCP
// connection, and is reset when that ends. Clients and locks meet the same objects as in the
// simulation (architecture "Locks on real servers").
#pragma once

#include <netinet/in.h>
#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conform/real/real_link.h"
#include "sim/simulation.h"

namespace picklock::conform::real {

class RealEndpoint : public sim::Endpoint {
 public:
  // `process` represents the server's machine. Throws std::invalid_argument if the address is not
  // numeric, because nothing may wait for a name to be resolved.
  RealEndpoint(sim::Simulation& simulation, sim::Process& process, const std::string& host,
               std::uint16_t port);
  RealEndpoint(const RealEndpoint&) = delete;
  RealEndpoint& operator=(const RealEndpoint&) = delete;

  // Appends the sockets to wait for; take_in() gets the same number of them, with their events.
  void watch(std::vector<pollfd>& sockets) const;
  std::size_t watched() const { return links_.size(); }
  void take_in(std::span<const pollfd> sockets);

  // --- sim::Endpoint
  void on_message(sim::Connection& connection, sim::Message& request) final;
  void on_reset(sim::Connection& connection) final { drop(connection); }
  void on_closed(sim::Connection& connection) final { drop(connection); }

 protected:
  ~RealEndpoint() = default;

  sim::Process& process() const { return process_; }
  std::uint16_t port() const { return ntohs(where_.sin_port); }

 private:
  virtual std::unique_ptr<RealLink> dial(sim::Simulation& simulation, sim::Connection& connection,
                                         const sockaddr_in& where) const = 0;

  RealLink& link_of(sim::Connection& connection);
  void drop(sim::Connection& connection);
  void lose(const RealLink& link);

  sim::Simulation& simulation_;
  sim::Process& process_;
  sockaddr_in where_{};
  std::deque<std::unique_ptr<RealLink>> links_;
};

}  // namespace picklock::conform::real
