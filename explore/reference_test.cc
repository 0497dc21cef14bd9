#include "explore/reference.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "explore/search.h"
#include "keys/bad_input.h"
#include "scenarios/shipped.h"
#include "testing/whole.h"

namespace picklock::explore {
namespace {

using namespace std::chrono_literals;
using scenarios::Scenario;
using scenarios::shipped::plain;
using ::testing::HasSubstr;

std::string complaint_of(const std::string& lock, const Against& against) {
  try {
    Reference(plain(lock), against);
  } catch (const keys::BadInput& error) {
    return error.what();
  }
  return "";
}

sim::Fault at_check(sim::Verb verb) {
  return {.verb = verb,
          .target = "client-1",
          .trigger = {.role = Role::check},
          .lasts = verb == sim::Verb::drop ? std::nullopt : std::optional<Duration>(3s)};
}

TEST(Reference, IsTheSameScenarioWithAnotherLock) {
  Scenario scenario = plain("set-px-check-delete");
  scenario.lock.options.ttl = 7s;
  const Reference reference(scenario, {.algorithm = "lua-check-delete"});
  EXPECT_EQ(reference.scenario().lock.algorithm, "lua-check-delete");
  EXPECT_EQ(reference.scenario().lock.options.ttl, 7s);
  EXPECT_EQ(reference.scenario().clients.count, scenario.clients.count);
  const Reference changed(scenario, {.algorithm = "lua-check-delete",
                                     .changes = {{.path = "lock.retry_every", .value = "300ms"}}});
  EXPECT_EQ(changed.scenario().lock.options.retry_every, 300ms);
}

TEST(Reference, RefusesALockThatCannotBeComparedWith) {
  EXPECT_EQ(complaint_of("set-px-check-delete", {.algorithm = "lua-check-delet"}),
            "--against: there is no algorithm `lua-check-delet`; did you mean `lua-check-delete`?");
  EXPECT_THAT(complaint_of("set-px-check-delete", {.algorithm = "zk-sequential"}),
              HasSubstr("zk-sequential lives on ZooKeeper and set-px-check-delete on Redis"));
  EXPECT_THAT(complaint_of("redlock", {.algorithm = "lua-check-delete"}),
              HasSubstr("lua-check-delete uses one server"));
  EXPECT_THAT(complaint_of("lua-check-delete", {.algorithm = "redlock",
                                                .changes = {{.path = "lock.tl", .value = "5s"}}}),
              HasSubstr("did you mean `lock.ttl`?"));
}

// A step that a lock does not take: what can strike at a time does so, the rest never strikes.
TEST(Reference, StrikesAtTheSameTimeIfItDoesNotTakeTheStep) {
  const Scenario scenario = plain("set-px-check-delete");
  Reference reference(scenario, {.algorithm = "lua-check-delete"});
  const auto missed = [&](sim::Verb verb) {
    return reference.under(scenario, {.plan = {at_check(verb)}, .at = {sim::kStart + Duration(2s)}})
        .missed;
  };
  EXPECT_EQ(missed(sim::Verb::pause), 0u);
  EXPECT_EQ(missed(sim::Verb::drop), 1u);
}

// A pause that outlasts the lease breaks exclusion wherever in a section it strikes.
TEST(Reference, IsStruckAtEveryOtherMomentToo) {
  const Scenario scenario = plain("set-px-check-delete");
  Reference reference(scenario, {.algorithm = "lua-check-delete"});
  sim::Fault pause = at_check(sim::Verb::pause);
  const Struck brief{.plan = {pause}, .at = {sim::kStart + Duration(2s)}};
  EXPECT_FALSE(reference.breaks_elsewhere(scenario, brief, Property::mutual_exclusion));
  EXPECT_GT(reference.tried(), 20u);
  pause.lasts = 12s;
  const Struck lasting{.plan = {pause}, .at = {sim::kStart + Duration(2s)}};
  EXPECT_TRUE(reference.breaks_elsewhere(scenario, lasting, Property::mutual_exclusion));
  EXPECT_FALSE(reference.breaks_elsewhere(scenario, lasting, Property::own_release));
}

SearchOptions comparison(const std::string& lock) {
  return {.properties = {Property::mutual_exclusion, Property::own_release},
          .against = Against{.algorithm = lock},
          .command = "a search"};
}

std::uint64_t limits(const Search& search, Property property) {
  return search.tally().limits[static_cast<std::size_t>(property)].runs;
}

TEST(Search, FindsInAComparisonWhatBreaksTheFirstLockAlone) {
  const Scenario scenario = plain("set-px-check-delete");
  Search search(scenario, comparison("lua-check-delete"));
  while (search.tally().runs < 3000) search.run_next();
  ASSERT_FALSE(search.clean());
  Reference reference(scenario, *search.options().against);
  for (const Find& find : search.finds()) {
    scenarios::World world;
    world.set(find.story);
    world.run(find.story.seed);
    const Struck faults = struck(find.story.faults, world);
    const Property property = find.violation.property;
    EXPECT_EQ(world.verdicts()[static_cast<std::size_t>(property)].outcome,
              properties::Outcome::violated);
    EXPECT_FALSE(reference.under(find.story, faults).breaks(property)) << find.text;
    EXPECT_FALSE(reference.breaks_elsewhere(find.story, faults, property)) << find.text;
    EXPECT_EQ(reference.tried(), find.moved);
  }
  EXPECT_EQ(limits(search, Property::own_release), 0u);
  EXPECT_GT(limits(search, Property::mutual_exclusion), 10u);
  ASSERT_EQ(search.limits().size(), 1u);
  const Find& example = search.limits()[0];
  EXPECT_EQ(example.violation.property, Property::mutual_exclusion);
  scenarios::World world;
  world.set(example.story);
  world.run(example.story.seed);
  EXPECT_TRUE(reference.under(example.story, struck(example.story.faults, world))
                  .breaks(Property::mutual_exclusion))
      << example.text;
}

TEST(Search, FindsNothingInALockThatIsComparedWithItself) {
  Search search(plain("set-px-check-delete"), comparison("set-px-check-delete"));
  while (search.tally().runs < 3000) search.run_next();
  EXPECT_TRUE(search.clean()) << search.finds()[0].text;
  EXPECT_GT(limits(search, Property::own_release), 10u);
  EXPECT_GT(limits(search, Property::mutual_exclusion), 10u);
}

// The scenario itself breaks every lock: that is no limit of a kind.
TEST(Search, FindsInAComparisonTwoHoldersThatNeedNoFault) {
  const Scenario long_work = scenarios::shipped::document("work-longer-than-ttl")
                                 .scenario(scenarios::shipped_vocabulary());
  Search search(long_work, {.faults = {.classes = {FaultClass::crash}},
                            .all_classes = false,
                            .against = Against{.algorithm = "lua-check-delete"}});
  search.run_next();
  ASSERT_FALSE(search.clean());
  EXPECT_EQ(search.finds()[0].run, 0u);
  EXPECT_TRUE(search.finds()[0].unprovoked);
}

// Its own promises do not include it (docs/locks/set-px-check-delete.md).
TEST(Search, CountsInAComparisonWhatTheOtherLockPromises) {
  if (tests_are_short()) GTEST_SKIP() << "the other comparison is as long";
  const Scenario scenario = plain("set-px-check-delete");
  SearchOptions options{.faults = {.classes = {FaultClass::pause}}, .all_classes = false};
  Search alone(scenario, options);
  options.against = Against{.algorithm = "lua-check-delete"};
  Search compared(scenario, options);
  while (alone.tally().runs < 3000) alone.run_next(), compared.run_next();
  EXPECT_TRUE(alone.clean());
  ASSERT_FALSE(compared.clean());
  EXPECT_EQ(compared.finds()[0].violation.property, Property::own_release);
  EXPECT_FALSE(compared.finds()[0].promised);
}

TEST(Search, TellsOfAnExceptionAndALimitApart) {
  SearchOptions options = comparison("set-px-check-delete");
  const Scenario scenario = plain("set-px-check-delete");
  options.except = {exception_from("own-release", scenario)};
  Search search(scenario, options);
  while (search.tally().runs < 2000) search.run_next();
  EXPECT_GT(search.known_runs()[0], 0u);
  EXPECT_EQ(limits(search, Property::own_release), 0u);
  EXPECT_GT(limits(search, Property::mutual_exclusion), 0u);
}

}  // namespace
}  // namespace picklock::explore
