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

  // Where it is given up: runs, and events of all of them.
  struct Limits {
    std::uint64_t runs = 20'000;
    std::uint64_t events = UINT64_MAX;
  };

  explicit Shrinker(Shows shows) : Shrinker(std::move(shows), Limits{}) {}
  Shrinker(Shows shows, Limits limits) : shows_(std::move(shows)), limits_(limits) {}

  // Requires: all faults of the scenario fire, and it shows it. `enough`: asked before each run;
  // once it says so, what is left by then is the answer.
  scenarios::Scenario shrink(
      scenarios::Scenario scenario, const std::function<bool()>& enough = [] { return false; });

  // Whether no single step can be taken from it.
  bool is_minimal(const scenarios::Scenario& scenario);

  std::uint64_t runs() const { return runs_; }
  // False: it was given up at its limits, or earlier; what is left still shows it.
  bool ended() const { return ended_; }

 private:
  bool stands(const scenarios::Scenario& scenario);
  bool is_over() const { return runs_ >= limits_.runs || events_ >= limits_.events; }

  Shows shows_;
  Limits limits_;
  std::uint64_t runs_ = 0;
  std::uint64_t events_ = 0;
  bool ended_ = false;
  scenarios::World world_;
};

}  // namespace picklock::explore
