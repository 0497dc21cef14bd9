// How a Sentinel reacts to answers, and to missing ones.
#include "testing/redis/fake_world.h"

namespace picklock::redis::watch_tests {
namespace {

using Duration = sim::Duration;
using testing::AllOf;
using testing::Contains;
using testing::Ge;
using testing::Le;
using testing::Not;

double seconds(Duration length) { return static_cast<double>(length.count()) / 1e9; }

TEST(Instance, IsDownWhenItHasNotAnsweredForLongEnough) {  // R61
  for (const Duration down_after : {500ms, 1000ms, 5000ms}) {
    FakeWorld world({.down_after = down_after});
    world.at(30s, [&] { world.kill(world.server(2)); });
    world.at(50s, [&] { world.restart(world.server(2)); });
    world.run(60s);
    for (const Sentinel& sentinel : world.sentinels) {
      const auto down = FakeWorld::when(sentinel, "+sdown slave 10.0.0.2:6379");
      const auto up = FakeWorld::when(sentinel, "-sdown slave 10.0.0.2:6379");
      ASSERT_TRUE(down && up);
      EXPECT_THAT(seconds(*down - 30s - down_after), AllOf(Ge(0), Le(0.25)));
      EXPECT_THAT(seconds(*up), AllOf(Ge(50), Le(51.3)));
    }
    EXPECT_EQ(world.count("+odown"), 0u);
  }
}

TEST(Instance, IsUpWhileItLoads) {
  FakeWorld world({});
  world.at(30s, [&] { world.server(1).loading = true; });
  world.run(60s);
  EXPECT_EQ(world.count("+sdown"), 0u);
}

TEST(Instance, IsDownIfNobodyIsAtItsAddress) {
  FakeWorld world({});
  world.directory.clear();
  world.run(10s);
  EXPECT_EQ(world.count("+sdown master redis-1 10.0.0.1 6379"), 3u);
}

TEST(Instance, ThatComesBackWithAnotherRunIdHasRebooted) {
  FakeWorld world({.down_after = 30s});
  world.at(20s, [&] { world.kill(world.server(2)); });
  world.at(21s, [&] { world.restart(world.server(2), sim::Keeps::none); });
  world.run(40s);
  EXPECT_EQ(world.count("+reboot slave 10.0.0.2:6379"), 3u);
}

// It is down after down-after and two periods of INFO, from the first such answer.
TEST(Master, ThatSaysItIsAReplicaIsDownInTheEnd) {
  FakeWorld world({});
  world.at(30s, [&] { world.server(1).follow(world.server(2).address()); });
  world.run(80s);
  for (const Sentinel& sentinel : world.sentinels) {
    const auto down = FakeWorld::when(sentinel, "+sdown master");
    if (!down) continue;
    EXPECT_THAT(seconds(*down), AllOf(Ge(51), Le(62)));
  }
  EXPECT_GT(world.count("+odown master"), 0u);
  EXPECT_GT(world.count("+switch-master"), 0u);
}

TEST(Replica, OfAnotherMasterIsMendedAfterTheFailoverTimeout) {
  FakeWorld world({});
  world.at(31s, [&] { world.server(3).follow({"10.0.0.2", 6379}); });
  world.run(60s);
  EXPECT_GT(world.count("+fix-slave-config slave 10.0.0.3:6379"), 0u);
  EXPECT_EQ(world.server(3).master(), world.server(1).address());
}

TEST(Replica, IsFoundWhenTheMasterTellsOfIt) {
  FakeWorld world({.servers = 3});
  world.server(3).lead();
  world.at(25s, [&] { world.server(3).follow(world.server(1).address()); });
  world.run(45s);
  for (const Sentinel& sentinel : world.sentinels) {
    const auto found = FakeWorld::when(sentinel, "+slave slave 10.0.0.3:6379");
    ASSERT_TRUE(found);
    EXPECT_THAT(seconds(*found), AllOf(Ge(25), Le(36)));
  }
}

TEST(Connection, IsMadeAnewAfterAPartition) {
  FakeWorld world({});
  const auto each = [&](auto what) {
    for (const Sentinel& sentinel : world.sentinels) (world.*what)(sentinel, world.server(2));
  };
  world.at(30s, [&] { each(&FakeWorld::cut); });
  world.at(60s, [&] { each(&FakeWorld::heal); });
  world.run(75s);
  EXPECT_EQ(world.count("+sdown slave 10.0.0.2:6379"), 3u);
  EXPECT_EQ(world.count("-sdown slave 10.0.0.2:6379"), 3u);
}

// ---------------------------------------------------------------- TILT

TEST(Tilt, BeginsWhenTheClockIsSetOnOrBack) {
  for (const Duration step : {Duration(2200ms), Duration(-1s)}) {
    FakeWorld world({});
    world.at(20s, [&] {
      world.simulation.scheduler.processes().step_clock(world.sentinel(1).process(), step);
    });
    world.run(25s);
    EXPECT_TRUE(world.sentinel(1).in_tilt());
    EXPECT_FALSE(world.sentinel(2).in_tilt());
    EXPECT_EQ(world.count("+tilt #tilt mode entered"), 1u);
  }
}

TEST(Tilt, DoesNotBeginOverASmallStep) {
  FakeWorld world({});
  world.at(20s, [&] {
    world.simulation.scheduler.processes().step_clock(world.sentinel(1).process(), 1800ms);
  });
  world.run(25s);
  EXPECT_FALSE(world.sentinel(1).in_tilt());
}

TEST(Tilt, BeginsAfterAPauseAndEndsAfterThirtySeconds) {
  FakeWorld world({});
  world.at(20s, [&] { world.pause(world.sentinel(1)); });
  world.at(23s, [&] { world.resume(world.sentinel(1)); });
  world.run(60s);
  const auto begun = FakeWorld::when(world.sentinel(1), "+tilt");
  const auto ended = FakeWorld::when(world.sentinel(1), "-tilt");
  ASSERT_TRUE(begun && ended);
  EXPECT_THAT(seconds(*begun), AllOf(Ge(23), Le(23.2)));
  EXPECT_THAT(seconds(*ended - *begun), AllOf(Ge(30), Le(30.2)));
}

// The master is killed when all Sentinels have just entered tilt mode.
struct Tilted {
  FakeWorld world;
  Asker asker;

  explicit Tilted(Duration down_after) : world({.down_after = down_after}) {
    world.at(20s, [this] {
      for (const Sentinel& sentinel : world.sentinels)
        world.simulation.scheduler.processes().step_clock(sentinel.process(), 1h);
    });
    world.at(21s, [this] { world.kill(world.server(1)); });
    world.at(45s, [this] {
      world.ask(asker, world.sentinel(1),
                {"SENTINEL", "is-master-down-by-addr", "10.0.0.1", "6379", "0", "*"});
    });
    world.run(90s);
  }
};

TEST(Tilt, PutsAFailoverOffUntilItsEnd) {
  Tilted it(5s);
  EXPECT_THAT(it.asker.replies, testing::ElementsAre("*3\r\n:0\r\n$1\r\n*\r\n:0\r\n"));
  for (const Sentinel& sentinel : it.world.sentinels) {
    const auto down = FakeWorld::when(sentinel, "+sdown master");
    ASSERT_TRUE(down);
    EXPECT_GE(seconds(*down), 50);
    EXPECT_TRUE(FakeWorld::when(sentinel, "+switch-master"));
  }
}

// At the end of tilt the replicas have been without their master for more than ten times
// down-after, and the master counts as down only from then on. So no replica is ever good enough.
TEST(Tilt, PreventsAFailoverWhenDownAfterIsShort) {
  Tilted it(1s);
  EXPECT_GT(it.world.count("-failover-abort-no-good-slave"), 0u);
  EXPECT_EQ(it.world.count("+switch-master"), 0u);
}

}  // namespace
}  // namespace picklock::redis::watch_tests
