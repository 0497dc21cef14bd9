// A run of many sequences against one server, and what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "conform/redis/coverage.h"
#include "conform/redis/real_server.h"
#include "conform/redis/shrink.h"

namespace picklock::conform::redis {

struct Campaign {
  std::uint64_t seed = 1;
  std::uint64_t cases = 2000;
  std::optional<Address> address;  // none: a server of our own
  bool flush = false;              // a user's server may be emptied
};

struct Report {
  std::uint64_t cases = 0;
  std::uint64_t differences = 0;  // sequences in which the two differ
  std::optional<Finding> first;   // shrunk
  Coverage coverage;
  std::string server_version;
  bool steered_clock = true;
  bool interrupted = false;
  bool shrunk = false;  // as far as it goes: no interrupt came before
};

// After so many the rest would tell nothing new.
inline constexpr std::uint64_t kEnoughDifferences = 10;

struct Watch {
  Stop stop;  // asked all the time: wants the user an end?
  // Told before each sequence how many are done, and while one is made shorter.
  std::function<void(std::uint64_t done, bool shrinking)> progress;
};

// Throws NoServer.
Report run(const Campaign& campaign, const Watch& watch);

}  // namespace picklock::conform::redis
