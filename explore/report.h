// What a search came to, for a reader and as JSON: the story of what it found and how to see it
// again, or, where it found nothing, within which faults and bounds.
#pragma once

#include <string>

#include "explore/search.h"
#include "reports/timeline.h"

namespace picklock::explore {

// Of a search that is over; it must outlive the report.
struct Report {
  const Search& search;
  double wall_seconds = 0;
  bool interrupted = false;
  std::string file{};            // where the find was kept; empty: nowhere
  std::string repeat_command{};  // runs that file again
};

std::string text(const Report& report, reports::TextOptions options);
std::string json(const Report& report);

}  // namespace picklock::explore
