// How a client process finds the leading server of a group. It dials the group's address, or it
// asks the group's Sentinels in turn until one knows a master (redis.io, Guidelines for Redis
// clients with support for Redis Sentinel), or in the same way the nodes of a Redis Cluster. The
// answer may be out of date when the client connects.
#pragma once

#include <cstdint>
#include <deque>

#include "models/redis/group.h"
#include "models/redis/slots.h"
#include "models/servers/find_by.h"
#include "sim/caller.h"
#include "sim/time_left.h"

namespace picklock::redis {

class Discovery {
 public:
  void reset(sim::Simulation& simulation, sim::Process& self, const Group& group,
             servers::FindBy by);
  // Asks the nodes of the cluster, its own group's last, which of them serves the group's slots.
  void reset_in_cluster(sim::Simulation& simulation, sim::Process& self, const Slots& slots,
                        const Group& group);
  void forget();  // the process has crashed

  servers::FindBy by() const { return by_; }
  // Returns the server to dial; nullptr: nobody knew one. Each Sentinel or node has `patience` to
  // answer, and all of them together have `left`. Parks.
  const Node* find(sim::Duration patience, const sim::TimeLeft& left = {});

 private:
  const Node* ask(sim::Caller& one, sim::Duration patience, const sim::TimeLeft& left);
  // The address in the reply of a Sentinel or of a node; nullptr: there is none.
  const Node* node_in(const Reply& reply) const;
  sim::Caller& next_caller();

  const Group* group_ = nullptr;
  bool in_cluster_ = false;
  std::uint16_t slot_ = 0;  // one that the group has
  servers::FindBy by_ = servers::FindBy::address;
  std::deque<sim::Caller> asked_;  // Sentinels, or nodes of the cluster
  std::size_t used_ = 0;
  std::size_t first_ = 0;  // the first one to ask: the one that has answered last
};

}  // namespace picklock::redis
