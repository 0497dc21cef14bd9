// `picklock merge`: the report of a campaign whose parts were made by several processes, as one
// process would have given it.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace picklock::cli {

// As given; empty: not given.
struct MergeOptions {
  std::string store;
  std::string jobs;
  std::string out;
  std::string color;
  bool json = false;
  bool progress = false;
};

// The command with its options, which are read into `options`.
CLI::App* add_merge(CLI::App& app, MergeOptions& options);

// The exit status. Throws BadInput for what cannot be used.
int merge(const MergeOptions& options);

}  // namespace picklock::cli
