// A real ZooKeeper server in the place of a simulated one.
#pragma once

#include <memory>

#include "conform/address.h"
#include "conform/real/real_endpoint.h"
#include "models/client/server_end.h"

namespace picklock::conform::zookeeper::real {

class RealZooKeeper final : public conform::real::RealEndpoint {
 public:
  RealZooKeeper(sim::Simulation& simulation, sim::Process& process, const Address& address)
      : RealEndpoint(simulation, process, address.host, address.port) {}

  models::ServerEnd end() { return {.process = &process(), .endpoint = this}; }

 private:
  std::unique_ptr<conform::real::RealLink> dial(sim::Simulation& simulation,
                                                sim::Connection& connection,
                                                const sockaddr_in& where) const override;
};

}  // namespace picklock::conform::zookeeper::real
