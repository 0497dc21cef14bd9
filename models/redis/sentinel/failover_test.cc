// Failovers as measured with three real Sentinels: quorum 2, down-after 1 s, failover-timeout 6 s
// (R60-R69).
#include <algorithm>

#include "testing/redis/fake_world.h"

namespace picklock::redis::failover_tests {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::IsSupersetOf;
using testing::Le;
using testing::Lt;
using Duration = sim::Duration;

constexpr std::uint64_t kSeeds = 40;

// A time at a different point of the Sentinels' periods for each seed.
Duration moment(std::uint64_t seed) { return 30s + std::chrono::milliseconds(seed * 37 % 2003); }

double seconds(Duration length) { return static_cast<double>(length.count()) / 1e9; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The time from `since` until the first Sentinel that does not lead the failover reports the new
// master.
double told_after(FakeWorld& world, Duration since) {
  double first = 1e9;
  for (const Sentinel& sentinel : world.sentinels) {
    if (&sentinel == world.leader()) continue;
    if (const auto at = FakeWorld::when(sentinel, "+switch-master"))
      first = std::min(first, seconds(*at - since));
  }
  return first;
}

TEST(Failover, IsToldOfTwoSecondsAfterTheMasterWasKilled) {  // R60: 2.10..2.31 s
  std::vector<double> told;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    FakeWorld world({.seed = seed});
    const Duration killed = moment(seed);
    world.at(killed, [&] { world.kill(world.server(1)); });
    world.run(40s);
    told.push_back(told_after(world, killed));
  }
  EXPECT_THAT(told, Each(AllOf(Ge(2.05), Lt(5))));
  EXPECT_THAT(median(told), AllOf(Ge(2.10), Le(2.31)));
}

TEST(Failover, TakesUpToASecondLongerWhenTheMasterWasPaused) {  // R60: 2.36 and 3.20 s
  std::vector<double> told;
  for (std::uint64_t seed = 1; seed <= 2 * kSeeds; ++seed) {
    FakeWorld world({.seed = seed});
    const Duration paused = moment(seed);
    world.at(paused, [&] { world.pause(world.server(1)); });
    world.run(40s);
    told.push_back(told_after(world, paused));
  }
  EXPECT_THAT(told, Each(AllOf(Ge(2.1), Lt(3.6))));
  EXPECT_LE(*std::min_element(told.begin(), told.end()), 2.36);
  EXPECT_GE(*std::max_element(told.begin(), told.end()), 3.20);
}

// The first words of the log lines, from the one in which it finds the master down.
std::vector<std::string> story(const Sentinel& sentinel) {
  std::vector<std::string> words;
  for (const Sentinel::Event& event : sentinel.events()) {
    const std::string word = event.line.substr(0, event.line.find(' '));
    if (words.empty() && !event.line.starts_with("+sdown master")) continue;
    words.push_back(word);
    if (word == "+switch-master") break;
  }
  return words;
}

TEST(Failover, HappensInTheOrderOfTheRealOne) {  // R61
  FakeWorld world({});
  world.at(30s, [&] { world.kill(world.server(1)); });
  world.run(40s);
  ASSERT_NE(world.leader(), nullptr);
  std::vector<std::string> of_leader = story(*world.leader());
  std::erase_if(of_leader, [](const std::string& word) { return !word.starts_with('+'); });
  EXPECT_THAT(
      of_leader,
      ElementsAre("+sdown", "+odown", "+new-epoch", "+try-failover", "+vote-for-leader",
                  "+elected-leader", "+failover-state-select-slave", "+selected-slave",
                  "+failover-state-send-slaveof-noone", "+failover-state-wait-promotion",
                  "+promoted-slave", "+failover-state-reconf-slaves", "+slave-reconf-sent",
                  "+slave-reconf-inprog", "+slave-reconf-done", "+failover-end", "+switch-master"));
  for (const Sentinel& sentinel : world.sentinels) {
    if (&sentinel == world.leader()) continue;
    EXPECT_THAT(story(sentinel), ElementsAre("+sdown", "+new-epoch", "+vote-for-leader", "+odown",
                                             "Next", "+config-update-from", "+switch-master"));
  }
}

TEST(Failover, LogsWhatTheRealOneLogs) {
  FakeWorld world({});
  world.at(30s, [&] { world.kill(world.server(1)); });
  world.run(40s);
  std::vector<std::string> lines;
  for (const Sentinel::Event& event : world.leader()->events()) lines.push_back(event.line);
  EXPECT_THAT(lines, IsSupersetOf({
                         "+monitor master redis-1 10.0.0.1 6379 quorum 2",
                         "+slave slave 10.0.0.2:6379 10.0.0.2 6379 @ redis-1 10.0.0.1 6379",
                         "+sdown master redis-1 10.0.0.1 6379",
                         "+odown master redis-1 10.0.0.1 6379 #quorum 2/2",
                         "+new-epoch 1",
                         "+selected-slave slave 10.0.0.2:6379 10.0.0.2 6379 @ redis-1 10.0.0.1 "
                         "6379",
                         "+switch-master redis-1 10.0.0.1 6379 10.0.0.2 6379",
                     }));
}

TEST(Failover, IsDatedAsInTheRealLog) {
  FakeWorld world({});
  world.at(30s, [&] { world.kill(world.server(1)); });
  world.run(40s);
  EXPECT_EQ(world.count("Next failover delay: I will not start a failover before "
                        "Wed Jan  1 00:00:4"),
            2u);
}

TEST(Voter, MayVoteBeforeItFindsTheMasterDownItself) {  // R61
  std::size_t before = 0;
  std::size_t after = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    FakeWorld world({.seed = seed});
    world.at(moment(seed), [&] { world.pause(world.server(1)); });
    world.run(40s);
    for (const Sentinel& sentinel : world.sentinels) {
      const auto voted = FakeWorld::when(sentinel, "+vote-for-leader");
      const auto found = FakeWorld::when(sentinel, "+sdown master");
      if (voted) (!found || *voted < *found ? before : after) += 1;
    }
  }
  EXPECT_GT(before, 0u);
  EXPECT_GT(after, before);
}

// It takes two seconds more if hellos were in flight when the leader wanted to send new ones.
TEST(Promoted, TakesWritesLongBeforeAnybodyIsTold) {  // R62: ~0.7 s
  std::vector<double> gaps;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    FakeWorld world({.seed = seed});
    const Duration killed = moment(seed);
    world.at(killed, [&] { world.kill(world.server(1)); });
    world.run(killed + 5s);
    sim::Instant first = sim::kNever;
    for (const FakeServer& server : world.servers) {
      if (server.promoted_at != sim::kStart) first = std::min(first, server.promoted_at);
    }
    const double writable = seconds(first - sim::kStart - killed);
    gaps.push_back(told_after(world, killed) - writable);
  }
  EXPECT_THAT(gaps, Each(AllOf(Ge(0.6), Le(3.2))));
  EXPECT_THAT(median(gaps), AllOf(Ge(0.6), Le(1.1)));
}

TEST(Leader, AnswersWithTheNewAddressASecondBeforeItsOwnSwitch) {  // R62
  FakeWorld world({});
  world.at(30s, [&] { world.kill(world.server(1)); });
  std::optional<Duration> answers_new;
  for (Duration at = 30s; at < 36s; at += 10ms) {
    world.at(at, [&, at] {
      Sentinel* const leader = world.leader();
      if (leader == nullptr || answers_new) return;
      if (leader->master("redis-1")->current_address() != world.server(1).address())
        answers_new = at;
    });
  }
  world.run(40s);
  const auto switched = FakeWorld::when(*world.leader(), "+switch-master");
  ASSERT_TRUE(answers_new && switched);
  EXPECT_THAT(seconds(*switched - *answers_new), AllOf(Ge(0.9), Le(1.3)));
}

TEST(Failover, LeavesAllSentinelsWithOneConfiguration) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    FakeWorld world({.seed = seed, .sentinels = 5, .servers = 4, .quorum = 3});
    world.at(moment(seed), [&] { world.kill(world.server(1)); });
    world.run(60s);
    const Address master = world.master_of(1);
    EXPECT_TRUE(world.server_at(master).is_master());
    for (std::size_t i = 1; i <= 5; ++i) EXPECT_EQ(world.master_of(i), master) << "seed " << seed;
    for (std::size_t i = 2; i <= 4; ++i) {
      const FakeServer& server = world.server(i);
      EXPECT_TRUE(server.address() == master || server.master() == master) << "seed " << seed;
    }
  }
}

// ---------------------------------------------------------------- the old master

struct Return {
  double as_master_for = 0;  // after it was back
  std::vector<std::string> heard;
};

Return come_back(std::uint64_t seed, bool killed, Duration down_after) {
  FakeWorld world({.seed = seed, .down_after = down_after});
  FakeServer& old = world.server(1);
  world.at(moment(seed), [&] { killed ? world.kill(old) : world.pause(old); });
  world.at(60s, [&] { killed ? world.restart(old) : world.resume(old); });
  std::optional<Duration> converted;
  for (Duration at = 60s; at < 80s; at += 10ms) {
    world.at(at, [&, at] {
      if (!converted && !old.is_master()) converted = at;
    });
  }
  world.run(80s);
  return {converted ? seconds(*converted - 60s) : 1e9, old.heard};
}

TEST(OldMaster, StaysOneForTenSecondsAfterAPause) {  // R64, R65: 10.02 and 10.04 s
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Duration down_after = seed % 2 == 0 ? 1s : 5s;
    EXPECT_THAT(come_back(seed, false, down_after).as_master_for, AllOf(Ge(9.99), Le(10.2)))
        << "seed " << seed;
  }
}

TEST(OldMaster, StaysOneForTenSecondsAfterARestart) {  // R64: 10.6 s
  std::vector<double> windows;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
    windows.push_back(come_back(seed, true, 1s).as_master_for);
  EXPECT_THAT(windows, Each(AllOf(Ge(9), Le(12))));
  EXPECT_THAT(median(windows), AllOf(Ge(10.1), Le(10.9)));
}

TEST(OldMaster, HearsOfItsConversionInOneTransactionThatCutsItsClientsOff) {  // R66
  const std::vector<std::string> heard = come_back(1, false, 1s).heard;
  const std::vector<std::string> transaction = {"MULTI",
                                                "SLAVEOF 10.0.0.2 6379",
                                                "CONFIG REWRITE",
                                                "CLIENT KILL TYPE normal",
                                                "CLIENT KILL TYPE pubsub",
                                                "EXEC"};
  // The words of the transaction come when it is executed.
  EXPECT_NE(std::search(heard.begin(), heard.end(), transaction.begin(), transaction.end()),
            heard.end());
}

// The requests in its sockets when it runs again are only queries and change nothing (R67).
TEST(OldMaster, IsToldNothingThatWaitedForItsReturn) {
  FakeWorld world({});
  FakeServer& old = world.server(1);
  world.at(30s, [&] { world.pause(old); });
  world.at(45s, [&] {
    old.heard.clear();
    world.resume(old);
  });
  world.run(54s);
  EXPECT_TRUE(old.is_master());
  EXPECT_THAT(old.heard, testing::Not(testing::Contains("MULTI")));
}

// ---------------------------------------------------------------- beside a failover

// The new master may get a request late and answer late, so another Sentinel finds it down at once
// (R68).
TEST(Failover, MayBeFollowedByANeedlessOne) {
  std::size_t needless = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    FakeWorld world({.seed = seed});
    world.at(moment(seed), [&] { world.kill(world.server(1)); });
    world.run(60s);
    std::size_t most = 0;
    for (const Sentinel& sentinel : world.sentinels)
      most = std::max(most, FakeWorld::count(sentinel, "+switch-master"));
    needless += most > 1 ? 1u : 0u;
  }
  EXPECT_GT(needless, 0u);
  EXPECT_LT(needless, 30u);  // seen 1 of 7
}

TEST(Voter, IsFreeAgainAfterTheSwitch) {  // R69
  FakeWorld world({.servers = 4});
  world.at(30s, [&] { world.kill(world.server(1)); });
  world.at(40s, [&] { world.kill(world.server_at(world.master_of(1))); });
  world.run(50s);
  for (const Sentinel& sentinel : world.sentinels) {
    const auto again = FakeWorld::when(sentinel, "+switch-master", 40s);
    ASSERT_TRUE(again);
    EXPECT_LT(*again, 44s);
  }
}

TEST(Voter, WaitsTwiceTheTimeoutIfItsLeaderIsLost) {  // R69
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FakeWorld world({.seed = seed});
    world.at(30s, [&] { world.kill(world.server(1)); });
    Sentinel* lost = nullptr;
    for (Duration at = 30s; at < 33s; at += 5ms) {
      world.at(at, [&] {
        if (lost != nullptr || world.leader() == nullptr) return;
        lost = world.leader();
        world.kill(*lost);
      });
    }
    world.run(60s);
    ASSERT_NE(lost, nullptr);
    const Duration elected = *FakeWorld::when(*lost, "+elected-leader");
    for (const Sentinel& sentinel : world.sentinels) {
      if (&sentinel == lost) continue;
      EXPECT_FALSE(FakeWorld::when(sentinel, "+switch-master") <= elected + 11s) << seed;
      EXPECT_TRUE(FakeWorld::when(sentinel, "+switch-master")) << seed;
    }
  }
}

TEST(Failover, ReconfiguresAsManyReplicasAtOnceAsItMay) {
  for (const std::uint32_t at_once : {1u, 3u}) {
    FakeWorld world({.servers = 5, .parallel_syncs = at_once});
    world.at(30s, [&] { world.kill(world.server(1)); });
    world.run(45s);
    std::size_t under_way = 0;
    std::size_t most = 0;
    for (const Sentinel::Event& event : world.leader()->events()) {
      if (event.line.starts_with("+slave-reconf-sent")) most = std::max(most, ++under_way);
      if (event.line.starts_with("+slave-reconf-done")) --under_way;
    }
    EXPECT_EQ(most, at_once);
  }
}

TEST(Failover, IsGivenUpWhenTheReplicaDoesNotObey) {
  FakeWorld world({});
  world.server(2).obeys = false;
  world.server(2).priority = 1;
  world.at(30s, [&] { world.kill(world.server(1)); });
  world.run(60s);
  const auto asked = FakeWorld::when(*world.leader(), "+failover-state-wait-promotion");
  const auto given_up = FakeWorld::when(*world.leader(), "-failover-abort-slave-timeout");
  ASSERT_TRUE(asked && given_up);
  EXPECT_THAT(seconds(*given_up - *asked), AllOf(Ge(6), Le(6.2)));
  EXPECT_EQ(world.count("+switch-master"), 0u);
}

TEST(Failover, IsGivenUpWithoutAGoodReplica) {
  FakeWorld world({});
  world.server(2).priority = 0;
  world.server(3).priority = 0;
  world.at(30s, [&] { world.kill(world.server(1)); });
  world.run(40s);
  EXPECT_EQ(world.count("-failover-abort-no-good-slave"), 1u);
  EXPECT_EQ(world.count("+switch-master"), 0u);
}

TEST(Failover, OnRequestNeedsNoElection) {
  FakeWorld world({.sentinels = 1, .quorum = 2});
  Asker asker;
  world.at(30s, [&] { world.ask(asker, world.sentinel(1), {"SENTINEL", "FAILOVER", "redis-1"}); });
  world.run(50s);
  EXPECT_THAT(asker.replies, ElementsAre("+OK\r\n"));
  EXPECT_EQ(world.count("+switch-master redis-1 10.0.0.1 6379 10.0.0.2 6379"), 1u);
  EXPECT_EQ(world.server(1).master(), world.server(2).address());
}

TEST(Masters, FailOverEachByThemselves) {
  FakeWorld world({.masters = 2});
  world.at(30s, [&] { world.kill(world.server(4)); });
  world.run(45s);
  for (std::size_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(world.master_of(i, "redis-1"), world.server(1).address());
    EXPECT_NE(world.master_of(i, "redis-4"), world.server(4).address());
  }
  EXPECT_EQ(world.count("+sdown master redis-1"), 0u);
}

TEST(Sentinels, ShareOneContactForAllMasters) {
  FakeWorld world({.masters = 2});
  world.run(10s);
  const Instance& one = *world.sentinel(1).master("redis-1")->sentinels.front();
  EXPECT_EQ(one.contact.use_count(), 2);
}

TEST(Run, IsTheSameForTheSameSeed) {
  const auto digest = [](std::uint64_t seed) {
    FakeWorld world({.seed = seed});
    world.at(30s, [&] { world.kill(world.server(1)); });
    world.at(35s, [&] { world.restart(world.server(1)); });
    world.run(60s);
    return world.simulation.scheduler.record().digest().value();
  };
  EXPECT_EQ(digest(1), digest(1));
  EXPECT_NE(digest(1), digest(2));
}

}  // namespace
}  // namespace picklock::redis::failover_tests
