// The servers of one ZooKeeper ensemble, and the grants that its tree shows.
//
//   Ensemble ensemble;
//   ensemble.reset(simulation, processes, tenures, lock_keys, settings);
#pragma once

#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "models/client/server_end.h"
#include "models/zookeeper/server.h"

namespace picklock::zookeeper {

class Ensemble {
 public:
  // `processes`: one for each server, in order. The first leads when a run begins.
  void reset(sim::Simulation& simulation, std::span<sim::Process* const> processes,
             GrantRecorder& grants, const Settings& settings);
  // The same for the locks of a scenario. `outlives_session`: the lock's own znode is not
  // ephemeral, and its owner still counts as holder.
  void reset(history::RecordedSimulation& simulation, std::span<sim::Process* const> processes,
             models::Tenures& tenures, std::span<const std::string> lock_keys,
             const Settings& settings, bool outlives_session = false);

  std::size_t size() const { return peers_.size(); }
  Server& server(std::size_t index) { return servers_[index]; }
  std::span<const models::ServerEnd> ends() const { return ends_; }
  Server* leader();  // the one that serves; nullptr: none

 private:
  Settings settings_;
  KnownLocks locks_;
  std::deque<Server> servers_;
  std::vector<QuorumPeer*> peers_;
  std::vector<models::ServerEnd> ends_;
};

}  // namespace picklock::zookeeper
