// `picklock test`: runs an unmodified program as the clients of simulated servers, and searches for
// faults under which its lock breaks.
#pragma once

#include <string>
#include <vector>

#include "cli/explore.h"
#include "cli/server_options.h"

namespace CLI {
class App;
}

namespace picklock::cli {

// As given; empty: not given.
struct TestOptions {
  ExploreOptions search;
  std::vector<std::string> program;
  std::vector<ServerOption> servers;
  std::string clients;
  std::string until;
};

// The command with its options, which are read into `options`.
CLI::App* add_test(CLI::App& app, TestOptions& options);

// The exit status. Throws BadInput for what cannot be used.
int test(const TestOptions& options);

}  // namespace picklock::cli
