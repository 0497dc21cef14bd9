// What a search came to, for a reader and as JSON: the stories of what it found and how to see them
// again, or, where it found nothing, within which faults and bounds.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "explore/search.h"
#include "reports/timeline.h"

namespace picklock::explore {

// Of a search that is over; it must outlive the report.
struct Report {
  const Search& search;
  double wall_seconds = 0;
  bool interrupted = false;
  std::string stopped{};                   // by what, where it could not go on
  std::vector<std::string> files{};        // where each find was kept; empty: nowhere
  std::vector<std::string> crash_files{};  // the same of crashes
  // What runs such a file again, as a shell takes it.
  std::function<std::string(const std::string& file)> run_command{};
};

// The find with the shortest story, whose whole timeline the text has. Requires: there is one.
std::size_t shortest(const std::vector<Find>& finds);

std::string text(const Report& report, reports::TextOptions options);
std::string json(const Report& report);

}  // namespace picklock::explore
