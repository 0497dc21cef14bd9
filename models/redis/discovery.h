// How a client process finds the leading server of a group. It dials the group's address, or it
// asks the group's Sentinels in turn until one knows a master (redis.io, Guidelines for Redis
// clients with support for Redis Sentinel). The answer may be out of date when the client connects.
#pragma once

#include <cstdint>
#include <deque>

#include "models/redis/group.h"
#include "models/servers/find_by.h"
#include "sim/caller.h"
#include "sim/time_left.h"

namespace picklock::redis {

class Discovery {
 public:
  void reset(sim::Simulation& simulation, sim::Process& self, const Group& group,
             servers::FindBy by);
  void forget();  // the process has crashed

  servers::FindBy by() const { return by_; }
  // Returns the server to dial; nullptr: no Sentinel knew one. Each Sentinel has `patience` to
  // answer, and all of them together have `left`. Parks.
  const Node* find(sim::Duration patience, const sim::TimeLeft& left = {});

 private:
  const Node* ask(sim::Caller& sentinel, sim::Duration patience, const sim::TimeLeft& left);

  const Group* group_ = nullptr;
  servers::FindBy by_ = servers::FindBy::address;
  std::deque<sim::Caller> sentinels_;
  std::size_t used_ = 0;
  std::size_t first_ = 0;  // the first Sentinel to ask: the one that has answered last
};

}  // namespace picklock::redis
