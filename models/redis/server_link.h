// A client process's connection to whichever server of a group leads. Where several may, it asks
// anew which of them does whenever it dials.
#pragma once

#include "models/redis/discovery.h"
#include "models/redis/server.h"
#include "sim/caller.h"

namespace picklock::redis {

class ServerLink {
 public:
  // Connected already; one of several, `number` 1 and on, dials when it is needed. `discovery`
  // nullptr: it is always this server.
  void reset(sim::Simulation& simulation, sim::Process& self, const Node& server,
             Discovery* discovery = nullptr, std::uint32_t number = 0);
  void forget() { caller_.forget(); }

  // Where a call would go is known. False: nobody could say who leads; whoever is asked has
  // `patience` to answer, and all of them what is left.
  bool find_server(sim::Duration patience, const sim::TimeLeft& left = {});
  // Who leads may have changed: the next call asks.
  void doubt() { caller_.hang_up(); }
  // Another server leads: what is connected elsewhere is given up.
  void follow(const Node& leader);

  sim::Caller& caller() { return caller_; }

 private:
  sim::Caller caller_;
  Discovery* discovery_ = nullptr;
  const sim::Process* aimed_at_ = nullptr;
};

}  // namespace picklock::redis
