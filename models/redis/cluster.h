// The Redis servers, the Sentinels and their clients in a world.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/client_end.h"
#include "models/redis/group.h"
#include "models/redis/slots.h"
#include "models/servers/cluster.h"

namespace picklock::redis {

class Cluster final : public servers::ClusterOf<ClientEnd> {
 public:
  void set(const servers::Setting& setting) override;
  void build(const servers::Site& site) override;
  ClientEnd& connect(const servers::Site& site, const servers::Seat& seat) override;
  bool may_grant(const sim::Process& process) const override;
  bool asks_for_password() const override { return true; }
  std::vector<servers::Door> doors() override;
  servers::Door behind(const servers::Door& door) const override;

 private:
  Node node(std::size_t process, Node apart) const;
  void enlist(const servers::Site& site);
  void build_servers(const servers::Site& site);
  void build_sentinels(const servers::Site& site);

  std::vector<std::vector<std::string>> configs_;  // of each process: names and values by turns
  std::vector<std::string_view> words_;
  Directory directory_;
  std::deque<Server> servers_;      // in the order of their processes
  std::deque<Sentinel> sentinels_;  // the same
  std::vector<Group> groups_;
  Slots slots_;  // of a Redis Cluster
};

}  // namespace picklock::redis
