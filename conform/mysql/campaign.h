// A run of many interleavings against one server, and what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conform/mysql/coverage.h"
#include "conform/mysql/real_server.h"

namespace picklock::conform::mysql {

struct Campaign {
  std::uint64_t seed = 1;
  std::uint64_t cases = 2000;
  std::optional<Address> address;  // none: a server of our own
};

// What the two do not agree on.
struct Finding {
  Interleaving interleaving;  // as short as it can be
  std::size_t step = 0;
  Outcome model{};  // of the way that goes on longest as the server did
  Outcome real{};
};

struct Report {
  std::uint64_t cases = 0;
  std::uint64_t statements = 0;
  std::uint64_t differences = 0;  // interleavings in which the two differ
  std::optional<Finding> first;
  Coverage coverage;
  std::string server_version;
  bool interrupted = false;
};

// After so many the rest would tell nothing new.
inline constexpr std::uint64_t kEnoughDifferences = 10;

struct Watch {
  std::function<bool()> stop;
  std::function<void(std::uint64_t done, bool shrinking)> progress;
};

// Throws NoServer.
Report run(const Campaign& campaign, const Watch& watch);

// What cannot be compared: name and why.
std::vector<std::pair<std::string_view, std::string_view>> normalisations();

}  // namespace picklock::conform::mysql
