// The result of a search, for a reader and as JSON: the stories of its finds and how to repeat
// them. If it found nothing, the faults and bounds within which this holds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "explore/search.h"
#include "reports/timeline.h"

namespace picklock::explore {

// Describes a finished search, which must outlive the report.
struct Report {
  const Search& search;
  std::optional<double> wall_seconds{};  // nullopt: it is not told
  bool interrupted = false;
  std::string ended_by{};                  // on purpose before its last run; empty: it was not
  std::string stopped{};                   // why the search could not continue; empty: it could
  std::vector<std::string> files{};        // where each find was kept; empty: nowhere
  std::string complete_file{};             // where a complete search was kept; empty: nowhere
  std::vector<std::string> limit_files{};  // the same of the examples of limits
  std::vector<std::string> crash_files{};  // the same of crashes
  std::string corpus_folder{};             // where the plans of a guided search were written
  std::size_t corpus_files = 0;            // how many it has
  // The shell command that runs such a file.
  std::function<std::string(const std::string& file)> run_command{};
};

// The find with the shortest story, whose whole timeline the text has. Requires: there is one.
std::size_t shortest(const std::vector<Find>& finds);

std::string text(const Report& report, reports::TextOptions options);
std::string json(const Report& report);

}  // namespace picklock::explore
