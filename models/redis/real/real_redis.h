// A real redis-server in the place of a simulated one.
#pragma once

#include <memory>

#include "models/real/real_endpoint.h"
#include "models/redis/conform/real_server.h"
#include "models/redis/directory.h"

namespace picklock::redis::real {

class RealRedis final : public models::real::RealEndpoint {
 public:
  RealRedis(sim::Simulation& simulation, sim::Process& process, const conform::Address& address)
      : RealEndpoint(simulation, process, address.host, address.port) {}

  Node node() { return {.process = &process(), .endpoint = this, .port = port()}; }

 private:
  std::unique_ptr<models::real::RealLink> dial(sim::Simulation& simulation,
                                               sim::Connection& connection,
                                               const sockaddr_in& where) const override;
};

}  // namespace picklock::redis::real
