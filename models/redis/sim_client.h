// redis::Client over the simulated network: one connection per client process and server, shared by
// the process's threads, given up and dialled anew after a command has timed out. A command without
// an answer may be sent again: the same operation, with as many effects (architecture 8.3). Where
// several servers may lead, it asks anew which of them does whenever it dials.
#pragma once

#include "models/redis/client.h"
#include "models/redis/discovery.h"
#include "models/redis/server.h"
#include "sim/caller.h"

namespace picklock::models::redis {

class SimClient final : public Client {
 public:
  // `server` is connected already. `patience` is how long a command waits for its answer; 0: for
  // ever. `resend` is how often it is sent again. `discovery` nullptr: it is always this server.
  void reset(sim::Simulation& simulation, sim::Process& self, const Node& server, Duration patience,
             std::uint32_t resend = 0, Discovery* discovery = nullptr);
  void reset(sim::Simulation& simulation, sim::Process& self, Server& server, Duration patience,
             std::uint32_t resend = 0, Discovery* discovery = nullptr) {
    reset(simulation, self, Node{.process = &server.process(), .endpoint = &server}, patience,
          resend, discovery);
  }
  void forget() { caller_.forget(); }

  Reply call(Role role, std::span<const std::string_view> argv) override;

 private:
  bool find_server();

  sim::Scheduler* scheduler_ = nullptr;
  Discovery* discovery_ = nullptr;
  sim::Caller caller_;
  Duration patience_{};
  std::uint32_t resend_ = 0;
};

}  // namespace picklock::models::redis
