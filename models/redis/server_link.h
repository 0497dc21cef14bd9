// A client process's connection to the leading server of a group. If several servers may lead, it
// looks up the leader each time it dials.
#pragma once

#include "models/redis/discovery.h"
#include "models/redis/server.h"
#include "sim/caller.h"

namespace picklock::redis {

class ServerLink {
 public:
  // The link is connected already; but if there are several, those with a `number` of 1 or more
  // dial when they are needed. `discovery` nullptr: it is always this server.
  void reset(sim::Simulation& simulation, sim::Process& self, const Node& server,
             Discovery* discovery = nullptr, std::uint32_t number = 0);
  void forget() { caller_.forget(); }

  // Finds the server for the next call. False: no Sentinel knew the leader. Each Sentinel has
  // `patience` to answer, and all of them together have `left`.
  bool find_server(sim::Duration patience, const sim::TimeLeft& left = {});
  // The leader may have changed: the next call looks it up.
  void doubt() { caller_.hang_up(); }
  // `leader` leads now: a connection to another server is given up.
  void follow(const Node& leader);

  sim::Caller& caller() { return caller_; }

 private:
  sim::Caller caller_;
  Discovery* discovery_ = nullptr;
  const sim::Process* aimed_at_ = nullptr;
};

}  // namespace picklock::redis
