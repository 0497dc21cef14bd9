#include "explore/strategies/exhaustive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "explore/campaign.h"
#include "explore/moments.h"
#include "explore/search.h"
#include "explore/signature.h"
#include "scenarios/shipped.h"

namespace picklock::explore {
namespace {

using scenarios::Scenario;
using scenarios::shipped::plain;
using strategies::Decided;
using ::testing::IsSupersetOf;

// Two clients that take the lock once: all that most violations need.
Scenario small(const std::string& lock) {
  Scenario scenario = plain(lock);
  scenario.clients.count = 2;
  scenario.clients.cycles = 1;
  return scenario;
}

SearchOptions every_plan(std::uint32_t most, FaultClasses classes = {}) {
  return {.strategy = "exhaustive",
          .faults = {.classes = classes, .most = most},
          .all_classes = classes.empty(),
          .command = "a search"};
}

std::unique_ptr<Search> made(const Scenario& scenario, const SearchOptions& options) {
  auto search = std::make_unique<Search>(scenario, options);
  while (search->run_next()) {
  }
  return search;
}

TEST(Exhaustive, TriesEveryPlanOfOneFaultAndSaysSo) {
  const auto searched = made(small("lua-check-delete"), every_plan(1));
  const Search& search = *searched;
  EXPECT_TRUE(search.clean());
  const Decided decided = *search.decided();
  EXPECT_TRUE(decided.begun);
  EXPECT_EQ(decided.most, 1u);
  EXPECT_EQ(decided.plans, search.tally().runs);
  EXPECT_EQ(decided.unjudged, 0u);
  EXPECT_GT(decided.different, 100u);
  EXPECT_LT(decided.different, decided.plans);
  EXPECT_EQ(search.tally().fired, decided.plans - 1) << "the run without faults is a plan as well";
  EXPECT_EQ(search.tally().dropped, 0u) << "each fault is placed at a step that the run reaches";
  EXPECT_THAT(decided.verbs, IsSupersetOf({"pause", "crash", "drop", "evict", "fail-over"}));
  for (std::size_t i = 0; i < kFaultClassCount; ++i)
    EXPECT_GT(search.tally().fired_of[i], 0u) << kFaultClassNames[i];
}

TEST(Exhaustive, FindsWhatNeedsNoFaultBeforeWhatNeedsOne) {
  Scenario scenario = small("lua-check-delete");
  scenario.lock.options.ttl = scenario.clients.hold / 2;
  SearchOptions options = every_plan(2);
  options.properties = {Property::mutual_exclusion};
  const auto searched = made(scenario, options);
  const Search& search = *searched;
  ASSERT_EQ(search.finds().size(), 1u);
  EXPECT_TRUE(search.finds()[0].story.faults.empty());
  EXPECT_EQ(search.tally().runs, 1u);
}

// A release that checks and then deletes is broken by a pause between the two. No plan of one fault
// remains untried, and none of two is begun.
TEST(Exhaustive, EndsWithTheFewestFaultsThatBreakAProperty) {
  SearchOptions options = every_plan(2, {FaultClass::pause});
  options.properties = {Property::own_release};
  const auto searched = made(small("set-px-check-delete"), options);
  const Search& search = *searched;
  ASSERT_FALSE(search.clean());
  EXPECT_EQ(search.decided()->most, 1u);
  EXPECT_EQ(search.tally().runs, search.decided()->plans);
  for (const Find& find : search.finds()) {
    EXPECT_EQ(find.faults, 1u);
    EXPECT_TRUE(find.minimal);
    EXPECT_THAT(find.story.expect.violated, ::testing::Contains(Property::own_release));
  }
}

TEST(Exhaustive, PlacesASecondFaultInTheRunThatTheFirstHasDisturbed) {
  Scenario once = small("lua-check-delete");
  scenarios::World world;
  world.set(once);
  world.run(1, true);
  const std::size_t undisturbed = course(world, false).moments.size();
  const Profile reached = profile(once, 1);
  Vocabulary vocabulary(Ways(once, reached), {FaultClass::crash}, false);
  for (const sim::Fault& fault : vocabulary.after(course(world, false), {})) {
    if (fault.target != "client-1" || fault.lasts) continue;
    Scenario crashed = once;
    crashed.faults = {fault};
    scenarios::World after;
    after.set(crashed);
    after.run(1, true);
    const std::vector<Moment> moments = course(after, false).moments;
    ASSERT_FALSE(moments.empty());
    EXPECT_LT(moments.size(), undisturbed);
    const sim::Trigger& first = moments.front().trigger;
    EXPECT_EQ(first.nth, fault.trigger.nth) << "they begin where the first has struck";
    EXPECT_EQ(first.role, fault.trigger.role);
    break;
  }
}

TEST(Exhaustive, SaysTheSameWithAnyNumberOfProcesses) {
  const auto counted = [](unsigned jobs) {
    SearchOptions options = every_plan(2, {FaultClass::failover, FaultClass::lost_reply});
    options.properties = {Property::not_stuck};
    Search search(small("set-px-check-delete"), options);
    make(search, {.jobs = jobs, .runs = UINT64_MAX},
         {.found = [](const Find&) {},
          .crashed = [](const Crash&) {},
          .progress = [](const Progress&) {},
          .interrupted = [] { return false; }});
    std::vector<std::uint64_t> all = {search.tally().runs, search.tally().events,
                                      search.decided()->different, search.decided()->most};
    for (const Find& find : search.finds()) all.push_back(*find.story.expect.digest);
    return all;
  };
  EXPECT_EQ(counted(1), counted(3));
}

TEST(Exhaustive, DoesNotBeginWhatIsTooLargeAndSaysHowLargeItIs) {
  SearchOptions options = every_plan(2, {FaultClass::pause});
  options.most_plans = 10'000;
  const auto searched = made(small("lua-check-delete"), options);
  const Search& search = *searched;
  const Decided decided = *search.decided();
  EXPECT_EQ(decided.most, 1u);
  EXPECT_EQ(decided.plans, search.tally().runs);
  EXPECT_GT(decided.too_many, 10'000u);
  options.most_plans = 100;
  const auto none = made(small("lua-check-delete"), options);
  EXPECT_EQ(none->tally().runs, 1u);
  EXPECT_EQ(none->decided()->too_many, decided.plans - 1);
}

// long_exhaustive_test.cc does so for every lock and class, and for two faults.
TEST(Exhaustive, BreaksTheSamePropertiesWithThePlansThatAreAlike) {
  for (const FaultClass one : {FaultClass::failover, FaultClass::lost_reply}) {
    const auto broken = [one](bool alike) {
      SearchOptions options = every_plan(1, {one});
      for (std::size_t i = 0; i < kPropertyCount; ++i)
        options.properties.push_back(static_cast<Property>(i));
      options.alike = alike;
      options.shrinking.runs = 1;
      std::set<std::string_view> all;
      const auto searched = made(small("lua-check-delete"), options);
      for (const Find& find : searched->finds())
        all.insert(picklock::name(find.violation.property));
      return all;
    };
    EXPECT_EQ(broken(false), broken(true)) << picklock::name(one);
    EXPECT_FALSE(broken(false).empty()) << picklock::name(one);
  }
}

TEST(Signature, IsThatOfTheEventsAndNotOfTheirTimes) {
  Scenario scenario = small("lua-check-delete");
  const auto sign = [&] {
    scenarios::World world;
    world.set(scenario);
    world.run(1);
    return signature(world);
  };
  const std::uint64_t undisturbed = sign();
  scenario.clients.hold += std::chrono::milliseconds(1);
  EXPECT_EQ(sign(), undisturbed);
  scenario.clients.hold = scenario.lock.options.ttl * 2;
  EXPECT_NE(sign(), undisturbed);
}

}  // namespace
}  // namespace picklock::explore
