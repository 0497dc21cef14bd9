#include "explore/shrink.h"

#include <memory>
#include <utility>
#include <vector>

#include "explore/runs.h"
#include "explore/simpler.h"

namespace picklock::explore {

using scenarios::Scenario;

bool counts(const Scenario& scenario, scenarios::World& world) {
  world.set(scenario);
  world.run(scenario.seed);
  return !world.cut_short() && fired(scenario.faults, world).size() == scenario.faults.size();
}

Shrinker::Shrinker(Shows shows, Limits limits)
    : Shrinker(
          [shows = std::move(shows),
           world = std::make_shared<scenarios::World>()](const Scenario& scenario) -> Tried {
            const bool stands = counts(scenario, *world) && shows(scenario, *world);
            return {stands, world->events()};
          },
          limits) {}

bool Shrinker::stands(const Scenario& scenario) {
  ++runs_;
  const Tried tried = try_(scenario);
  events_ += tried.events;
  return tried.stands;
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
