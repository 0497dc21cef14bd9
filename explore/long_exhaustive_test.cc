// A complete search leaves out plans that differ from others by time alone. No verdict is lost by
// that: the same properties break with those plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "explore/search.h"
#include "models/locks/catalogue.h"
#include "scenarios/shipped.h"

namespace picklock::explore {
namespace {

using scenarios::Scenario;

Scenario small(const std::string& lock) {
  Scenario scenario = scenarios::shipped::plain(lock);
  scenario.clients.count = 2;
  scenario.clients.cycles = 1;
  return scenario;
}

// Those of the properties that plans with the fewest faults break.
std::set<Property> broken(const Scenario& scenario, FaultClass one, std::uint32_t most,
                          const std::vector<Property>& properties, bool alike) {
  SearchOptions options{.strategy = "exhaustive",
                        .faults = {.classes = {one}, .most = most},
                        .all_classes = false,
                        .properties = properties,
                        .command = "a search"};
  options.alike = alike;
  options.shrinking.runs = 1;
  Search search(scenario, options);
  while (search.run_next()) {
  }
  EXPECT_EQ(search.decided()->too_many, 0u);
  std::set<Property> all;
  for (const Find& find : search.finds()) all.insert(find.violation.property);
  return all;
}

std::string words(const std::set<Property>& properties) {
  std::string all;
  for (const Property one : properties) all += std::string(picklock::name(one)) + " ";
  return all;
}

std::vector<Property> every_property() {
  std::vector<Property> all;
  for (std::size_t i = 0; i < kPropertyCount; ++i) all.push_back(static_cast<Property>(i));
  return all;
}

FaultClasses possible(const Scenario& scenario) {
  return Ways(scenario, profile(scenario, scenario.seed)).possible();
}

class LongExhaustive : public ::testing::TestWithParam<std::string> {};

TEST_P(LongExhaustive, BreaksTheSamePropertiesWithEveryPlanOfOneFault) {
  const Scenario scenario = small(GetParam());
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    if (!possible(scenario).has(one)) continue;
    const std::string found = words(broken(scenario, one, 1, every_property(), false));
    const std::string whole = words(broken(scenario, one, 1, every_property(), true));
    EXPECT_EQ(found, whole) << picklock::name(one);
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, LongExhaustive, ::testing::ValuesIn([] {
                           std::vector<std::string> all;
                           for (const models::Algorithm* one : models::locks::all())
                             all.emplace_back(one->name);
                           return all;
                         }()),
                         [](const auto& instance) {
                           return scenarios::shipped::test_name(instance.param);
                         });

// These classes have the fewest plans, some 10^5 with two faults. Where a ZooKeeper may lose its
// leader twice, they are too many.
TEST(LongExhaustivePairs, BreakTheSamePropertiesWithEveryPlanOfTwoFaults) {
  for (const std::string lock :
       {"lua-check-delete", "naive-setnx", "mysql-row-lock", "zk-sequential"}) {
    const Scenario scenario = small(lock);
    for (const FaultClass one : {FaultClass::failover, FaultClass::lost_reply}) {
      const bool too_many = lock == "zk-sequential" && one == FaultClass::failover;
      if (too_many || !possible(scenario).has(one)) continue;
      std::vector<Property> left = every_property();
      for (const Property known : broken(scenario, one, 1, left, false)) std::erase(left, known);
      EXPECT_EQ(words(broken(scenario, one, 2, left, false)),
                words(broken(scenario, one, 2, left, true)))
          << lock << ", " << picklock::name(one);
    }
  }
}

// A failure of the literature as a shipped scenario has it, and a search that finds it.
struct Known {
  const char* scenario;
  Property property;
  FaultClass faults;
  const char* plain = nullptr;  // the lock whose plain scenario is searched; null: the story's own
};

// The search has tried every plan of fewer faults of this class before.
TEST(LongExhaustiveKnown, NeedAsManyFaultsAsTheirShippedScenariosHave) {
  const std::vector<Known> all = {
      {"check-then-delete-gap", Property::own_release, FaultClass::pause},
      {"redlock-split-vote", Property::progress, FaultClass::pause},
      {"redlock-amnesiac-restart", Property::mutual_exclusion, FaultClass::amnesia, "redlock"},
      {"zk-session-expiry-during-pause", Property::no_stale_write, FaultClass::pause},
      {"mysql-failover-two-primaries", Property::mutual_exclusion, FaultClass::partition},
  };
  for (const Known& known : all) {
    const Scenario story =
        scenarios::shipped::document(known.scenario).scenario(scenarios::shipped_vocabulary());
    SearchOptions options{.strategy = "exhaustive",
                          .faults = {.classes = {known.faults}, .most = 2},
                          .all_classes = false,
                          .properties = {known.property},
                          .command = "a search"};
    Search search(known.plain != nullptr ? small(known.plain) : story, options);
    while (search.finds().empty() && search.run_next()) {
    }
    ASSERT_FALSE(search.finds().empty()) << known.scenario;
    EXPECT_EQ(search.finds()[0].faults, story.faults.size()) << known.scenario;
  }
}

}  // namespace
}  // namespace picklock::explore
