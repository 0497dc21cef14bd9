// A Sentinel's configuration file: one of these for each master that it monitors. A new file names
// only the master; a file long in use also names its replicas and the other Sentinels.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "models/redis/directory.h"
#include "sim/time.h"

namespace picklock::redis {

struct Address {
  std::string host;
  std::uint16_t port = 0;

  static Address of(const Node& node) { return {node.host(), node.port}; }
  friend bool operator==(const Address&, const Address&) = default;
};

struct SentinelConfig {
  std::string name = "redis-1";  // of the master, whichever server that is in the end
  Node master;                   // at first
  std::uint32_t quorum = 2;
  sim::Duration down_after = std::chrono::seconds(30);
  sim::Duration failover_timeout = std::chrono::minutes(3);
  std::uint32_t parallel_syncs = 1;
  std::string password{};  // of the master and its replicas; empty: they have none
  std::vector<Node> replicas{};
  std::vector<Node> sentinels{};
};

}  // namespace picklock::redis
