// Redis servers and Sentinels of our own, each with a wall clock that we set.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conform/redis/outcomes/situation.h"
#include "conform/redis/real_server.h"

namespace picklock::conform::redis::outcomes {

class RealGroup {
 public:
  explicit RealGroup(const Group& group);

  RealServer& node(std::string_view name);
  // nullptr: no node has this address.
  const RealServer* at(std::string_view host, std::string_view port) const;
  const std::vector<std::unique_ptr<RealServer>>& nodes() const { return nodes_; }

 private:
  RealServer& add(const Group& group, const std::string& name, std::string configuration);

  std::vector<std::unique_ptr<RealServer>> nodes_;  // in the order of Group, the master first
};

}  // namespace picklock::conform::redis::outcomes
