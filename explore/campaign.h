// Makes a search in several processes: workers make its runs, one more shrinks what they find, and
// each find is reported as soon as it is complete. For a given number of runs the result is the
// same for any number of processes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "explore/search.h"

namespace picklock::explore {

using Seconds = std::chrono::duration<double>;

struct Limits {
  unsigned jobs = 1;
  std::uint64_t runs = 0;
  std::optional<Seconds> length{};  // then no further run is begun
};

struct Progress {
  std::uint64_t runs = 0;
  Seconds passed{};
  std::size_t found = 0;
  bool shrinking = false;  // all runs are made
};

// Callbacks of a campaign; all run in this process, between two events.
struct Onlooker {
  std::function<void(const Find&)> found;
  // An example of a limit, in a comparison.
  std::function<void(const Find&)> limit = [](const Find&) {};
  std::function<void(const Crash&)> crashed;
  std::function<void(const Progress&)> progress;  // several times a second
  std::function<bool()> interrupted;              // once true: ends with what there is
};

// Makes the campaign and returns how long it took. Throws NotDeterministic, and std::runtime_error
// if its processes cannot be made or end by themselves; the search keeps the results until then.
Seconds make(Search& search, const Limits& limits, const Onlooker& onlooker);

// A search ends after more crashed runs than this, because they show nothing new.
inline constexpr std::uint64_t kMostCrashes = 100;

}  // namespace picklock::explore
