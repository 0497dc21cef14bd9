// A primary, its replicas and the Sentinels that watch them, with the address at which clients find
// the leading server. Only an operator (the fault `fail-over`) points the address at another
// server; a decision of the Sentinels does not move it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/redis/directory.h"
#include "models/redis/sentinel/sentinel.h"
#include "models/redis/server.h"

namespace picklock::redis {

class Group {
 public:
  // Begins with the primary alone. The directory must contain every member and outlive the run.
  void reset(std::string_view name, Server& primary, const Directory& directory);
  void add_replica(Server& replica);
  void add_sentinel(Sentinel& sentinel) { sentinels_.push_back(&sentinel); }

  const std::string& name() const { return name_; }
  Server& primary() const { return *members_.front(); }  // the first one
  std::size_t replicas() const { return members_.size() - 1; }
  Server& replica(std::size_t index) const { return *members_[index + 1]; }
  const std::vector<Sentinel*>& sentinels() const { return sentinels_; }
  const Directory& directory() const { return *directory_; }
  Server& at_address() const { return *leader_; }
  bool has(const sim::Process& process) const;
  bool replicates(const sim::Process& process) const;  // it is a member, and a replica now

  // `lost` is gone for good: `to`, or the replica that has received most, leads from now on, and
  // the others follow it. Nothing happens if `lost` did not lead or no replica is left.
  void fail_over(const Server& lost, const sim::Process* to);
  // One of its servers has become a master: servers that are down no longer count as serving.
  void promoted(const sim::Process& server);

 private:
  std::string name_;
  const Directory* directory_ = nullptr;
  std::vector<Server*> members_;
  std::vector<Sentinel*> sentinels_;
  Server* leader_ = nullptr;
};

}  // namespace picklock::redis
