// `picklock run`: runs scenarios and shows for each what happened. A scenario that cannot be run
// does not keep the others from running.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace picklock::cli {

// As given; empty: not given.
struct RunOptions {
  std::vector<std::string> scenarios;
  std::optional<std::string> seed;
  std::vector<std::string> changes;
  std::string format = "text";
  std::string html;
  std::string time_limit;
  std::string color;
  bool quiet = false;
  bool all = false;
};

// The command with its options, which are read into `options`.
CLI::App* add_run(CLI::App& app, RunOptions& options);

// The exit status. Throws BadInput for options that cannot be used, before any scenario is run. A
// scenario that cannot be used is an error of its own, on standard error.
int run(const RunOptions& options);

}  // namespace picklock::cli
