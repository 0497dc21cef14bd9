// The lease store of a scenario: process store.
#pragma once

#include <chrono>
#include <cstdint>

#include "models/servers/specs.h"
#include "sim/time.h"

namespace picklock::lease_store {

struct Spec {
  std::uint32_t expire_after = 1;                       // a session lives this many times its TTL
  sim::Duration tick = std::chrono::milliseconds(500);  // between two checks for expired sessions
  sim::Duration service{};                              // time it needs per request
  std::int64_t clock_rate_ppb = 0;
};

keys::Key<servers::Specs> spec_table();  // [servers.lease_store]

}  // namespace picklock::lease_store
