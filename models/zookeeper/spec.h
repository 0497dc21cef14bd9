// The ZooKeeper ensemble of a scenario: processes zookeeper-1 to zookeeper-N.
#pragma once

#include <chrono>
#include <cstdint>

#include "models/servers/gc.h"
#include "models/servers/specs.h"
#include "sim/time.h"

namespace picklock::zookeeper {

struct Spec {
  std::uint32_t servers = 3;
  sim::Duration tick = std::chrono::seconds(2);
  std::uint32_t init_limit = 10;  // ticks
  std::uint32_t sync_limit = 5;
  sim::Duration fsync = std::chrono::microseconds(500);
  bool force_sync = true;
  std::uint32_t max_connections = 60;  // of one client; 0: any number
  bool wall_clock_expiry = false;      // sessions end by a clock that steps, as in old releases
  bool log_before_ack = true;          // of a new leader
  std::int32_t first_sequence = 0;     // of the lock's znodes
  bool sequence_wraps = false;
  sim::Duration service{};  // time a server needs per message
  std::int64_t clock_rate_ppb = 0;
  picklock::servers::GcProfile gc;
};

keys::Key<servers::Specs> spec_table();  // [servers.zookeeper]

}  // namespace picklock::zookeeper
