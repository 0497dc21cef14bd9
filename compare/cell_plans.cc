#include "compare/cell_plans.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "explore/moments.h"
#include "explore/profile.h"
#include "explore/signature.h"

namespace picklock::compare {

std::uint32_t DrawnPlans::draw(std::uint64_t run, scenarios::Scenario& into) {
  into.seed = explore::run_seed(seed_, run);
  into.ties = explore::run_ties(seed_, run);
  return plans_.draw(seed_, run, limits_, lock_, into.faults);
}

EveryPlan::EveryPlan(const scenarios::Scenario& workload, FaultClass fault_class,
                     std::uint32_t faults, std::uint64_t seed)
    : vocabulary_(explore::Ways(workload, explore::profile(workload, seed)), {fault_class}, false),
      seed_(seed),
      scenario_(workload) {
  world_.set(scenario_);
  const std::vector<sim::Fault> single = after({});
  if (faults == 1) {
    bases_.push_back({.plan = {}});
    count_ = single.size();
    return;
  }
  std::set<std::uint64_t> seen = {explore::signature(world_)};
  for (const sim::Fault& fault : single) {
    const std::size_t more = after({fault}).size();
    if (!seen.insert(explore::signature(world_)).second || more == 0) continue;
    bases_.push_back({.plan = {fault}, .first = count_});
    count_ += more;
    if (count_ <= kMostOfTwo) continue;
    bases_.clear();
    count_ = 0;
    return;
  }
}

const std::vector<sim::Fault>& EveryPlan::after(const sim::Plan& plan) {
  if (last_ == plan) return faults_;
  scenario_.faults = plan;
  world_.run(seed_, true);
  faults_ = vocabulary_.after(explore::course(world_, false), plan);
  last_ = plan;
  return faults_;
}

std::uint32_t EveryPlan::draw(std::uint64_t run, scenarios::Scenario& into) {
  const auto next =
      std::upper_bound(bases_.begin(), bases_.end(), run,
                       [](std::uint64_t number, const Basis& one) { return number < one.first; });
  const Basis& basis = *std::prev(next);
  into.seed = seed_;
  into.faults = basis.plan;
  into.faults.push_back(after(basis.plan)[run - basis.first]);
  return 0;
}

}  // namespace picklock::compare
