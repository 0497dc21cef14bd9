// A run as a timeline for the terminal: a column for every process, time downwards, then the
// verdict of every property, the faults and the twins. No line is wider than requested, and no
// meaning is lost without color.
#pragma once

#include <string>

#include "reports/story.h"
#include "scenarios/run.h"

namespace picklock::reports {

struct TextOptions {
  bool color = false;
  int width = 100;  // terminal columns; at least 40 are used
  bool unicode = true;
  std::string repeat_command;
  bool held_against_file = true;  // whether the last lines say "as expected" or not
  Detail detail = Detail::what_matters;
};

std::string timeline(const scenarios::Outcome& outcome, const TextOptions& options);

// The columns alone.
std::string lanes(const scenarios::Outcome& outcome, const TextOptions& options);

}  // namespace picklock::reports
