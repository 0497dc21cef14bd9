#include "compare/cell_plans.h"

#include "explore/moments.h"
#include "explore/profile.h"
#include "explore/vocabulary.h"
#include "scenarios/world.h"

namespace picklock::compare {

std::uint32_t DrawnPlans::draw(std::uint64_t run, scenarios::Scenario& into) {
  into.seed = explore::run_seed(seed_, run);
  into.ties = explore::run_ties(seed_, run);
  return plans_.draw(seed_, run, limits_, lock_, into.faults);
}

EveryPlan::EveryPlan(const scenarios::Scenario& workload, FaultClass fault_class,
                     std::uint64_t seed)
    : seed_(seed) {
  const explore::Vocabulary vocabulary(explore::Ways(workload, explore::profile(workload, seed)),
                                       {fault_class}, false);
  scenarios::World world;
  world.set(workload);
  world.run(seed, true);
  faults_ = vocabulary.after(explore::course(world, false), {});
}

std::uint32_t EveryPlan::draw(std::uint64_t run, scenarios::Scenario& into) {
  into.seed = seed_;
  into.faults = {faults_[run]};
  return 0;
}

}  // namespace picklock::compare
