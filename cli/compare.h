// `picklock compare`: takes every lock through the same runs and reports on one page what breaks
// it.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace picklock::cli {

// As given; empty: not given.
struct CompareOptions {
  std::string algorithms;
  std::string faults;
  std::string properties;
  std::string runs;
  std::string seconds;
  std::string complete;
  std::string seed;
  std::string jobs;
  std::string out;
  std::string color;
  bool json = false;
};

// The command with its options, which are read into `options`.
CLI::App* add_compare(CLI::App& app, CompareOptions& options);

// The exit status. Throws BadInput for what cannot be used.
int compare(const CompareOptions& options);

}  // namespace picklock::cli
