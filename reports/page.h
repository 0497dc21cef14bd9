// A comparison of locks as one HTML page that needs nothing beside it: the matrix of locks and
// faults, and for what was found the story of the run. Whatever the texts of a run contain, they
// are shown and never run.
#pragma once

#include <map>
#include <string>

#include "scenarios/run.h"

namespace picklock::reports {

class Page {
 public:
  // The story that a cell leads to: a run with its trace, and the file that repeats it, as the
  // comparison names it.
  void add(const std::string& file, const scenarios::Outcome& outcome);

  // `comparison`: the document of compare --json. Throws std::invalid_argument if it is not JSON.
  std::string html(const std::string& comparison) const;

 private:
  std::map<std::string, std::string> stories_;  // file to its story as JSON
};

}  // namespace picklock::reports
