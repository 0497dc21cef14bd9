#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <sstream>

#include "explore/fault_plan.h"
#include "explore/profile.h"
#include "explore/simpler.h"
#include "explore/user_scenario.h"
#include "models/redis/spec.h"
#include "picklock/test.h"
#include "scenarios/loader.h"
#include "scenarios/promises.h"
#include "scenarios/shipped.h"
#include "scenarios/world.h"
#include "scenarios/writer.h"

namespace picklock::explore {
namespace {

using scenarios::Scenario;
using scenarios::shipped::plain;

bool violates(const Scenario& scenario, Property property) {
  scenarios::World world;
  world.set(scenario);
  world.run(scenario.seed);
  return world.verdicts()[static_cast<std::size_t>(property)].outcome ==
         properties::Outcome::violated;
}

std::size_t faults_of(const picklock::Scenario& scenario) {
  return scenario.state().scenario.faults.size();
}

RC_GTEST_PROP(Arbitrary, DrawsPlansWithinTheLimits, ()) {
  static const Scenario base = plain("lua-check-delete");
  static const Faults limits{.classes = {FaultClass::pause, FaultClass::crash}, .most = 2};
  static const rc::Gen<picklock::Scenario> scenarios = arbitrary(user_scenario(base), limits);
  const Scenario scenario = (*scenarios).state().scenario;
  RC_ASSERT(!scenario.faults.empty() && scenario.faults.size() <= 2);
  RC_ASSERT(limits.classes.covers(scenarios::classes_met(scenario)));
}

// As of the search itself: what is shown can be put into a file and run.
RC_GTEST_PROP(Arbitrary, ShowsAFileThatSaysTheSame, ()) {
  static const rc::Gen<picklock::Scenario> scenarios = arbitrary(
      user_scenario(plain("lua-check-delete")), {.classes = FaultClasses::all(), .most = 4});
  const picklock::Scenario scenario = *scenarios;
  std::ostringstream shown;
  rc::show(scenario, shown);
  const Scenario again =
      scenarios::parse(shown.str(), "shown.toml", scenarios::shipped_vocabulary());
  RC_ASSERT(scenarios::file_text(again) == shown.str());
}

TEST(Arbitrary, IsWhatTheSearchDrawsWithTheSameSeed) {
  const Scenario base = plain("lua-check-delete");
  const FaultLimits limits{.classes = FaultClasses::all(), .most = 3};
  FaultPlans plans(base, profile(base, base.seed));
  Scenario drawn = base;
  const rc::Random random(7);
  const std::uint64_t seed = rc::Random(random).next();
  plans.draw(seed, 0, limits, drawn.faults);
  drawn.seed = run_seed(seed, 0);
  drawn.ties = run_ties(seed, 0);
  EXPECT_EQ(arbitrary(user_scenario(base), {.most = 3})(random, 100).value().text(),
            scenarios::file_text(drawn));
}

TEST(Arbitrary, LeavesOutWhatCannotAct) {
  Scenario base = plain("lua-check-delete");
  base.servers.of<redis::Spec>().replicas = 0;
  base.network.links.clear();
  const Faults faults{.classes = {FaultClass::failover}, .most = 3};
  const auto drawn = arbitrary(user_scenario(base), faults)(rc::Random(1), 100).value();
  EXPECT_TRUE(drawn.state().scenario.faults.empty());
}

TEST(Arbitrary, ShrinksByTheStepsThatMakeAStorySimpler) {
  const Scenario base = plain("lua-check-delete");
  const auto drawn = arbitrary(user_scenario(base), {.classes = {FaultClass::pause}, .most = 3})(
      rc::Random(1), 100);
  std::vector<std::string> steps;
  const Scenario& whole = drawn.value().state().scenario;
  for (const Simplification& step : simplifications(whole)) {
    Scenario one = whole;
    if (step(one)) steps.push_back(scenarios::file_text(one));
  }
  std::vector<std::string> shrinks;
  auto rest = rc::shrinkable::immediateShrinks(drawn);
  for (auto one = rest.next(); one; one = rest.next()) shrinks.push_back(one->text());
  EXPECT_EQ(shrinks, steps);
}

TEST(Arbitrary, ShrinksWhatFailsUntilNoStepCanBeTaken) {
  const rc::Gen<picklock::Scenario> scenarios = arbitrary(
      user_scenario(plain("set-px-check-delete")), {.classes = {FaultClass::pause}, .most = 4});
  const auto fails = [](const picklock::Scenario& one) {
    return violates(one.state().scenario, Property::own_release);
  };
  rc::Random random;
  for (auto drawn = scenarios(random, 100);; drawn = scenarios(random.split(), 100)) {
    if (faults_of(drawn.value()) < 3 || !fails(drawn.value())) continue;
    const auto [smallest, steps] = rc::shrinkable::findLocalMin(drawn, fails);
    EXPECT_LT(faults_of(smallest), faults_of(drawn.value()));
    Simpler simpler(smallest);
    for (auto one = simpler.next(); one; one = simpler.next()) EXPECT_FALSE(fails(*one));
    EXPECT_GT(steps, 2U);
    return;
  }
}

}  // namespace
}  // namespace picklock::explore
