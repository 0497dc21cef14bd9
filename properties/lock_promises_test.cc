// Compares every shipped lock with its promises. RapidCheck draws faults for its plain scenario, of
// exactly the classes for which the lock promises a property. Every promise must hold unless its
// premise was not kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "explore/runs.h"
#include "explore/user_scenario.h"
#include "models/locks/catalogue.h"
#include "picklock/test.h"
#include "scenarios/premise.h"
#include "scenarios/shipped.h"

namespace picklock::properties {
namespace {

using explore::FaultClass;
using explore::FaultClasses;
using scenarios::Scenario;

Scenario plain(std::string_view lock) {
  return scenarios::shipped::document("plain/" + std::string(lock))
      .scenario(scenarios::shipped_vocabulary());
}

// The sets of classes that the lock makes its promises for, each once.
std::vector<FaultClasses> promised_for(const models::Algorithm& lock, const Scenario& scenario) {
  std::vector<FaultClasses> all;
  for (const Promise& promise : lock.promises(scenarios::lock_options(scenario))) {
    const bool known = std::any_of(all.begin(), all.end(), [&promise](FaultClasses other) {
      return promise.under.covers(other) && other.covers(promise.under);
    });
    if (!known) all.push_back(promise.under);
  }
  return all;
}

// Promises that the lock has broken in the world's last run, such as "own-release".
std::string broken(const models::Algorithm& lock, const Scenario& scenario,
                   const scenarios::World& world) {
  const scenarios::Promises promised =
      scenarios::promises(lock, scenarios::lock_options(scenario),
                          scenarios::classes_met(scenario, explore::fired(scenario.faults, world)));
  std::string names;
  for (const Verdict& verdict : world.verdicts()) {
    const scenarios::Promised& promise = promised[static_cast<std::size_t>(verdict.property)];
    if (verdict.outcome != Outcome::violated || !promise.promised) continue;
    if (!scenarios::was_kept(promise.premise, scenario, world.history())) continue;
    names.append(names.empty() ? "" : ", ").append(picklock::name(verdict.property));
  }
  return names;
}

template <typename Testable>
rc::detail::TestResult checked(const rc::detail::TestParams& params, const Testable& testable) {
  return rc::detail::checkTestable(testable, rc::detail::TestMetadata(), params);
}

std::string message_of(const rc::detail::TestResult& result) {
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  return message.str();
}

class LockPromises : public testing::TestWithParam<const models::Algorithm*> {};

INSTANTIATE_TEST_SUITE_P(Catalogue, LockPromises,
                         testing::ValuesIn(models::locks::all().begin(),
                                           models::locks::all().end()),
                         [](const auto& one) {
                           return scenarios::shipped::test_name(std::string(one.param->name));
                         });

TEST_P(LockPromises, AreKept) {
  const models::Algorithm& lock = *GetParam();
  const Scenario base = plain(lock.name);
  std::vector<rc::Gen<picklock::Scenario>> scenarios;
  for (const FaultClasses classes : promised_for(lock, base))
    scenarios.push_back(
        arbitrary(explore::user_scenario(base), {.classes = classes, .none = true}));
  scenarios::World world;
  // A failure can be repeated: only RC_PARAMS changes the seed.
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  if (std::getenv("RC_PARAMS") == nullptr) params.seed = 1;
  const rc::detail::TestResult result = checked(params, [&] {
    const auto which = *rc::gen::inRange<std::size_t>(0, scenarios.size());
    const Scenario scenario = (*scenarios[which]).state().scenario;
    world.set(scenario);
    world.run(scenario.seed);
    const std::string names = broken(lock, scenario, world);
    if (!names.empty()) RC_FAIL(std::string(lock.name) + " promises " + names);
  });
  EXPECT_TRUE(result.is<rc::detail::SuccessResult>()) << message_of(result);
}

// ---------------------------------------------------------------- what a failure looks like

// The message of a property that requires too much of its lock.
std::string failure_of(std::string_view lock, Property property, FaultClasses classes) {
  const Scenario base = plain(lock);
  const rc::Gen<picklock::Scenario> scenarios =
      arbitrary(explore::user_scenario(base), {.classes = classes, .most = 4});
  scenarios::World world;
  const rc::detail::TestParams always{.seed = 1};
  return message_of(checked(always, [&] {
    const Scenario scenario = (*scenarios).state().scenario;
    world.set(scenario);
    world.run(scenario.seed);
    if (world.verdicts()[static_cast<std::size_t>(property)].outcome == Outcome::violated)
      RC_FAIL(std::string(picklock::name(property)) + " is violated");
  }));
}

TEST(LockPromise, ThatIsNotKeptShrinksToAFileOfOneFault) {
  const std::string message =
      failure_of("set-px-check-delete", Property::own_release, {FaultClass::pause});
  EXPECT_THAT(message, testing::HasSubstr("own-release is violated"));
  EXPECT_THAT(message, testing::HasSubstr("algorithm = \"set-px-check-delete\""));
  const std::string table = "[[fault]]";
  const std::size_t first = message.find(table);
  ASSERT_NE(first, std::string::npos) << message;
  EXPECT_EQ(message.find(table, first + 1), std::string::npos) << message;
}

}  // namespace
}  // namespace picklock::properties
