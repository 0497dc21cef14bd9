// The MySQL servers of a scenario: mysql-1, the primary, and then its replicas.
#pragma once

#include <cstdint>

#include "models/mysql/settings.h"
#include "models/servers/specs.h"
#include "sim/time.h"

namespace picklock::mysql {

struct Spec {
  std::uint32_t replicas = 0;
  Settings settings;
  sim::Duration service{};  // time a server needs per statement
  std::int64_t clock_rate_ppb = 0;
};

keys::Key<servers::Specs> spec_table();  // [servers.mysql]

}  // namespace picklock::mysql
