// A real redis-server in the place of a simulated one.
#pragma once

#include <memory>

#include "conform/address.h"
#include "conform/real/real_endpoint.h"
#include "models/redis/directory.h"

namespace picklock::conform::redis::real {

using namespace picklock::redis;

class RealRedis final : public conform::real::RealEndpoint {
 public:
  RealRedis(sim::Simulation& simulation, sim::Process& process, const Address& address)
      : RealEndpoint(simulation, process, address.host, address.port) {}

  Node node() { return {.process = &process(), .endpoint = this, .port = port()}; }

 private:
  std::unique_ptr<conform::real::RealLink> dial(sim::Simulation& simulation,
                                                sim::Connection& connection,
                                                const sockaddr_in& where) const override;
};

}  // namespace picklock::conform::redis::real
