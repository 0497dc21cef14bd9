#include "explore/search.h"

#include <gtest/gtest.h>

#include <set>

#include "keys/bad_input.h"
#include "models/redis/spec.h"
#include "scenarios/shipped.h"
#include "testing/whole.h"

namespace picklock::explore {
namespace {

using scenarios::Scenario;
using scenarios::shipped_vocabulary;
using scenarios::shipped::plain;

// Makes runs until there is a find, at most `most`; nullptr: there is none.
const Find* search(Search& search, std::uint64_t most) {
  while (search.tally().runs < most && search.clean()) search.run_next();
  return search.clean() ? nullptr : &search.finds()[0];
}

TEST(Search, FindsTheLockThatDeletesWhatIsNotItsOwn) {
  Search one(plain("set-px-blind-delete"),
             {.properties = {Property::own_release}, .command = "a search"});
  const Find* find = search(one, 1000);
  ASSERT_NE(find, nullptr);
  EXPECT_EQ(find->violation.property, Property::own_release);
  EXPECT_EQ(find->run, one.tally().runs);
  EXPECT_NE(find->story.title.find("'s entry of lock:order-42"), std::string::npos);
  EXPECT_TRUE(find->minimal);
  EXPECT_EQ(find->story.faults.size(), 1u);
}

TEST(Search, KeepsWhatItFindsAsAScenarioThatRunsAsItSays) {
  for (const char* algorithm : {"set-px-blind-delete", "set-px-check-delete", "lua-check-delete"}) {
    for (const Property property : {Property::mutual_exclusion, Property::no_stale_write}) {
      Search one(plain(algorithm), {.properties = {property}, .command = "a search"});
      const Find* find = search(one, 1000);
      ASSERT_NE(find, nullptr) << algorithm << " " << picklock::name(property);
      scenarios::Runner runner;
      const scenarios::Outcome again =
          runner.run_file(scenarios::Document(find->text, "found.toml"), {}, false, false);
      EXPECT_TRUE(again.as_expected()) << find->text;
      EXPECT_EQ(again.run.digest, find->story.expect.digest);
    }
  }
}

TEST(Search, TellsPromisedFromAskedFor) {
  SearchOptions options{.faults = {.classes = {FaultClass::pause}}, .all_classes = false};
  Search promised(plain("lua-check-delete"), options);
  EXPECT_EQ(search(promised, 300), nullptr);
  const auto besides = [&](Property property) {
    return promised.tally().besides[static_cast<std::size_t>(property)].runs;
  };
  EXPECT_GT(besides(Property::mutual_exclusion), 0u);
  EXPECT_EQ(besides(Property::own_release), 0u);
  options.properties = {Property::mutual_exclusion};
  Search asked(plain("lua-check-delete"), options);
  EXPECT_NE(search(asked, 300), nullptr);
}

// Work that outlasts its lease is the user's fault, so it breaks no promise. Nevertheless, two
// holders in a run without faults are reported.
TEST(Search, TellsOfTwoHoldersWithoutAFaultAlthoughNoPromiseIsBroken) {
  const Scenario long_work =
      scenarios::shipped::document("work-longer-than-ttl").scenario(shipped_vocabulary());
  SearchOptions options{.faults = {.classes = {FaultClass::crash}}, .all_classes = false};
  Search one(long_work, options);
  const Find* const find = search(one, 200);
  ASSERT_NE(find, nullptr);
  EXPECT_EQ(find->violation.property, Property::mutual_exclusion);
  EXPECT_EQ(find->run, 0u);
  EXPECT_TRUE(find->unprovoked);
  EXPECT_FALSE(find->promised);
  while (one.tally().runs < 50) one.run_next();
  EXPECT_EQ(one.finds().size(), 1u);
  const Tally::Besides& besides =
      one.tally().besides[static_cast<std::size_t>(Property::mutual_exclusion)];
  EXPECT_GT(besides.runs, 0u);
  EXPECT_EQ(besides.premise_broken, besides.runs);
}

// docs/facts/failures.md A-08: the replica is promoted before it has received the grant.
TEST(Search, FindsTheGrantThatAFailoverForgets) {
  Search one(plain("lua-check-delete"), {.faults = {.classes = {FaultClass::failover}, .most = 1},
                                         .all_classes = false,
                                         .properties = {Property::mutual_exclusion}});
  EXPECT_NE(search(one, 2000), nullptr);
}

// Without any fault: the order of the statements is enough (M1, M4, M5, M6).
TEST(Search, FindsWhatBecomesOfTheRecipesThatInsertARowWhichIsMissing) {
  struct Recipe {
    const char* lock;
    std::vector<const char*> changes;
    Property found;
    std::uint32_t clients;  // of the shortest story
  };
  const std::vector<Recipe> recipes = {
      {"mysql-select-insert", {"clients.arrive_every=1s"}, Property::available, 2},
      {"mysql-select-insert",
       {"lock.ends_by=rollback", "clients.count=4", "clients.arrive_every=10ms"},
       Property::no_deadlock,
       3},
      {"mysql-probe-insert", {"clients.arrive_every=0s"}, Property::no_deadlock, 2},
      {"mysql-probe-insert",
       {"clients.arrive_every=0s", "servers.mysql.isolation=read-committed"},
       Property::available,
       2},
  };
  for (const Recipe& recipe : recipes) {
    scenarios::Document document =
        scenarios::shipped::document("plain/" + std::string(recipe.lock));
    for (const char* const change : recipe.changes) document.set(scenarios::change_from(change));
    Search one(document.scenario(shipped_vocabulary()),
               {.faults = {.classes = {}}, .all_classes = false, .properties = {recipe.found}});
    const Find* find = search(one, 100);
    ASSERT_NE(find, nullptr) << recipe.lock;
    EXPECT_EQ(find->violation.property, recipe.found) << recipe.lock;
    EXPECT_TRUE(find->minimal);
    EXPECT_EQ(find->story.clients.count, recipe.clients) << find->text;
  }
}

// Each class alone, and all together.
TEST(Search, FindsNothingInALockThatKeepsItsPromises) {
  const Scenario scenario = plain("lua-check-delete");
  const FaultClasses possible = FaultPlans(scenario, profile(scenario, 1)).possible();
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    if (!possible.has(one)) continue;
    Search alone(scenario, {.faults = {.classes = {one}}, .all_classes = false});
    const Find* find = search(alone, shortened(400, 50));
    EXPECT_EQ(find, nullptr) << picklock::name(one) << "\n" << (find ? find->text : "");
  }
  Search together(scenario, {.faults = {.most = 4}});
  const Find* find = search(together, shortened(3000, 300));
  EXPECT_EQ(find, nullptr) << (find ? find->text : "");
}

TEST(Search, ComesOutTheSameWhenMadeAgain) {
  const auto made = [](std::uint64_t seed) {
    Search one(plain("set-px-check-delete"),
               {.seed = seed, .properties = {Property::own_release}, .command = "a search"});
    const Find* find = search(one, 5000);
    return find != nullptr ? find->text : std::string();
  };
  EXPECT_EQ(made(1), made(1));
  EXPECT_NE(made(1), made(2));
}

// Run i depends only on (seed, i), not on the runs before it in the same world.
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
  EXPECT_EQ(search(one, 50), nullptr);
  EXPECT_EQ(one.tally().fired, 0u);
  for (const Tally::Besides& violated : one.tally().besides) EXPECT_EQ(violated.runs, 0u);
}

TEST(Search, TellsDistinctViolationsApart) {
  Search one(plain("set-px-blind-delete"),
             {.properties = {Property::own_release, Property::no_stale_write}, .command = "x"});
  while (one.tally().runs < 600) one.run_next();
  std::set<Violation> distinct;
  std::set<Property> properties;
  for (const Find& find : one.finds()) {
    EXPECT_TRUE(distinct.insert(find.violation).second) << find.text;
    properties.insert(find.violation.property);
  }
  EXPECT_EQ(properties.size(), 2u);
}

// In the order of the runs, and what slips while one is shrunk before what comes after it.
TEST(Search, FollowsLeadsInAnOrderThatTimeHasNoPartIn) {
  Search one(plain("set-px-blind-delete"), {});
  const Violation a{.property = Property::own_release, .role = Role::acquire};
  const Violation b{.property = Property::own_release, .role = Role::renew};
  const Violation c{.property = Property::own_release, .role = Role::check};
  one.take({.tally = {},
            .sightings = {{.run = 7, .violation = a}, {.run = 7, .violation = b}},
            .signs = {}});
  EXPECT_EQ(one.next_lead()->violation, a);
  one.take({.tally = {},
            .sightings = {{.run = 80, .violation = c}, {.run = 81, .violation = a}},
            .signs = {}});
  Find find;
  find.violation = a;
  one.add({.find = find, .slipped = {{.run = 7, .violation = c, .file = "slipped"}}});
  const std::optional<Lead> slipped = one.next_lead();
  EXPECT_EQ(slipped->violation, c);
  EXPECT_EQ(slipped->run, 7u);
  EXPECT_EQ(one.next_lead()->violation, b);
  EXPECT_FALSE(one.next_lead());
}

TEST(Search, TellsAStoryOnceThatTwoLeadsComeTo) {
  Search one(plain("set-px-blind-delete"), {});
  Find find;
  find.violation = {.property = Property::own_release, .role = Role::acquire};
  find.text = "format = 1\ntitle = \"t\"\nsource = \"search, run 7\"\nseed = 3\n";
  one.add({.find = find, .slipped = {}});
  find.violation.role = Role::renew;
  find.text = "format = 1\ntitle = \"u\"\nsource = \"search, run 9\"\nseed = 3\n";
  one.add({.find = find, .slipped = {}});
  ASSERT_EQ(one.finds().size(), 1u);
  EXPECT_EQ(one.finds().front().violation.role, Role::acquire);
  find.text = "format = 1\ntitle = \"t\"\nsource = \"search, run 9\"\nseed = 4\n";
  one.add({.find = find, .slipped = {}});
  EXPECT_EQ(one.finds().size(), 2u);
}

TEST(Search, KeepsWhatCrashesWithItsPlan) {
  Search one(plain("lua-check-delete"), {.seed = 5, .command = "a search"});
  one.take_crash({}, 11, "SIGSEGV");
  one.take_crash({}, 12, "SIGSEGV");
  ASSERT_EQ(one.crashes().size(), 1u);
  const Crash& crash = one.crashes()[0];
  EXPECT_EQ(crash.run, 12u);
  EXPECT_EQ(crash.times, 2u);
  EXPECT_EQ(one.tally().crashed, 2u);
  const Scenario again = scenarios::parse(crash.text, "crash-1.toml", shipped_vocabulary());
  EXPECT_EQ(again.seed, run_seed(5, 11));
  EXPECT_EQ(again.title, "The run ends the program: SIGSEGV");
  EXPECT_EQ(again.faults.size(), one.runs().drawn({}, 11).faults.size());
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
  alone.servers.of<redis::Spec>().replicas = 0;
  alone.network.links.clear();
  try {
    Search one(alone, {.faults = {.classes = {FaultClass::failover}}, .all_classes = false});
    FAIL() << "not refused";
  } catch (const keys::BadInput& error) {
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
