// Shrinks the story of a violation as far as possible: every step of simpler.h is tried, and taken
// if the violation stays, until no step can be taken. Every run depends only on its scenario, so
// the result is the same on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "scenarios/scenario.h"
#include "scenarios/world.h"

namespace picklock::explore {

class Shrinker {
 public:
  // Whether the last run of the world, of this scenario, still shows the violation.
  using Shows =
      std::function<bool(const scenarios::Scenario& scenario, const scenarios::World& world)>;

  // A run of a scenario.
  struct Tried {
    bool stands = false;  // all its faults fire, and it shows the violation
    std::uint64_t events = 0;
  };
  using Try = std::function<Tried(const scenarios::Scenario& scenario)>;

  // Shrinking stops after this number of runs, or of events of all runs.
  struct Limits {
    std::uint64_t runs = 20'000;
    std::uint64_t events = UINT64_MAX;
  };

  explicit Shrinker(Shows shows) : Shrinker(std::move(shows), Limits{}) {}
  Shrinker(Shows shows, Limits limits);
  // With runs that are made elsewhere.
  Shrinker(Try tries, Limits limits) : try_(std::move(tries)), limits_(limits) {}

  // Requires: all faults of the scenario fire, and it shows the violation. `enough`: called before
  // each run; once it returns true, the present scenario is the result.
  scenarios::Scenario shrink(
      scenarios::Scenario scenario, const std::function<bool()>& enough = [] { return false; });

  // Whether no single step makes the scenario simpler.
  bool is_minimal(const scenarios::Scenario& scenario);

  std::uint64_t runs() const { return runs_; }
  // False: shrinking stopped at its limits, or earlier; the result still shows the violation.
  bool ended() const { return ended_; }

 private:
  bool stands(const scenarios::Scenario& scenario);
  bool is_over() const { return runs_ >= limits_.runs || events_ >= limits_.events; }

  Try try_;
  Limits limits_;
  std::uint64_t runs_ = 0;
  std::uint64_t events_ = 0;
  bool ended_ = false;
};

// Makes a run of the scenario in this world. False: it cannot be judged, or some fault of it does
// not fire: the removal of that fault is another step.
bool counts(const scenarios::Scenario& scenario, scenarios::World& world);

}  // namespace picklock::explore
