#include "explore/search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/bad_input.h"
#include "scenarios/shipped.h"

namespace picklock::explore {
namespace {

using scenarios::Scenario;
using scenarios::shipped_vocabulary;

Scenario plain(const std::string& algorithm) {
  return scenarios::shipped::document("plain/" + algorithm).scenario(shipped_vocabulary());
}

// Runs until something is found, `most` times at most.
const std::optional<Find>& search(Search& search, std::uint64_t most) {
  while (search.tally().runs < most && !search.find()) search.run_next();
  return search.find();
}

TEST(Search, FindsTheLockThatDeletesWhatIsNotItsOwn) {
  Search one(plain("set-px-blind-delete"),
             {.properties = {Property::own_release}, .command = "a search"});
  const std::optional<Find>& find = search(one, 1000);
  ASSERT_TRUE(find);
  EXPECT_EQ(find->answered, std::vector<Property>{Property::own_release});
  EXPECT_EQ(find->run, one.tally().runs);
  EXPECT_NE(find->result.scenario.title.find("'s entry of lock:order-42"), std::string::npos);
  EXPECT_FALSE(find->result.trace.records.empty());
  EXPECT_EQ(find->result.fired.size(), find->result.scenario.faults.size());
}

TEST(Search, KeepsWhatItFindsAsAScenarioThatRunsAsItSays) {
  for (const char* algorithm : {"set-px-blind-delete", "set-px-check-delete", "lua-check-delete"}) {
    for (const Property property : {Property::mutual_exclusion, Property::no_stale_write}) {
      Search one(plain(algorithm), {.properties = {property}, .command = "a search"});
      const std::optional<Find>& find = search(one, 1000);
      ASSERT_TRUE(find) << algorithm << " " << models::name(property);
      scenarios::Runner runner;
      const scenarios::Outcome again =
          runner.run_file(scenarios::Document(find->text, "found.toml"), {}, false, false);
      EXPECT_TRUE(again.as_expected()) << find->text;
      EXPECT_EQ(again.run.digest, find->result.digest);
      EXPECT_EQ(again.run.scenario.expect.digest, find->result.digest);
    }
  }
}

TEST(Search, TellsPromisedFromAskedFor) {
  SearchOptions options{.faults = {.classes = {FaultClass::pause}}, .all_classes = false};
  Search promised(plain("lua-check-delete"), options);
  EXPECT_FALSE(search(promised, 300));
  const auto besides = [&](Property property) {
    return promised.tally().besides[static_cast<std::size_t>(property)].runs;
  };
  EXPECT_GT(besides(Property::mutual_exclusion), 0u);
  EXPECT_EQ(besides(Property::own_release), 0u);
  options.properties = {Property::mutual_exclusion};
  Search asked(plain("lua-check-delete"), options);
  EXPECT_TRUE(search(asked, 300));
}

// Work that outlasts its lease is the user's doing; the lock has not promised to bear it.
TEST(Search, HoldsNoPromiseAgainstALockWhosePremiseWasNotKept) {
  const Scenario long_work =
      scenarios::shipped::document("work-longer-than-ttl").scenario(shipped_vocabulary());
  SearchOptions options{.faults = {.classes = {FaultClass::crash}, .none = true},
                        .all_classes = false};
  Search one(long_work, options);
  EXPECT_FALSE(search(one, 200));
  const Tally::Besides& besides =
      one.tally().besides[static_cast<std::size_t>(Property::mutual_exclusion)];
  EXPECT_GT(besides.runs, 0u);
  EXPECT_EQ(besides.premise_broken, besides.runs);
}

// Each class alone, and all together.
// docs/facts/failures.md A-08: the replica is promoted before the grant has come to it.
TEST(Search, FindsTheGrantThatAFailoverForgets) {
  Search one(plain("lua-check-delete"), {.faults = {.classes = {FaultClass::failover}, .most = 1},
                                         .all_classes = false,
                                         .properties = {Property::mutual_exclusion}});
  EXPECT_TRUE(search(one, 2000));
}

TEST(Search, FindsNothingInALockThatKeepsItsPromises) {
  const Scenario scenario = plain("lua-check-delete");
  const FaultClasses possible = FaultPlans(scenario, profile(scenario, 1)).possible();
  for (std::size_t i = 0; i < models::kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    if (!possible.has(one)) continue;
    Search alone(scenario, {.faults = {.classes = {one}}, .all_classes = false});
    const std::optional<Find>& find = search(alone, 400);
    EXPECT_FALSE(find) << models::name(one) << "\n" << (find ? find->text : "");
  }
  Search together(scenario, {.faults = {.most = 4}});
  const std::optional<Find>& find = search(together, 3000);
  EXPECT_FALSE(find) << (find ? find->text : "");
}

TEST(Search, ComesOutTheSameWhenMadeAgain) {
  const auto made = [](std::uint64_t seed) {
    Search one(plain("set-px-check-delete"),
               {.seed = seed, .properties = {Property::own_release}, .command = "a search"});
    search(one, 5000);
    return one.find() ? one.find()->text : std::string();
  };
  EXPECT_EQ(made(1), made(1));
  EXPECT_NE(made(1), made(2));
}

// Run i is what (seed, i) says, whatever ran before it in the same world.
TEST(Search, MakesRunsThatAreIndependentOfEachOther) {
  const Scenario scenario = plain("lua-check-delete");
  FaultPlans plans(scenario, profile(scenario, 1));
  const FaultLimits limits{.classes = plans.possible(), .most = 3};
  constexpr std::uint64_t kRuns = 300;
  std::vector<std::uint64_t> digests;
  Scenario current = scenario;
  scenarios::World shared;
  shared.set(current);
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    plans.draw(1, i, limits, current.faults);
    shared.run(run_seed(1, i));
    digests.push_back(shared.digest());
  }
  for (std::uint64_t i = kRuns; i-- > 0;) {
    Scenario alone = scenario;
    plans.draw(1, i, limits, alone.faults);
    scenarios::World world;
    world.set(alone);
    world.run(run_seed(1, i));
    ASSERT_EQ(world.digest(), digests[i]) << i;
  }
}

TEST(Search, LeavesOutThePlanOfTheScenarioItStartsFrom) {
  const Scenario story =
      scenarios::shipped::document("check-then-delete-gap").scenario(shipped_vocabulary());
  Search one(story, {.faults = {.classes = {}, .none = true}, .all_classes = false});
  EXPECT_FALSE(search(one, 50));
  EXPECT_EQ(one.tally().fired, 0u);
  for (const Tally::Besides& violated : one.tally().besides) EXPECT_EQ(violated.runs, 0u);
}

TEST(Search, CountsWhatFiredAndWhatDidNot) {
  Search one(plain("lua-check-delete"), {.faults = {.most = 2}});
  search(one, 500);
  const Tally& tally = one.tally();
  EXPECT_GT(tally.fired, tally.dropped);
  EXPECT_GT(tally.dropped, 0u);
  EXPECT_LE(tally.fired + tally.dropped, 2 * tally.runs);
  std::uint64_t sum = 0;
  for (const std::uint64_t of_class : tally.fired_of) sum += of_class;
  EXPECT_EQ(sum, tally.fired);
  EXPECT_EQ(tally.repeated, 8u);  // one in 64
}

TEST(Search, RefusesAClassThatCannotActAndSaysWhy) {
  Scenario alone = plain("lua-check-delete");
  alone.servers.redis.replicas = 0;
  alone.network.links.clear();
  try {
    Search one(alone, {.faults = {.classes = {FaultClass::failover}}, .all_classes = false});
    FAIL() << "not refused";
  } catch (const scenarios::BadInput& error) {
    EXPECT_STREQ(error.what(),
                 "--faults: failover cannot act in lua-check-delete: the primary has no "
                 "replica to promote");
  }
}

TEST(Search, BoundsTheChanceThatItHasSeenNothingOf) {
  EXPECT_NEAR(upper_bound_95(1), 0.95, 1e-9);
  EXPECT_NEAR(upper_bound_95(100), 0.029513049, 1e-9);  // 1 - 0.05^(1/100)
  EXPECT_NEAR(upper_bound_95(1'000'000), 2.9957278e-6, 1e-12);
}

}  // namespace
}  // namespace picklock::explore
