// `picklock run`: runs scenarios and shows for each what happened.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace picklock::cli {

struct RunOptions {
  std::vector<std::string> scenarios;
  std::optional<std::string> seed;
  std::vector<std::string> changes;
  std::string format = "text";
  std::string color;
};

// The command with its options, which are read into `options`.
CLI::App* add_run(CLI::App& app, RunOptions& options);

// The exit status. Throws BadInput for what cannot be used, before any scenario is run.
int run(const RunOptions& options);

}  // namespace picklock::cli
