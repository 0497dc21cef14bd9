// Makes a search in several processes: workers make its runs, one more shrinks what they find, and
// each find is reported as soon as it is complete. For a given number of runs the result is the
// same for any number of processes, also of processes that share the parts of the search.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "explore/search.h"
#include "explore/shared_parts.h"

namespace picklock::explore {

using Seconds = std::chrono::duration<double>;

struct Limits {
  unsigned jobs = 1;
  std::uint64_t runs = 0;
  // Then no further run is begun; in a shared campaign no further part.
  std::optional<Seconds> length{};
  // Ends with the part that shows so many finds; 0: with the last run.
  std::uint64_t stop_after = 0;
};

// How a campaign ended.
struct Ending {
  Seconds took{};
  std::uint64_t parts = 0;  // that this process made, of a shared campaign
  // Every part was made or is not needed; a shard's own parts.
  bool complete = false;
  bool stopped_by_user = false;  // by the file `stop`
  std::vector<Span> missing{};   // for the report: runs that no process has made
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

// Makes the campaign. Throws NotDeterministic, StoreLost, and std::runtime_error if its processes
// cannot be made or end by themselves; the search keeps the results until then.
// `shared`: the parts that other processes make; nullptr: none does. What its role does not make is
// left to them: a shard makes no stories, and a merge no runs.
Ending make(Search& search, const Limits& limits, const Onlooker& onlooker,
            SharedParts* shared = nullptr);

// A search ends after more crashed runs than this, because they show nothing new.
inline constexpr std::uint64_t kMostCrashes = 100;

}  // namespace picklock::explore
