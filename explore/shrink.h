// Makes the story of a violation as short as it gets: every step of simpler.h is tried, and taken
// where the violation stays, until none is left that can be. Every run depends on its scenario
// alone, so what is left is the same on every machine.
#pragma once

#include <cstdint>
#include <functional>

#include "scenarios/scenario.h"
#include "scenarios/world.h"

namespace picklock::explore {

class Shrinker {
 public:
  // Whether the run that the world has just made of the scenario still shows what is looked for.
  using Shows =
      std::function<bool(const scenarios::Scenario& scenario, const scenarios::World& world)>;

  explicit Shrinker(Shows shows, std::uint64_t most_runs = kMostRuns)
      : shows_(std::move(shows)), most_runs_(most_runs) {}

  // Requires: all faults of the scenario fire, and it shows it. `enough`: asked before each run;
  // once it says so, what is left by then is the answer.
  scenarios::Scenario shrink(
      scenarios::Scenario scenario, const std::function<bool()>& enough = [] { return false; });

  // Whether no single step can be taken from it.
  bool is_minimal(const scenarios::Scenario& scenario);

  std::uint64_t runs() const { return runs_; }
  // False: it was given up after `most_runs`, or earlier; what is left still shows it.
  bool ended() const { return ended_; }

  static constexpr std::uint64_t kMostRuns = 20'000;

 private:
  bool stands(const scenarios::Scenario& scenario);

  Shows shows_;
  std::uint64_t most_runs_;
  std::uint64_t runs_ = 0;
  bool ended_ = false;
  scenarios::World world_;
};

}  // namespace picklock::explore
