// The counters of INFO, since the start of the process.
#pragma once

#include <cstdint>

namespace picklock::redis {

struct Stats {
  std::uint64_t connections = 0;
  std::uint64_t commands = 0;
  std::uint64_t errors = 0;
  std::uint64_t full_syncs = 0;
  std::uint64_t partial_syncs = 0;
  std::uint64_t refused_partial_syncs = 0;
};

}  // namespace picklock::redis
