#include "conform/redis/outcomes/real_group.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace picklock::conform::redis::outcomes {

RealGroup::RealGroup(const Group& group) {
  std::string common =
      // No snapshots except on request, and replicas are fed at once.
      "save \"\"\nrepl-diskless-sync no\nrepl-diskless-sync-delay 0\n"
      "enable-debug-command yes\njemalloc-bg-thread no\nhz 100\n";
  common += fmt::format("appendonly {}\n", group.append_only ? "yes" : "no");
  for (const std::string& line : group.settings) common += fmt::format("{}\n", line);

  std::string of_master = common;
  for (const std::string& line : group.master_settings) of_master += fmt::format("{}\n", line);
  const RealServer& master = add(group, "master", of_master);
  const std::string where = fmt::format("{} {}", master.address().host, master.address().port);
  for (int i = 1; i <= group.replicas; ++i)
    add(group, fmt::format("replica-{}", i), fmt::format("{}replicaof {}\n", common, where));
  for (int i = 1; i <= group.sentinels; ++i) {
    add(group, fmt::format("sentinel-{}", i),
        fmt::format("sentinel monitor {0} {1} {2}\n"
                    "sentinel down-after-milliseconds {0} {3}\n"
                    "sentinel failover-timeout {0} {4}\n",
                    kGroupName, where, group.sentinels / 2 + 1, kDownAfter.count(),
                    kFailoverTimeout.count()));
  }
}

RealServer& RealGroup::add(const Group& group, const std::string& name, std::string configuration) {
  nodes_.push_back(std::make_unique<RealServer>(Settings{.name = name,
                                                         .configuration = std::move(configuration),
                                                         .sentinel = name.starts_with("sentinel"),
                                                         .clock_stands = group.clocks_stand}));
  return *nodes_.back();
}

RealServer& RealGroup::node(std::string_view name) {
  for (const auto& node : nodes_) {
    if (node->name() == name) return *node;
  }
  throw std::invalid_argument(fmt::format("no node is called {}", name));
}

const RealServer* RealGroup::at(std::string_view host, std::string_view port) const {
  for (const auto& node : nodes_) {
    if (node->address().host == host && std::to_string(node->address().port) == port)
      return node.get();
  }
  return nullptr;
}

}  // namespace picklock::conform::redis::outcomes
