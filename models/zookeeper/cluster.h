// An ensemble and its clients in a world.
#pragma once

#include <vector>

#include "models/servers/cluster.h"
#include "models/zookeeper/ensemble.h"
#include "models/zookeeper/sim_client.h"

namespace picklock::zookeeper {

class Cluster final : public servers::ClusterOf<SimClient> {
 public:
  void build(const servers::Site& site) override;
  SimClient& connect(const servers::Site& site, const servers::Seat& seat) override;
  std::vector<servers::Door> doors() override;

 private:
  Ensemble ensemble_;
  AnyLock any_lock_;  // of clients outside
};

}  // namespace picklock::zookeeper
