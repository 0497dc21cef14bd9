// Runs a simulation at the pace of the machine's own steady clock; only `poll` ever blocks
// (architecture "Locks on real servers"):
//
//   sim::Simulation simulation;
//   simulation.reset(seed);
//   RealTime time(simulation);
//   conform::redis::real::RealRedis server(simulation,
//   simulation.scheduler.processes().add("redis-1"),
//                                 {"127.0.0.1", 6379});
//   time.watch(server);
//   machine.reset(simulation, client, std::array{server.node()}, ...);  //
//   models/client/sim_client.h
#pragma once

#include <poll.h>

#include <chrono>
#include <vector>

#include "conform/real/real_endpoint.h"
#include "sim/pacer.h"
#include "sim/simulation.h"

namespace picklock::conform::real {

class RealTime final : public sim::Pacer {
 public:
  // The simulated part of each message's way takes no time.
  explicit RealTime(sim::Simulation& simulation);

  void watch(RealEndpoint& server) { servers_.push_back(&server); }

  // --- sim::Pacer
  sim::Instant wait(sim::Instant next) override;
  void take_in() override;

 private:
  sim::Instant now() const;

  std::chrono::steady_clock::time_point begun_;
  std::vector<RealEndpoint*> servers_;
  std::vector<pollfd> sockets_;
};

}  // namespace picklock::conform::real
