// A lease store and its clients in a world.
#pragma once

#include "models/lease_store/lease_store.h"
#include "models/lease_store/sim_client.h"
#include "models/servers/cluster.h"

namespace picklock::lease_store {

class Cluster final : public servers::ClusterOf<SimClient> {
 public:
  void build(const servers::Site& site) override;
  SimClient& connect(const servers::Site& site, const servers::Seat& seat) override;

  LeaseStore& store() { return store_; }

 private:
  LeaseStore store_;
};

}  // namespace picklock::lease_store
