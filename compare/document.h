// A comparison as one JSON document for programs, and for the page that is made from it. Its fields
// are a contract (docs/comparison.md); figures of wall time apart, it is the same for the same
// runs.
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.h"

namespace picklock::compare {

// How it was made.
struct Made {
  std::optional<double> wall_seconds{};  // nullopt: it is not told
  bool interrupted = false;
  std::string command;               // that asks for the same again
  std::vector<std::string> pages{};  // that were written, for people
  std::size_t stories_left_out = 0;  // of the pages, for lack of time
  // The shell command that runs the file of a story.
  std::string (*run_command)(const std::string& file) = nullptr;
};

std::string json(const Comparison& comparison, const Made& made);

}  // namespace picklock::compare
