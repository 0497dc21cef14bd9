#include "scenarios/world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "scenarios/loader.h"
#include "scenarios/runner.h"

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;
using history::HistoryEvent;
using history::What;

class WorldTest : public ::testing::Test {
 protected:
  void run(const std::string& more, std::uint64_t seed = 1,
           const std::string& algorithm = "lua-check-delete") {
    scenario_ = parse("format = 1\n[lock]\nalgorithm = '" + algorithm + "'\n" + more, "x",
                      shipped_vocabulary());
    world_.set(scenario_);
    world_.run(seed);
  }

  long count(What what) const {
    return std::count_if(world_.history().begin(), world_.history().end(),
                         [what](const HistoryEvent& event) { return event.what == what; });
  }

  bool violated(Property property) const {
    return world_.verdicts()[static_cast<std::size_t>(property)].outcome ==
           properties::Outcome::violated;
  }

  Duration ended() const { return world_.ended() - sim::kStart; }

  Scenario scenario_;
  World world_;
};

TEST_F(WorldTest, EndsWhenTheLastClientIsDone) {
  run("[clients]\ncount = 2\narrive_every = '10s'\nhold = '1s'\n");
  EXPECT_GE(ended(), 11s);
  EXPECT_LT(ended(), 11100ms);
  EXPECT_EQ(world_.history().back().what, What::horizon);
}

// Three clients at one instant: by their numbers, or in an order that the seed decides.
TEST_F(WorldTest, PermutesTiesWhereTheFileSaysSo) {
  const auto first = [this](const std::string& ties, std::uint64_t seed) {
    scenario_ = parse("format = 1\nties = '" + ties +
                          "'\n[lock]\nalgorithm = 'lua-check-delete'\n[clients]\narrive_every = "
                          "'0s'\n",
                      "x", shipped_vocabulary());
    world_.set(scenario_);
    world_.run(seed);
    const auto taken =
        std::find_if(world_.history().begin(), world_.history().end(),
                     [](const HistoryEvent& event) { return event.what == What::entry_created; });
    return taken->tenure;
  };
  std::set<history::TenureId> permuted;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(first("arrival", seed), first("arrival", 0));
    permuted.insert(first("permuted", seed));
  }
  EXPECT_GT(permuted.size(), 1u);
}

// Three bounds of 10.2s after the last disturbance.
TEST_F(WorldTest, EndsAtTheHorizonWhereSomebodyWaitsForEver) {
  run("[clients]\ncount = 1\n[[fault]]\ncrash = 'redis-1'\nbefore = 'acquire.sent'\n");
  EXPECT_EQ(ended(), 30600ms);
}

TEST_F(WorldTest, WaitsForACriticalSectionThatOutlastsTheBound) {
  run("ttl = '300s'\n[clients]\ncount = 2\nhold = '200s'\n");
  EXPECT_EQ(count(What::release_ok), 2);
  run("ttl = '1s'\n[clients]\ncount = 1\nhold = '60s'\n");
  EXPECT_EQ(count(What::release_failed), 1);
  EXPECT_GE(ended(), 60s);
}

// A session of twice ten seconds, a look every two, fifteen seconds of delay: the second client has
// the lock when they are over, and the horizon allows for all of it.
TEST_F(WorldTest, HasTheLeaseStoreThatTheFileDescribes) {
  run("ttl = '10s'\nlock_delay = '15s'\nretry_every = '50s'\n"
      "[servers.lease_store]\nexpire_after = 2\ntick = '2s'\nservice = '10ms'\n"
      "clock_rate_ppb = 1000000\n[clients]\ncount = 2\nhold = '1s'\n"
      "[[fault]]\ncrash = 'client-1'\nafter = 'acquire.replied'\ncommand = 'ACQUIRE'\n",
      1, "lease-store-lock");
  sim::Instant ended{};
  sim::Instant again{};
  for (const HistoryEvent& event : world_.history()) {
    if (event.what == What::entry_removed && event.cause == history::Cause::session_end)
      ended = event.at;
    if (event.what == What::entry_created) again = event.at;
  }
  EXPECT_GT(ended - sim::kStart, 19'980ms);
  EXPECT_LE(ended - sim::kStart, 22'020ms);
  EXPECT_GT(again - ended, 14'980ms);
  EXPECT_LT(again - ended, 15'100ms);
  EXPECT_EQ(world_.patience(), 3 * (10s + 10s + 2s + 15s + 50s + 3s + 100ms));
}

// The key has no entry but cannot be taken yet; this refusal breaks no promise.
TEST_F(WorldTest, ExpectsNoGrantDuringALockDelay) {
  run("lock_delay = '60s'\nacquire_timeout = '20s'\nretry_every = '1s'\n"
      "[clients]\ncount = 2\n[[fault]]\nkill-session = 'client-1'\nat = '500ms'\n",
      1, "lease-store-lock");
  EXPECT_EQ(count(What::acquire_failed), 1);
  EXPECT_FALSE(violated(Property::available));
}

TEST_F(WorldTest, WaitsForTheLastFaultToEnd) {
  run("[clients]\ncount = 2\nhold = '1s'\n[[fault]]\npartition = 'client-2'\nat = '10ms'\n"
      "for = '100s'\n");
  EXPECT_GE(ended(), 100s);
  EXPECT_EQ(count(What::acquire_ok), 2);
}

TEST_F(WorldTest, HasAHorizonThatAnInstantCanSayHoweverLongTheLease) {
  for (const char* algorithm : {"lua-check-delete", "lease-store-lock"}) {
    run("ttl = '876000h'\n[clients]\ncount = 1\n", 1, algorithm);
    EXPECT_EQ(world_.patience(), 3 * 24h * 365 * 25);
  }
}

TEST_F(WorldTest, RestartsAClientWithAllItsCyclesBeforeIt) {
  run("[clients]\ncount = 1\ncycles = 2\nhold = '1s'\n[[fault]]\nrestart = 'client-1'\n"
      "before = 'acquire.sent'\nnth = 2\nfor = '20s'\n");
  EXPECT_EQ(count(What::process_started), 4);  // client, server and resource, and the client again
  EXPECT_EQ(count(What::acquire_ok), 3);
}

TEST_F(WorldTest, GivesUpAnAcquireAfterItsTimeout) {
  run("acquire_timeout = '1s'\n[clients]\ncount = 2\narrive_every = '0s'\nhold = '3s'\n");
  EXPECT_EQ(count(What::acquire_ok), 1);
  EXPECT_EQ(count(What::acquire_failed), 1);
  EXPECT_FALSE(violated(Property::available));
}

// No lock promises that a paused server answers in time, nor that a paused client acts in time.
TEST_F(WorldTest, HoldsNoCollectionAgainstTheAvailabilityOfALock) {
  const std::string impatient =
      "acquire_timeout = '400ms'\n[clients]\ncount = 2\ncycles = 20\nhold = '50ms'\nthink = '1s'\n";
  const std::string gc = "every = '2s'\nlow = '500ms'\nhigh = '4s'\n";
  long refused = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    run(impatient + "[clients.gc]\n" + gc + "[servers.redis.gc]\n" + gc, seed);
    EXPECT_FALSE(violated(Property::available)) << seed;
    refused += count(What::acquire_failed) + count(What::acquire_unknown);
  }
  EXPECT_GT(refused, 0) << "nothing was refused: the test would prove nothing";
}

// Its pause belongs to the incarnation that it began in.
TEST_F(WorldTest, LetsNoCollectionEndThePauseOfAnotherIncarnation) {
  const std::string gc = "[clients.gc]\nevery = '1ms'\nlow = '30s'\nhigh = '30s'\n";
  run("[clients]\ncount = 1\nhold = '1s'\n" + gc +
      "[[fault]]\nrestart = 'client-1'\nat = '1s'\n[[fault]]\npause = 'client-1'\nat = '1.1s'\n"
      "for = '100s'\n");
  for (const HistoryEvent& event : world_.history()) {
    if (event.what != What::acquire_ok) continue;
    EXPECT_GE(event.at - sim::kStart, 101s);
  }
}

TEST_F(WorldTest, DrawsOtherLatenciesWithAnotherSeed) {
  const std::string spread = "[network]\nlatency = ['1ms', '9ms']\n[clients]\ncount = 1\n";
  run(spread, 1);
  const Duration first = ended();
  run(spread, 2);
  EXPECT_NE(ended(), first);
  run(spread, 1);
  EXPECT_EQ(ended(), first);
}

// One outermost acquire is one tenure, however many attempts it needs (architecture "Tenure").
TEST_F(WorldTest, TakesTheSameLockAgainWithinOneTenure) {
  run("ttl = '3s'\n[clients]\ncount = 1\nhold = '1s'\nnested = true\n");
  EXPECT_EQ(count(What::acquire_ok), 2);
  EXPECT_EQ(count(What::release_invoked), 2);
  EXPECT_EQ(world_.grants(), 1U);
  for (const HistoryEvent& event : world_.history()) EXPECT_LE(event.tenure, 1U);
  EXPECT_TRUE(violated(Property::no_deadlock));
  EXPECT_FALSE(violated(Property::mutual_exclusion));
}

TEST_F(WorldTest, KeepsProgressInTheLocksKeyAsTheFileSays) {
  const auto deadline_left = [this](const std::string& progress) {
    run("[clients]\ncount = 1\nprogress = '" + progress + "'\n");
    const auto set =
        std::find_if(world_.history().begin(), world_.history().end(),
                     [](const HistoryEvent& event) { return event.what == What::entry_altered; });
    return set == world_.history().end() ? "not set" : set->until == sim::kNever ? "none" : "some";
  };
  EXPECT_STREQ(deadline_left("none"), "not set");
  EXPECT_STREQ(deadline_left("set"), "none");
  EXPECT_STREQ(deadline_left("set-keepttl"), "some");
}

// Its renewal finds the key gone, and it was the last client to write.
TEST_F(WorldTest, WritesNothingMoreOnceALossIsKnown) {
  const std::string evicted =
      "ttl = '3s'\n[clients]\ncount = 1\nhold = '4s'\nwrites = 3\n[[fault]]\nevict = 'redis-1'\n"
      "at = '500ms'\n";
  run("renew = 'conditional'\n" + evicted);
  EXPECT_EQ(count(What::loss_learned), 1);
  EXPECT_EQ(count(What::write_accepted), 1);
  EXPECT_EQ(count(What::release_failed), 1);
  EXPECT_FALSE(violated(Property::loss_noticed));
  run("renew = 'blind'\n" + evicted);
  EXPECT_EQ(count(What::loss_learned), 0);
  EXPECT_EQ(count(What::write_accepted), 3);
  EXPECT_TRUE(violated(Property::loss_noticed));
}

TEST_F(WorldTest, RenewsForAsLongAsItsHolderWorks) {
  run("ttl = '1s'\nrenew = 'conditional'\n[clients]\ncount = 2\nhold = '5s'\n");
  EXPECT_EQ(count(What::release_ok), 2);
  EXPECT_FALSE(violated(Property::mutual_exclusion));
  EXPECT_FALSE(violated(Property::loss_noticed));
}

TEST_F(WorldTest, CarriesFencingTokensInTheOrderOfTheGrants) {
  for (const std::string fencing : {"after", "in-script"}) {
    run("[clients]\ncount = 3\ncycles = 3\nhold = '1s'\n[servers.resource]\nfencing = '" + fencing +
        "'\n");
    EXPECT_EQ(count(What::write_accepted), 18) << fencing;
    EXPECT_EQ(count(What::write_rejected), 0) << fencing;
    EXPECT_EQ(world_.grants(), 9U) << fencing;
  }
}

TEST_F(WorldTest, TakesTheStepsOfItsWorkInOrder) {
  run("[clients]\ncount = 1\nwork = [{do = 'read'}, {do = 'think', for = '2s'}, "
      "{do = 'write', mode = 'based-on-read'}, {do = 'write', mode = 'if-version'}]\n");
  EXPECT_EQ(count(What::read_accepted), 1);
  EXPECT_EQ(count(What::write_accepted), 2);
  EXPECT_GE(ended(), 2s);
  EXPECT_LT(ended(), 2100ms);
}

TEST_F(WorldTest, CountsEveryUpdateThatIsNotLost) {
  run("[clients]\ncount = 3\nwork = [{do = 'read'}, {do = 'think', for = '1s'}, "
      "{do = 'write', mode = 'based-on-read'}]\n");
  const auto last = std::find_if(world_.history().rbegin(), world_.history().rend(),
                                 [](const HistoryEvent& event) { return event.version != 0; });
  EXPECT_EQ(last->version, 4u);
  EXPECT_EQ(last->base, 3u);
  EXPECT_FALSE(violated(Property::no_lost_update));
}

// It knows nothing that a write could be based on.
TEST_F(WorldTest, StopsWorkingAfterAReadWithoutAReply) {
  run("[clients]\ncount = 1\nwork = [{do = 'read'}, {do = 'write', mode = 'based-on-read'}]\n"
      "[[fault]]\ndrop = 'client-1'\nbefore = 'read.sent'\n");
  EXPECT_EQ(count(What::write_accepted), 0);
  EXPECT_EQ(count(What::release_ok), 1);
}

// A search crashed on it: the next life of redis-1 handled a PSYNC to its former one.
TEST(World, LosesMessagesThatWaitForTheirTurnWhenTheirServerStartsAgain) {
  const Scenario scenario = parse(
      "format = 1\n[lock]\nalgorithm = 'setnx-expire'\nacquire_timeout = '20s'\n"
      "[servers.redis]\nreplicas = 2\nservice = '200ms'\n"
      "[clients]\nhold = '2s'\ncycles = 2\nscan_every = '1s'\nthink = '1s'\n"
      "write_timeout = '500ms'\n"
      "[[network.link]]\nfrom = 'redis-1'\nto = 'redis-1-replica-1'\nlatency = '2ms'\n"
      "[[fault]]\nrestart = 'redis-1'\nat = '6825ms'\nkeeps = 'none'\n"
      "[[fault]]\nrestart = 'redis-1'\nbefore = 'acquire.replied'\nnth = 2\nby = 'client-3'\n"
      "for = '139ms'\nkeeps = 'none'\n"
      "[[fault]]\nrestart = 'redis-1'\nafter = 'acquire.replied'\nnth = 2\nfor = '2741ms'\n"
      "keeps = 'none'\n",
      "x", shipped_vocabulary());
  World world;
  world.set(scenario);
  world.run(5316232874056678917);
  EXPECT_EQ(world.history().back().what, What::horizon);
}

TEST_F(WorldTest, WritesNothingWithoutATokenThatItNeeds) {
  run("[clients]\ncount = 1\n[servers.resource]\nfencing = 'after'\n[[fault]]\n"
      "drop = 'client-1'\nbefore = 'acquire.sent'\ncommand = 'INCR'\n");
  EXPECT_EQ(count(What::write_accepted) + count(What::write_rejected), 0);
  EXPECT_EQ(count(What::release_ok), 1);
}

TEST_F(WorldTest, MayHaveHalfAsManyEventsWithACrowdOfThreads) {
  const auto most_events = [this](const std::string& threads) {
    scenario_ = parse(
        "format = 1\n[lock]\nalgorithm = 'lua-check-delete'\n[clients]\ncount = 2\n"
        "threads = " +
            threads + "\n",
        "x", shipped_vocabulary());
    world_.set(scenario_);
    return world_.most_events();
  };
  EXPECT_EQ(most_events("250"), 1'000'000U);
  EXPECT_EQ(most_events("251"), 500'000U);
}

}  // namespace
}  // namespace picklock::scenarios
