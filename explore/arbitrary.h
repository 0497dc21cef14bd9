// Scenarios for RapidCheck: a base with a plan of faults as a search would draw it, and a seed.
// They shrink by the steps of simpler.h, one at a time and only when asked, and are shown as the
// file that says them. Draw before the run and assert after it: neither may happen inside a fiber.
//
//   const auto scenario = *explore::arbitrary(base, {.classes = {FaultClass::pause}, .most = 3});
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include "explore/fault_plan.h"
#include "explore/profile.h"
#include "explore/simpler.h"
#include "scenarios/scenario.h"
#include "scenarios/writer.h"

namespace picklock::scenarios {

// Where RapidCheck looks for it.
inline void showValue(const Scenario& scenario, std::ostream& out) { out << file_text(scenario); }

}  // namespace picklock::scenarios

namespace picklock::explore {

// Every scenario that is one step simpler.
class OneStepSimpler {
 public:
  explicit OneStepSimpler(const scenarios::Scenario& scenario)
      : scenario_(scenario), steps_(simplifications(scenario)) {}

  rc::Maybe<scenarios::Scenario> operator()() {
    while (next_ < steps_.size()) {
      scenarios::Scenario simpler = scenario_;
      if (steps_[next_++](simpler)) return simpler;
    }
    return rc::Nothing;
  }

 private:
  scenarios::Scenario scenario_;
  std::vector<Simplification> steps_;
  std::size_t next_ = 0;
};

// Classes that cannot act in the scenario are left out; if none is left, so are faults.
inline rc::Gen<scenarios::Scenario> arbitrary(const scenarios::Scenario& base, FaultLimits limits) {
  auto plans = std::make_shared<FaultPlans>(base, profile(base, base.seed));
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    if (!plans->possible().has(one)) limits.classes = limits.classes.without({one});
  }
  return rc::Gen<scenarios::Scenario>([base, limits, plans](rc::Random random, int /*size*/) {
    const std::uint64_t seed = random.next();
    scenarios::Scenario one = base;
    plans->draw(seed, 0, limits, one.faults);
    one.seed = run_seed(seed, 0);
    one.ties = run_ties(seed, 0);
    return rc::shrinkable::shrinkRecur(std::move(one), [](const scenarios::Scenario& scenario) {
      return rc::makeSeq<OneStepSimpler>(scenario);
    });
  });
}

}  // namespace picklock::explore
