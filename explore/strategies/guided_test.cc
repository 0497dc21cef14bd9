#include "explore/strategies/guided.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "explore/campaign.h"
#include "explore/corpus.h"
#include "explore/runs.h"
#include "explore/search.h"
#include "explore/sights.h"
#include "scenarios/promises.h"
#include "scenarios/shipped.h"
#include "scenarios/writer.h"
#include "testing/same_plan.h"
#include "testing/whole.h"

namespace picklock::explore {
namespace {

using namespace std::chrono_literals;
using scenarios::Scenario;
using scenarios::shipped::plain;

// The runs of a guided search, one after the other.
struct Made {
  std::uint64_t run = 0;
  Batch batch;
  Scenario scenario;
};

std::vector<Made> made(const Scenario& base, const SearchOptions& options, std::uint64_t count) {
  Runs runs(base, options);
  std::vector<Made> all;
  while (all.size() < count) {
    const std::optional<Batch> batch = runs.strategy().next();
    Block block;
    for (std::uint64_t run = batch->runs.from; run < batch->runs.to; ++run) {
      runs.make(*batch, run, block);
      all.push_back({run, *batch, runs.drawn(*batch, run)});
    }
    runs.strategy().take(*batch, block);
  }
  return all;
}

SearchOptions guided(FaultClasses classes = {}) {
  return {.strategy = "guided", .faults = {.classes = classes}, .all_classes = classes.empty()};
}

TEST(Guided, WritesPlansThatTheLoaderTakesAndThatComeBackTheSame) {
  for (const std::string lock :
       {"lua-check-delete", "redlock", "zk-sequential", "mysql-get-lock"}) {
    std::uint64_t changed = 0;
    for (Made& one : made(plain(lock), guided(), shortened(300, 100))) {
      ASSERT_FALSE(one.scenario.faults.empty());
      ASSERT_LE(one.scenario.faults.size(), 3u);
      const std::string text = scenarios::file_text(one.scenario);
      const Scenario again = scenarios::parse(text, lock, scenarios::shipped_vocabulary());
      ASSERT_TRUE(testing::same_plan(again.faults, one.scenario.faults)) << text;
      if (!one.batch.basis.empty()) ++changed;
    }
    EXPECT_GT(changed, shortened(100, 1)) << lock;
  }
}

TEST(Guided, DrawsFromTheClassesThatWereAskedForAndStrikesWhereItMay) {
  SearchOptions options = guided({FaultClass::pause, FaultClass::partition});
  options.faults.strikes = Strikes::at_locks;
  for (const Made& one : made(plain("lua-check-delete"), options, 400)) {
    for (const sim::Fault& fault : one.scenario.faults) {
      EXPECT_TRUE(options.faults.classes.has(scenarios::class_of(fault, one.scenario).value()));
      EXPECT_NE(fault.target, "resource");
    }
  }
}

TEST(Guided, ChangesOnlyPlansWhoseRunsHaveShownSomethingNew) {
  const std::vector<Made> all = made(plain("lua-check-delete"), guided(), 600);
  Sights sights;
  std::set<std::uint32_t> shown;
  std::vector<sim::Plan> kept;
  scenarios::World world;
  std::uint64_t made_of_others = 0;
  for (const Made& one : all) {
    if (!one.batch.basis.empty()) {
      ++made_of_others;
      EXPECT_NE(std::find(kept.begin(), kept.end(), one.batch.basis), kept.end());
    }
    world.set(one.scenario);
    world.run(one.scenario.seed);
    bool is_new = false;
    for (const std::uint32_t place : sights.of(world)) is_new |= shown.insert(place).second;
    if (!is_new) continue;
    // Without those that changed nothing.
    std::vector<bool> struck(one.scenario.faults.size());
    for (const sim::Nemesis::Firing& fault : world.fired())
      struck[fault.fault] = fault.in_vain.empty();
    kept.emplace_back();
    for (std::size_t i = 0; i < struck.size(); ++i) {
      if (struck[i]) kept.back().push_back(one.scenario.faults[i]);
    }
  }
  EXPECT_GT(made_of_others, 200u);
  EXPECT_LT(kept.size(), all.size());
}

// So it misses nothing that a random search finds.
TEST(Guided, DrawsEverySecondBatchAtRandom) {
  std::uint64_t random = 0;
  const std::vector<Made> all = made(plain("lua-check-delete"), guided(), 2000);
  for (const Made& one : all) {
    if (one.batch.basis.empty()) ++random;
  }
  EXPECT_GE(random, all.size() / 2);
  EXPECT_LE(random, all.size() * 2 / 3);
}

TEST(Guided, FillsMostPlansUpButNotWithDozensOfFaults) {
  const auto full = [](std::uint32_t most) {
    SearchOptions options = guided();
    options.faults.most = most;
    const std::vector<Made> all = made(plain("lua-check-delete"), options, 600);
    return std::count_if(all.begin(), all.end(),
                         [most](const Made& one) { return one.scenario.faults.size() == most; });
  };
  EXPECT_GT(full(3), 300);
  EXPECT_LT(full(20), 100) << "so many hide what each of them does";
}

// A process names each place of a run that it has not seen itself in an earlier one. The first run
// of all to show a place may have faults that changed nothing, and so no plan to keep. Then a later
// run that shows the place to another process is not kept either.
TEST(Guided, LearnsTheSameWhicheverProcessMakesARun) {
  const auto bases = [](std::uint64_t processes) {
    SearchOptions options = guided({FaultClass::pause, FaultClass::partition});
    options.faults.most = 2;
    const Scenario base = plain("set-px-check-delete");
    Runs leads(base, options);
    std::deque<Runs> others;
    for (std::uint64_t i = 0; i < processes; ++i) others.emplace_back(base, options);
    std::vector<sim::Plan> all;
    for (int batches = 0; batches < 300; ++batches) {
      const std::optional<Batch> batch = leads.strategy().next();
      Block block;
      for (std::uint64_t run = batch->runs.from; run < batch->runs.to; ++run)
        others[run % processes].make(*batch, run, block);
      leads.strategy().take(*batch, block);
      all.push_back(batch->basis);
    }
    return all;
  };
  const std::vector<sim::Plan> one = bases(1);
  EXPECT_EQ(bases(3), one);
}

TEST(Guided, SaysTheSameWithAnyNumberOfProcesses) {
  if (tests_are_short()) GTEST_SKIP() << "the strategy of chance does";
  const auto counted = [](unsigned jobs) {
    SearchOptions options = guided();
    options.properties = {Property::mutual_exclusion, Property::not_stuck};
    Search search(plain("set-px-check-delete"), options);
    make(search, {.jobs = jobs, .runs = 1500},
         {.found = [](const Find&) {},
          .crashed = [](const Crash&) {},
          .progress = [](const Progress&) {},
          .interrupted = [] { return false; }});
    std::vector<std::uint64_t> all = {search.tally().runs, search.tally().events,
                                      search.tally().fired, search.corpus()->entries().size()};
    for (const Find& find : search.finds()) all.push_back(*find.story.expect.digest);
    return all;
  };
  const std::vector<std::uint64_t> one = counted(1);
  EXPECT_GT(one.size(), 4u);
  EXPECT_EQ(counted(3), one);
  EXPECT_EQ(counted(7), one);
}

TEST(Sights, AreThoseOfTheEventsAndNotOfWhoTheyHappenTo) {
  Scenario scenario = plain("lua-check-delete");
  scenario.faults.push_back({.verb = sim::Verb::crash, .target = "client-1"});
  scenario.faults[0].trigger = {.role = Role::acquire, .phase = sim::Phase::applied};
  const auto seen = [](const Scenario& one) {
    Sights sights;
    scenarios::World world;
    world.set(one);
    world.run(1);
    const std::vector<std::uint32_t>& all = sights.of(world);
    return std::set<std::uint32_t>(all.begin(), all.end());
  };
  const std::set<std::uint32_t> crashed = seen(scenario);
  EXPECT_EQ(seen(scenario), crashed);
  scenario.faults.clear();
  const std::set<std::uint32_t> undisturbed = seen(scenario);
  EXPECT_NE(undisturbed, crashed);
  EXPECT_FALSE(
      std::includes(undisturbed.begin(), undisturbed.end(), crashed.begin(), crashed.end()))
      << "a crash shows what no undisturbed run does";
}

// The lease of ten seconds ends while the client is paused. The later it wakes, the nearer its
// write comes to the next client's grant.
TEST(Sights, TellWhichMessageAFaultStrikes) {
  Scenario scenario = plain("lua-check-delete");
  scenario.faults.push_back({.verb = sim::Verb::duplicate, .target = "client-1"});
  scenario.faults[0].lasts = 1ms;
  const auto seen = [&](sim::Phase phase) {
    scenario.faults[0].trigger = {.role = Role::write, .phase = phase};
    Sights sights;
    scenarios::World world;
    world.set(scenario);
    world.run(1);
    EXPECT_EQ(world.fired().size(), 1u);
    const std::vector<std::uint32_t>& all = sights.of(world);
    return std::set<std::uint32_t>(all.begin(), all.end());
  };
  EXPECT_EQ(seen(sim::Phase::applied), seen(sim::Phase::applied));
  EXPECT_NE(seen(sim::Phase::sent), seen(sim::Phase::applied));
}

TEST(Sights, TellHowNearARunCameToAViolation) {
  Scenario scenario = plain("lua-check-delete");
  sim::Fault pause{.verb = sim::Verb::pause, .target = "client-1"};
  pause.trigger = {.role = Role::write, .phase = sim::Phase::sent};
  const auto nearest = [&](Duration length) {
    scenario.faults = {pause};
    scenario.faults[0].lasts = length;
    Sights sights;
    scenarios::World world;
    world.set(scenario);
    world.run(1);
    std::set<std::uint32_t> all;
    for (const std::uint32_t place : sights.of(world)) {
      if (Sights::distance(place)) all.insert(place);
    }
    return all;
  };
  EXPECT_EQ(nearest(1ms), nearest(1ms));
  EXPECT_NE(nearest(1ms), nearest(scenario.lock.options.ttl - 50ms));
}

// The holder has died, and the key has no lease: nobody gets the lock until the run ends.
TEST(Sights, TellHowLongALockIsIdleThatNobodyEverGets) {
  Scenario scenario =
      scenarios::shipped::document("no-ttl-holder-crash").scenario(scenarios::shipped_vocabulary());
  const auto idle = [&] {
    Sights sights;
    scenarios::World world;
    world.set(scenario);
    world.run(scenario.seed);
    std::uint32_t place = UINT32_MAX;
    for (const std::uint32_t one : sights.of(world)) {
      if (Sights::distance(one) == 4u) place = one;
    }
    return place;
  };
  const std::uint32_t for_ever = idle();
  scenario.faults.clear();
  EXPECT_LT(for_ever, idle()) << "the lower, the nearer to a violation";
}

TEST(Corpus, ChoosesPlansSeldomChosenAndThoseThatCameNearest) {
  Corpus corpus;
  corpus.keep({.seed = 1}, std::vector<std::uint32_t>{5000});
  corpus.keep({.seed = 2}, std::vector<std::uint32_t>{20, 6000});
  corpus.keep({.seed = 3}, std::vector<std::uint32_t>{10, 7000});
  EXPECT_EQ(corpus.entries()[1].nearest, 0u) << "the third came nearer";
  EXPECT_EQ(corpus.entries()[2].nearest, 1u);
  EXPECT_FALSE(corpus.is_new(6000));
  EXPECT_TRUE(corpus.is_new(6001));
  sim::Random chance(1, 1);
  for (int i = 0; i < 300; ++i) corpus.choose(chance);
  EXPECT_GT(corpus.entries()[2].chosen, 2 * corpus.entries()[0].chosen);
  EXPECT_GT(corpus.entries()[0].chosen, 20u);
}

}  // namespace
}  // namespace picklock::explore
