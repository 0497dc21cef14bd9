#include "explore/exceptions.h"

#include <gtest/gtest.h>

#include "explore/search.h"
#include "keys/bad_input.h"
#include "scenarios/shipped.h"

namespace picklock::explore {
namespace {

using scenarios::Scenario;
using scenarios::shipped::plain;

Exception known(const std::string& text) { return exception_from(text, plain("redlock")); }

std::string complaint_about(const std::string& text) {
  try {
    known(text);
  } catch (const keys::BadInput& error) {
    return error.what();
  }
  return "";
}

sim::Fault pause_before(Role role, sim::Phase phase) {
  return {.verb = sim::Verb::pause,
          .target = "client-1",
          .trigger = {.role = role, .phase = phase},
          .lasts = std::chrono::seconds(3)};
}

TEST(Exception, NamesAPropertyOrAFaultOrBoth) {
  EXPECT_EQ(known("own-release").property, Property::own_release);
  EXPECT_FALSE(known("own-release").names_fault());
  EXPECT_EQ(known("pause").fault, "pause");
  EXPECT_FALSE(known("pause").property);
  EXPECT_EQ(known("end-thread").fault, "end-thread");
  EXPECT_EQ(known("@release").role, Role::release);
  const Exception all = known("own-release:pause@check.replied");
  EXPECT_EQ(all.property, Property::own_release);
  EXPECT_EQ(all.fault, "pause");
  EXPECT_EQ(all.role, Role::check);
  EXPECT_EQ(all.phase, sim::Phase::replied);
  EXPECT_EQ(known("own-release:@mark:elapsed-checked").mark, "elapsed-checked");
}

TEST(Exception, NamesTheFaultsOfAClassOrAVerbAtAStep) {
  const Scenario scenario = plain("set-px-check-delete");
  const sim::Fault pause = pause_before(Role::release, sim::Phase::sent);
  for (const char* word : {"pause", "@release", "pause@release.sent", "own-release:@release.sent"})
    EXPECT_TRUE(known(word).names(pause, scenario)) << word;
  for (const char* word : {"crash", "@acquire", "pause@release.applied", "@mark:elapsed-checked"})
    EXPECT_FALSE(known(word).names(pause, scenario)) << word;
  sim::Fault at_a_time = pause;
  at_a_time.trigger = {.at = sim::kStart + std::chrono::seconds(4)};
  EXPECT_TRUE(known("pause").names(at_a_time, scenario));
  EXPECT_FALSE(known("@release").names(at_a_time, scenario));
}

TEST(Exception, NamesAMessageOfNoStep) {
  const Scenario scenario = plain("lua-check-delete");
  sim::Fault late{.verb = sim::Verb::delay, .target = "redis-1", .trigger = {.nth = 2}};
  EXPECT_TRUE(known("delay@message.sent").names(late, scenario));
  EXPECT_FALSE(known("@acquire").names(late, scenario));
  EXPECT_FALSE(
      known("@message.sent").names(pause_before(Role::release, sim::Phase::sent), scenario));
}

TEST(Exception, RefusesAWordThatIsNoneAndSaysWhichIsNear) {
  EXPECT_EQ(complaint_about("own-relase:pause"),
            "--except: there is no property `own-relase`; did you mean `own-release`?");
  EXPECT_EQ(
      complaint_about("paus"),
      "--except: there is no property, class of faults or verb `paus`; did you mean `pause`?");
  EXPECT_EQ(complaint_about("own-release:paus@release"),
            "--except: there is no class of faults or verb `paus`; did you mean `pause`?");
  EXPECT_EQ(complaint_about("pause@relase.sent"),
            "--except: there is no step `relase.sent`; did you mean `release.sent`?");
  EXPECT_EQ(
      complaint_about("pause@mark:elapsed-cheked"),
      "--except: there is no step `mark:elapsed-cheked`; did you mean `mark:elapsed-checked`?");
  for (const char* word : {"", ":pause", "own-release:", "pause@"})
    EXPECT_NE(complaint_about(word).find(" lacks its "), std::string::npos) << word;
}

SearchOptions options_with(const std::vector<std::string>& words) {
  SearchOptions options{.properties = {Property::own_release, Property::no_stale_write},
                        .command = "a search"};
  for (const std::string& word : words) options.except.push_back(known(word));
  return options;
}

TEST(Search, GoesOnPastWhatIsKnownAndCountsIt) {
  Search all(plain("set-px-check-delete"), options_with({}));
  Search one(plain("set-px-check-delete"), options_with({"own-release", "available"}));
  while (all.tally().runs < 2000) all.run_next(), one.run_next();
  const auto finds = [](const Search& search, Property property) {
    std::size_t found = 0;
    for (const Find& find : search.finds()) found += find.violation.property == property ? 1 : 0;
    return found;
  };
  EXPECT_GT(finds(all, Property::own_release), 0u);
  EXPECT_EQ(finds(one, Property::own_release), 0u);
  EXPECT_EQ(finds(one, Property::no_stale_write), finds(all, Property::no_stale_write));
  EXPECT_GT(one.known_runs()[0], 10u);
  EXPECT_EQ(one.known_runs()[1], 0u);
  EXPECT_TRUE(one.has_met_known());
}

// A plan with a known fault is not passed over as a whole: another fault of it may be a cause.
TEST(Search, KnowsAViolationByAFaultOnlyIfItDoesNotHappenWithoutIt) {
  bool beside_a_pause = false;
  for (std::uint64_t seed = 1; seed <= 20 && !beside_a_pause; ++seed) {
    Search one(plain("lua-check-delete"),
               {.seed = seed,
                .faults = {.classes = {FaultClass::pause, FaultClass::failover}},
                .all_classes = false,
                .properties = {Property::mutual_exclusion},
                .except = {known("pause")}});
    while (one.clean() && one.tally().runs < 2000) one.run_next();
    ASSERT_FALSE(one.clean());
    const Find& find = one.finds()[0];
    for (const sim::Fault& fault : find.story.faults)
      EXPECT_FALSE(known("pause").names(fault, find.story)) << find.text;
    const Scenario drawn = one.runs().drawn({.runs = {find.run - 1, find.run}}, find.run - 1);
    for (const sim::Fault& fault : drawn.faults)
      beside_a_pause = beside_a_pause || known("pause").names(fault, drawn);
    if (seed == 1) {
      EXPECT_GT(one.known_runs()[0], 0u);
    }
  }
  EXPECT_TRUE(beside_a_pause);
}

// `picklock run` makes the search of such a file again, and knows of no exception.
TEST(Search, TriesEveryPlanAlthoughOneOfThemShowsWhatIsKnown) {
  Scenario scenario = plain("set-px-check-delete");
  scenario.clients.count = 2;
  scenario.clients.cycles = 1;
  SearchOptions options{.strategy = "exhaustive",
                        .faults = {.classes = {FaultClass::pause}, .most = 1},
                        .all_classes = false,
                        .properties = {Property::own_release}};
  Search violated(scenario, options);
  while (violated.run_next()) {
  }
  EXPECT_FALSE(violated.clean());
  options.except = {known("own-release:pause")};
  Search past(scenario, options);
  while (past.run_next()) {
  }
  EXPECT_TRUE(past.clean()) << past.finds()[0].text;
  EXPECT_TRUE(past.has_met_known());
  EXPECT_EQ(past.decided()->most, 1u);
}

}  // namespace
}  // namespace picklock::explore
