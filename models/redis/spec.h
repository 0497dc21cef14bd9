// The Redis servers of a scenario: processes redis-1 to redis-N, redis-1-replica-1,
// redis-1-sentinel-1 and so on.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/redis/restart_guard.h"
#include "models/redis/sharded_client.h"
#include "models/servers/gc.h"
#include "models/servers/specs.h"
#include "sim/time.h"

namespace picklock::redis {

// One server or Sentinel that differs from the others.
struct NodeSpec {
  std::string name;
  std::optional<sim::Duration> clock_offset;
  std::optional<std::int64_t> clock_rate_ppb;
  std::vector<std::string> config;  // after the lines of all servers
  int line = 0;
};

struct SentinelSpec {
  std::uint32_t quorum = 0;  // Sentinels that must find a primary down; 0: more than half
  sim::Duration down_after = std::chrono::seconds(30);
  sim::Duration failover_timeout = std::chrono::minutes(3);
};

struct ClusterSpec {
  bool enabled = false;
  FirstMap first_map = FirstMap::whole;
};

struct Spec {
  std::uint32_t masters = 1;
  std::uint32_t replicas = 0;    // of each
  std::uint32_t sentinels = 0;   // of each
  bool relative_expiry = false;  // replicas get expiries as lengths of time
  sim::Duration service{};       // time the server needs per command
  sim::Duration clock_offset{};  // wall clock against true time
  std::int64_t clock_rate_ppb = 0;
  std::vector<std::string> config;  // lines of redis.conf: "min-replicas-to-write 1"
  RestartDelay restart_delay;
  SentinelSpec sentinel;
  ClusterSpec cluster;
  std::vector<NodeSpec> nodes;
  servers::GcProfile gc;
};

keys::Key<servers::Specs> spec_table();  // [servers.redis]

// The nodes of a scenario, as the text of its file.
std::string nodes_text(const servers::Specs& specs);

// "min-replicas-to-write 1" is a parameter and its value; quotes around the value are taken off.
std::pair<std::string, std::string> config_line(std::string_view line);

// Parameters and their values in turn, each parameter once: the server's own lines override those
// for all servers.
std::vector<std::string> config_of(const Spec& spec, std::string_view server);

// Whether a restarted server would find anything on its disk.
bool persists(const Spec& spec, std::string_view server);

}  // namespace picklock::redis
