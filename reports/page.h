// A comparison of locks as one HTML page that needs nothing beside it: the matrix of locks and
// faults, and the story of each find. The texts of a run are only shown: no text can become markup
// or script.
#pragma once

#include <map>
#include <string>

#include "scenarios/run.h"

namespace picklock::reports {

class Page {
 public:
  // Adds a story for a cell: a run with its trace. `file`: the scenario that repeats it, as the
  // comparison names it.
  void add(const std::string& file, const scenarios::Outcome& outcome);

  // `comparison`: the document of compare --json. Throws std::invalid_argument if it is not JSON.
  std::string html(const std::string& comparison) const;

 private:
  std::map<std::string, std::string> stories_;  // the story as JSON, by file
};

}  // namespace picklock::reports
