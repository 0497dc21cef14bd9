// A real ZooKeeper server in the place of a simulated one.
#pragma once

#include <memory>

#include "models/real/real_endpoint.h"
#include "models/server_end.h"
#include "models/zookeeper/conform/real_server.h"

namespace picklock::zookeeper::real {

class RealZooKeeper final : public models::real::RealEndpoint {
 public:
  RealZooKeeper(sim::Simulation& simulation, sim::Process& process, const conform::Address& address)
      : RealEndpoint(simulation, process, address.host, address.port) {}

  models::ServerEnd end() { return {.process = &process(), .endpoint = this}; }

 private:
  std::unique_ptr<models::real::RealLink> dial(sim::Simulation& simulation,
                                               sim::Connection& connection,
                                               const sockaddr_in& where) const override;
};

}  // namespace picklock::zookeeper::real
