// `picklock explore`: searches for a plan of faults under which a lock breaks its promises, and
// writes what it finds as a scenario that `picklock run` repeats.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace picklock::scenarios {
struct Scenario;
}

namespace picklock::cli {

// As given; empty: not given.
struct ExploreOptions {
  std::string scenario;
  std::string algorithm;
  std::string strategy;
  std::string max_faults;
  std::string depth;
  std::vector<std::string> changes;
  std::string faults;
  std::string properties;
  std::vector<std::string> except;
  std::string against;
  std::vector<std::string> against_changes;
  std::string runs;
  std::string seconds;
  std::string seed;
  std::string jobs;
  std::string out;
  std::string corpus;
  std::string store;
  std::string shard;
  std::string stop_after;
  std::string color;
  bool json = false;
};

// The command with its options, which are read into `options`.
CLI::App* add_explore(CLI::App& app, ExploreOptions& options);

// The exit status. Throws BadInput for what cannot be used.
int explore(const ExploreOptions& options);

// The same for a command with a scenario of its own. `read`: called once the options are found to
// be good. `command`: what makes this search again, without its length.
int explore(const ExploreOptions& options, const std::function<scenarios::Scenario()>& read,
            const std::function<std::string(std::uint64_t seed)>& command);

// The options of a search as words of a command, without its length.
std::string words_of(const ExploreOptions& options, std::uint64_t seed);

}  // namespace picklock::cli
