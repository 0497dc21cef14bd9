// `picklock conform`: sends the same commands to the model of a server and to the real one, and
// compares the answers.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace picklock::cli {

// As given; empty: not given.
struct ConformOptions {
  std::string server;
  std::string address;
  std::string cases;
  std::string seed;
  bool flush = false;
  bool json = false;
};

// The command with its options, which are read into `options`.
CLI::App* add_conform(CLI::App& app, ConformOptions& options);

// The exit status. Throws BadInput for what cannot be used, a missing server included.
int conform(const ConformOptions& options);

}  // namespace picklock::cli
