#include "explore/shrink.h"

#include <utility>
#include <vector>

#include "explore/simpler.h"

namespace picklock::explore {

using scenarios::Scenario;

// A fault that does not fire is as good as none: without it, it is another step.
bool Shrinker::stands(const Scenario& scenario) {
  ++runs_;
  world_.set(scenario);
  world_.run(scenario.seed);
  if (world_.cut_short()) return false;
  std::vector<bool> fired(scenario.faults.size());
  for (const sim::Nemesis::Firing& one : world_.fired()) fired[one.fault] = true;
  for (const bool one : fired) {
    if (!one) return false;
  }
  return shows_(scenario, world_);
}

Scenario Shrinker::shrink(Scenario scenario) {
  for (bool taken = true; taken;) {
    taken = false;
    // Those behind a step that was taken are tried next, each on what is left; then all again.
    std::vector<Simplification> steps = simplifications(scenario);
    for (std::size_t i = 0; i < steps.size();) {
      if (!ended()) return scenario;
      Scenario simpler = scenario;
      if (!steps[i](simpler) || !stands(simpler)) {
        ++i;
        continue;
      }
      scenario = std::move(simpler);
      steps = simplifications(scenario);
      taken = true;
    }
  }
  return scenario;
}

bool Shrinker::is_minimal(const Scenario& scenario) {
  for (const Simplification& step : simplifications(scenario)) {
    Scenario simpler = scenario;
    if (step(simpler) && stands(simpler)) return false;
  }
  return true;
}

}  // namespace picklock::explore
