// A run of many sequences against one server, and what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conform/zookeeper/coverage.h"
#include "conform/zookeeper/player.h"
#include "conform/zookeeper/real_line.h"

namespace picklock::conform::zookeeper {

struct Campaign {
  std::uint64_t seed = 1;
  std::uint64_t cases = 2000;
  std::optional<Address> address;  // none: a server of our own
};

// What the two do not agree on.
struct Finding {
  Sequence sequence;  // as short as it can be
  std::size_t step = 0;
  std::uint32_t connection = 0;
  std::vector<std::string> model;
  std::vector<std::string> real;
};

struct Report {
  std::uint64_t cases = 0;
  std::uint64_t requests = 0;
  std::uint64_t differences = 0;  // sequences in which the two differ
  std::optional<Finding> first;
  Coverage coverage;
  std::string server_version;
  bool interrupted = false;
};

// After so many the rest would tell nothing new.
inline constexpr std::uint64_t kEnoughDifferences = 10;

struct Watch {
  Stop stop;
  std::function<void(std::uint64_t done, bool shrinking)> progress;
};

// Throws NoServer.
Report run(const Campaign& campaign, const Watch& watch);

// What cannot be compared, and is taken out of both sides: name and why.
std::vector<std::pair<std::string_view, std::string_view>> normalisations();

}  // namespace picklock::conform::zookeeper
