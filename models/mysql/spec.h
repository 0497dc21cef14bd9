// The MySQL servers of a scenario: mysql-1, the primary, and then its replicas or other primaries.
#pragma once

#include <cstdint>

#include "models/mysql/settings.h"
#include "models/servers/specs.h"
#include "sim/time.h"

namespace picklock::mysql {

struct Spec {
  std::uint32_t replicas = 0;
  Settings settings;
  bool spread = true;       // of several primaries, each client prefers one of its own
  sim::Duration service{};  // time a server needs per statement
  std::int64_t clock_rate_ppb = 0;
};

inline std::uint32_t servers_of(const Spec& spec) {
  return spec.settings.primaries + spec.replicas;
}

keys::Key<servers::Specs> spec_table();  // [servers.mysql]

}  // namespace picklock::mysql
