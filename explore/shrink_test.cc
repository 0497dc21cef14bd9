#include "explore/shrink.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "explore/fault_plan.h"
#include "explore/simpler.h"
#include "explore/violation.h"
#include "models/mysql/spec.h"
#include "models/redis/spec.h"
#include "models/servers/verbs.h"
#include "picklock/redis.h"
#include "scenarios/shipped.h"
#include "scenarios/writer.h"

namespace picklock::explore {
namespace {

using namespace std::chrono_literals;
using scenarios::Scenario;
using scenarios::shipped_vocabulary;
using scenarios::shipped::plain;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Shrinker::Shows violates(Property property) {
  return [property](const Scenario&, const scenarios::World& world) {
    return world.verdicts()[static_cast<std::size_t>(property)].outcome ==
           properties::Outcome::violated;
  };
}

// ---------------------------------------------------------------- simpler

TEST(Simpler, OffersRounderDurationsBeforeFinerOnes) {
  EXPECT_THAT(simpler(17'345ms), ElementsAre(10s, 20s, 17s, 18s, 17'300ms, 17'400ms, 17'340ms,
                                             17'350ms, 8'672ms, 17'344ms));
}

TEST(Simpler, OffersShorterOnesWhereNoneIsRounder) {
  EXPECT_THAT(simpler(40s), ElementsAre(20s, 30s));
  EXPECT_THAT(simpler(1s), ElementsAre());
  EXPECT_THAT(simpler(0s), IsEmpty());
}

TEST(Simpler, KeepsTheSign) { EXPECT_THAT(simpler(-40s), ElementsAre(-20s, -30s)); }

TEST(Simpler, CallsClientsByTheirNewNumbers) {
  Scenario scenario = plain("lua-check-delete");
  scenario.faults = {{.verb = sim::Verb::pause, .target = "client-3", .lasts = 12s}};
  std::vector<std::string> targets;
  for (const Simplification& step : simplifications(scenario)) {
    Scenario one = scenario;
    if (step(one) && one.clients.count == 2) targets.push_back(one.faults.at(0).target);
  }
  EXPECT_THAT(targets, ElementsAre("client-2", "client-2"));
}

// A story that no file could say would be lost when it is kept.
TEST(Simpler, OffersNothingThatAFileCouldNotSay) {
  for (const std::string& name : scenarios::shipped::names()) {
    if (!name.starts_with("plain/")) continue;
    Scenario scenario = scenarios::shipped::document(name).scenario(shipped_vocabulary());
    FaultPlans plans(scenario, profile(scenario, 1));
    for (std::uint64_t run = 0; run < 4; ++run) {
      plans.draw(5, run, {.classes = plans.possible(), .most = 3}, scenario.faults);
      for (const Simplification& step : simplifications(scenario)) {
        Scenario one = scenario;
        if (!step(one)) continue;
        const std::string text = file_text(one);
        ASSERT_NO_THROW(scenarios::parse(text, name, shipped_vocabulary())) << text;
      }
    }
  }
}

TEST(Simpler, MakesClientsLikeTheOthers) {
  Scenario scenario = scenarios::parse(
      "format = 1\n[lock]\nalgorithm = 'lua-check-delete'\n[clients]\ncount = 4\ncycles = 2\n"
      "[[client]]\nname = 'client-1'\nhold = '15s'\nthink = '1s'\nlock.renew = 'none'\n"
      "[[client]]\nname = 'client-3'\narrives_at = '4s'\nlock.renew = 'conditional'\n"
      "lock.renew_every = '2s'\n",
      "unlike", shipped_vocabulary());
  Shrinker shrinker(violates(Property::mutual_exclusion));
  scenario = shrinker.shrink(std::move(scenario));
  ASSERT_EQ(scenario.unlike.size(), 1U);
  EXPECT_EQ(scenario.unlike[0].name, "client-1");
  EXPECT_THAT(scenario.unlike[0].keys, ElementsAre("hold"));
  EXPECT_THAT(scenario.unlike[0].lock_keys, IsEmpty());
  EXPECT_EQ(scenario.clients.count, 2U);
}

TEST(Simpler, TakesNoReplicaThatWouldHaveBeenPromoted) {
  for (const char* algorithm : {"lua-check-delete", "mysql-row-lock"}) {
    Scenario scenario = plain(algorithm);
    const bool redis = lock_server(scenario).server == redis::kServer;
    scenario.servers.of<redis::Spec>().replicas = redis ? 1 : 0;
    scenario.servers.of<mysql::Spec>().replicas = redis ? 0 : 1;
    scenario.faults = {{.verb = models::kFailOver, .target = redis ? "redis-1" : "mysql-1"}};
    for (const Simplification& step : simplifications(scenario)) {
      Scenario one = scenario;
      if (!step(one) || one.faults.empty()) continue;
      EXPECT_EQ(one.servers.of<redis::Spec>().replicas + one.servers.of<mysql::Spec>().replicas, 1U)
          << algorithm;
    }
  }
}

TEST(Simpler, TakesNoServerThatAFaultNeeds) {
  Scenario scenario = plain("redlock");
  scenario.faults = {{.verb = sim::Verb::crash, .target = "redis-2-replica-1"}};
  for (const Simplification& step : simplifications(scenario)) {
    Scenario one = scenario;
    if (!step(one) || one.servers.of<redis::Spec>().masters == 3) continue;
    EXPECT_EQ(one.servers.of<redis::Spec>().masters, 2U);
    EXPECT_NE(one.faults.at(0).target, "redis-1");
    EXPECT_EQ(one.network.links.size(), 2U);
  }
}

// ---------------------------------------------------------------- shrink

// Only both pauses together outlast the lease. They are in the second critical section, and neither
// can be moved to the first without the other.
TEST(Shrink, MovesFaultsThatBelongTogetherToTheFirstCycle) {
  Scenario scenario = plain("lua-check-delete");
  scenario.lock.options.ttl = 5s;
  scenario.clients.count = 2;
  scenario.clients.cycles = 2;
  scenario.clients.hold = 1s;
  scenario.clients.writes = 2;
  const auto pause_before_write = [](std::uint32_t nth) {
    return sim::Fault{.verb = sim::Verb::pause,
                      .target = "client-1",
                      .trigger = {.role = Role::write, .nth = nth},
                      .lasts = 3s};
  };
  scenario.faults = {pause_before_write(3), pause_before_write(4)};
  Shrinker shrinker(violates(Property::mutual_exclusion));
  const Scenario shrunk = shrinker.shrink(scenario);
  EXPECT_EQ(shrunk.clients.cycles, 1U);
  ASSERT_EQ(shrunk.faults.size(), 2U);
  EXPECT_EQ(shrunk.faults[0].trigger.nth, 1U);
  EXPECT_EQ(shrunk.faults[1].trigger.nth, 2U);
}

// Client-1 itself overtakes its late write; so would another client.
TEST(Shrink, TakesAnotherClientInPlaceOfASecondCycle) {
  Scenario scenario = plain("set-px-blind-delete");
  scenario.clients.count = 1;
  scenario.clients.cycles = 2;
  scenario.clients.hold = 1s;
  scenario.clients.writes = 1;
  scenario.faults = {{.verb = sim::Verb::delay,
                      .target = "resource",
                      .trigger = {.role = Role::write},
                      .lasts = 10s}};
  Shrinker shrinker(violates(Property::no_stale_write));
  const Scenario shrunk = shrinker.shrink(scenario);
  EXPECT_EQ(shrunk.clients.cycles, 1U);
  EXPECT_EQ(shrunk.clients.count, 2U);
}

TEST(Shrink, LeavesTheOnePauseThatIsNeeded) {
  Scenario scenario = plain("set-px-check-delete");
  const sim::Fault pause{.verb = sim::Verb::pause,
                         .target = "client-1",
                         .trigger = {.role = Role::release},
                         .lasts = 13'337ms};
  scenario.faults = {pause,
                     {.verb = sim::Verb::step_clock,
                      .target = "client-2",
                      .trigger = {.at = sim::kStart + 1s},
                      .step = 5s},
                     {.verb = sim::Verb::pause,
                      .target = "client-3",
                      .trigger = {.at = sim::kStart + 2s},
                      .lasts = 50ms}};
  Shrinker shrinker(violates(Property::own_release));
  const Scenario shrunk = shrinker.shrink(scenario);
  ASSERT_EQ(shrunk.faults.size(), 1U);
  EXPECT_EQ(shrunk.faults[0].verb, sim::Verb::pause);
  EXPECT_EQ(shrunk.clients.count, 2U);
  EXPECT_EQ(shrunk.clients.cycles, 1U);
  EXPECT_TRUE(shrinker.is_minimal(shrunk));
  EXPECT_TRUE(shrinker.ended());
}

TEST(Shrink, StopsAtItsBoundWithAStoryThatStillShowsIt) {
  Scenario scenario = plain("set-px-blind-delete");
  scenario.faults = {{.verb = sim::Verb::pause,
                      .target = "client-1",
                      .trigger = {.role = Role::release},
                      .lasts = 12s}};
  Shrinker shrinker(violates(Property::own_release), {.runs = 3});
  const Scenario shrunk = shrinker.shrink(scenario);
  EXPECT_FALSE(shrinker.ended());
  EXPECT_FALSE(Shrinker(violates(Property::own_release)).is_minimal(scenario));
  EXPECT_EQ(shrunk.faults.size(), 1U);
}

// Plans of ten faults and more, as a search draws them.
TEST(Shrink, LeavesNothingThatCouldGo) {
  const Scenario base = plain("set-px-blind-delete");
  FaultPlans plans(base, profile(base, 1));
  const FaultLimits limits{.classes = plans.possible(), .most = 16};
  Shrinker shrinker(violates(Property::own_release));
  scenarios::World world;
  std::vector<std::size_t> left;
  for (std::uint64_t run = 0; left.size() < 10; ++run) {
    Scenario one = base;
    plans.draw(1, run, limits, one.faults);
    one.seed = run_seed(1, run);
    world.set(one);
    world.run(one.seed);
    if (!violates(Property::own_release)(one, world)) continue;
    sim::Plan fired;
    std::vector<bool> did(one.faults.size());
    for (const auto& firing : world.fired()) did[firing.fault] = true;
    for (std::size_t i = 0; i < did.size(); ++i)
      if (did[i]) fired.push_back(one.faults[i]);
    if (fired.size() < 10) continue;
    one.faults = fired;
    const Scenario shrunk = shrinker.shrink(one);
    EXPECT_TRUE(shrinker.is_minimal(shrunk));
    left.push_back(shrunk.faults.size());
  }
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left[left.size() / 2], 1U);
}

}  // namespace
}  // namespace picklock::explore
