// A run as a timeline for the terminal: a column for every process, time downwards, and what became
// of every property, fault and twin below. No line is wider than asked, and it reads the same
// without colour.
#pragma once

#include <string>

#include "scenarios/run.h"

namespace picklock::reports {

struct TextOptions {
  bool color = false;
  int width = 100;  // terminal columns; at least 40 are used
  bool unicode = true;
  std::string repeat_command;
  bool held_against_file = true;  // whether the end says that it came as its file expects
};

std::string timeline(const scenarios::Outcome& outcome, const TextOptions& options);

}  // namespace picklock::reports
