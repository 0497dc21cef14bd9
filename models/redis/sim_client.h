// redis::Client over the simulated network: one connection per client process and server, shared by
// the process's threads, given up and dialled anew after a command has timed out.
#pragma once

#include "models/redis/client.h"
#include "models/redis/server.h"
#include "sim/caller.h"

namespace picklock::models::redis {

class SimClient final : public Client {
 public:
  // `patience` is how long a command waits for its answer; 0: for ever.
  void reset(sim::Simulation& simulation, sim::Process& self, Server& server, Duration patience);
  void forget() { caller_.forget(); }

  Reply call(Role role, std::span<const std::string_view> argv) override;

 private:
  sim::Scheduler* scheduler_ = nullptr;
  sim::Caller caller_;
  Duration patience_{};
};

}  // namespace picklock::models::redis
