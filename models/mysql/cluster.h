// A primary, its replicas and their clients in a world.
#pragma once

#include "models/mysql/server.h"
#include "models/mysql/sim_client.h"
#include "models/servers/cluster.h"

namespace picklock::mysql {

class Cluster final : public servers::ClusterOf<SimClient> {
 public:
  void build(const servers::Site& site) override;
  SimClient& connect(const servers::Site& site, const servers::Seat& seat) override;
  bool may_grant(const sim::Process& process) const override;
  bool asks_for_password() const override { return true; }
  std::vector<servers::Door> doors() override;

  Group& group() { return group_; }

 private:
  Group group_;
};

}  // namespace picklock::mysql
