// Elections of the Sentinel that leads a failover.
#include <map>
#include <set>

#include "testing/redis/fake_world.h"

namespace picklock::redis::election_tests {
namespace {

using testing::ElementsAre;

std::string vote(std::string_view whom, int epoch, int down = 0) {
  return "*3\r\n:" + std::to_string(down) + "\r\n$" + std::to_string(whom.size()) + "\r\n" +
         std::string(whom) + "\r\n:" + std::to_string(epoch) + "\r\n";
}

TEST(Vote, IsGivenOnceInAnEpochToWhoAsksFirst) {
  FakeWorld world({.sentinels = 1});
  Asker asker;
  const auto ask = [&](std::string_view epoch, std::string_view whom) {
    world.ask(asker, world.sentinel(1),
              {"SENTINEL", "is-master-down-by-addr", "10.0.0.1", "6379", epoch, whom});
  };
  world.at(5s, [&] {
    ask("5", "*");
    ask("5", "a");
    ask("5", "b");  // equal epochs: the vote stands
    ask("4", "b");
    ask("6", "b");
    ask("6", "a");
  });
  world.run(6s);
  EXPECT_THAT(asker.replies, ElementsAre(vote("*", 0), vote("a", 5), vote("a", 5), vote("a", 5),
                                         vote("b", 6), vote("b", 6)));
  EXPECT_EQ(world.sentinel(1).current_epoch(), 6u);
}

TEST(Vote, IsNotToBeHadForAnUnknownMaster) {
  FakeWorld world({.sentinels = 1});
  Asker asker;
  world.at(5s, [&] {
    world.ask(asker, world.sentinel(1),
              {"SENTINEL", "is-master-down-by-addr", "10.0.0.9", "6379", "5", "a"});
  });
  world.run(6s);
  EXPECT_THAT(asker.replies, ElementsAre(vote("*", 0)));
  EXPECT_EQ(world.sentinel(1).current_epoch(), 0u);
}

// The answer to another candidate in the same epoch, after a restart.
std::string second_vote(sim::Keeps keeps) {
  FakeWorld world({.sentinels = 1});
  Asker before;
  Asker after;
  const auto ask = [&](Asker& asker, std::string_view whom) {
    world.ask(asker, world.sentinel(1),
              {"SENTINEL", "is-master-down-by-addr", "10.0.0.1", "6379", "5", whom});
  };
  world.at(5s, [&] { ask(before, "a"); });
  world.at(6s, [&] { world.kill(world.sentinel(1)); });
  world.at(7s, [&] { world.restart(world.sentinel(1), keeps); });
  world.at(8s, [&] { ask(after, "b"); });
  world.run(9s);
  return after.replies.empty() ? "" : after.replies.front();
}

TEST(Vote, IsNotGivenTwiceByOneThatRestarts) {
  EXPECT_EQ(second_vote(sim::Keeps::all), vote("*", 5));
}

TEST(Vote, IsGivenTwiceByOneThatLostItsConfiguration) {
  EXPECT_EQ(second_vote(sim::Keeps::none), vote("b", 5));
}

TEST(Failover, DoesNotHappenWithoutTheQuorum) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    FakeWorld world({.seed = seed});
    world.at(20s, [&] { world.cut(world.sentinel(1), world.server(1)); });
    world.run(60s);
    EXPECT_EQ(FakeWorld::count(world.sentinel(1), "+sdown master"), 1u);
    EXPECT_EQ(world.count("+odown"), 0u);
    EXPECT_EQ(world.count("+try-failover"), 0u);
  }
}

TEST(Failover, DoesNotHappenWithoutAMajority) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    FakeWorld world({.seed = seed, .sentinels = 5});
    world.at(20s, [&] {
      for (std::size_t i = 3; i <= 5; ++i) world.kill(world.sentinel(i));
    });
    world.at(30s, [&] { world.kill(world.server(1)); });
    world.run(90s);
    EXPECT_GT(world.count("+odown"), 0u);
    EXPECT_GT(world.count("-failover-abort-not-elected"), 0u);
    EXPECT_EQ(world.count("+elected-leader"), 0u);
    EXPECT_TRUE(world.server(2).heard.size() > 0 && !world.server(2).is_master());
  }
}

TEST(Failover, NeedsAsManyVotesAsTheQuorum) {
  FakeWorld world({.sentinels = 5, .quorum = 4});
  world.at(20s, [&] {
    for (std::size_t i = 4; i <= 5; ++i) world.kill(world.sentinel(i));
  });
  world.at(30s, [&] { world.kill(world.server(1)); });
  world.run(60s);
  EXPECT_EQ(world.count("+odown"), 0u);
  EXPECT_EQ(world.count("+switch-master"), 0u);
}

// Four agree that the master is down, and two of them are gone before they can vote: a majority is
// then not enough.
TEST(Leader, NeedsAsManyVotesAsTheQuorum) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FakeWorld world(
        {.seed = seed, .sentinels = 5, .quorum = 4, .latency = {.low = 20ms, .high = 25ms}});
    world.at(30s, [&] { world.kill(world.server(1)); });
    std::size_t gone = 0;
    for (FakeWorld::Duration at = 30s; at < 34s; at += 1ms) {
      world.at(at, [&] {
        if (gone > 0 || world.count("+try-failover") == 0) return;
        for (const Sentinel& sentinel : world.sentinels) {
          if (FakeWorld::count(sentinel, "+try-failover") > 0 || gone == 2) continue;
          world.kill(sentinel);
          ++gone;
        }
      });
    }
    world.run(60s);
    EXPECT_EQ(gone, 2u);
    EXPECT_GT(world.count("-failover-abort-not-elected"), 0u);
    EXPECT_EQ(world.count("+elected-leader"), 0u) << "seed " << seed;
  }
}

// The epoch in which each leader was elected, from its vote for itself.
std::multiset<std::string> elections(const FakeWorld& world) {
  std::multiset<std::string> epochs;
  for (const Sentinel& sentinel : world.sentinels) {
    std::string voted;
    for (const Sentinel::Event& event : sentinel.events()) {
      if (event.line.starts_with("+vote-for-leader " + sentinel.id()))
        voted = event.line.substr(event.line.rfind(' '));
      if (event.line.starts_with("+elected-leader")) epochs.insert(voted);
    }
  }
  return epochs;
}

TEST(Leader, IsAloneInItsEpoch) {
  std::size_t contested = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    FakeWorld world(
        {.seed = seed, .sentinels = 5, .quorum = 3, .latency = {.low = 1ms, .high = 150ms}});
    world.at(30s, [&] { world.kill(world.server(1)); });
    world.at(45s, [&] { world.pause(world.server(2)); });
    world.run(90s);
    const std::multiset<std::string> epochs = elections(world);
    const std::set<std::string> distinct(epochs.begin(), epochs.end());
    EXPECT_EQ(epochs.size(), distinct.size()) << "seed " << seed;
    EXPECT_FALSE(epochs.empty()) << "seed " << seed;
    contested += world.count("+try-failover") > epochs.size() ? 1u : 0u;
  }
  EXPECT_GT(contested, 0u);  // several tried at once
}

// No failover happens on the minority's side of a partition.
TEST(Failover, HappensOnTheSideOfTheMajority) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    FakeWorld world({.seed = seed});
    world.at(30s, [&] {
      for (std::size_t i = 1; i <= 2; ++i) {
        world.cut(world.sentinel(i), world.server(1));
        world.cut(world.sentinel(i), world.sentinel(3));
      }
      world.cut(world.server(1), world.server(2));
      world.cut(world.server(1), world.server(3));
      world.cut(world.sentinel(3), world.server(2));
      world.cut(world.sentinel(3), world.server(3));
    });
    world.run(60s);
    EXPECT_EQ(world.master_of(3), world.server(1).address());
    EXPECT_NE(world.master_of(1), world.server(1).address());
    EXPECT_EQ(world.master_of(2), world.master_of(1));
    EXPECT_TRUE(world.server(1).is_master());
  }
}

}  // namespace
}  // namespace picklock::redis::election_tests
