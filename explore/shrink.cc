#include "explore/shrink.h"

#include <utility>
#include <vector>

#include "explore/runs.h"
#include "explore/simpler.h"

namespace picklock::explore {

using scenarios::Scenario;

// A scenario with a fault that does not fire is rejected: its removal is another step.
bool Shrinker::stands(const Scenario& scenario) {
  ++runs_;
  world_.set(scenario);
  world_.run(scenario.seed);
  events_ += world_.events();
  if (world_.cut_short()) return false;
  if (fired(scenario.faults, world_).size() < scenario.faults.size()) return false;
  return shows_(scenario, world_);
}

Scenario Shrinker::shrink(Scenario scenario, const std::function<bool()>& enough) {
  ended_ = false;
  for (bool taken = true; taken;) {
    taken = false;
    // After a step is taken, the later steps are tried on the simpler scenario, then all again.
    std::vector<Simplification> steps = simplifications(scenario);
    for (std::size_t i = 0; i < steps.size();) {
      if (is_over() || enough()) return scenario;
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
  ended_ = true;
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
