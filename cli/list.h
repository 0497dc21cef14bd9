// `picklock list KIND`: the names that the command line and scenario files know.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace picklock::cli {

// As given; empty: not given.
struct ListOptions {
  std::string kind;
  std::string locks;
  std::string faults;
  std::string servers;
  std::string color;
  bool json = false;
  bool names = false;
};

// The command with its options, which are read into `options`.
CLI::App* add_list(CLI::App& app, ListOptions& options);

// The exit status. Throws BadInput for a kind or a filter that does not exist.
int list(const ListOptions& options);

}  // namespace picklock::cli
