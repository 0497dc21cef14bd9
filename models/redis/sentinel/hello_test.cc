// How Sentinels find each other, and how the newest configuration spreads.
#include "testing/redis/fake_world.h"

namespace picklock::redis::hello_tests {
namespace {

using testing::ElementsAre;

TEST(Sentinels, FindEachOtherByTheirHellos) {
  FakeWorld world({.sentinels = 5});
  world.run(5s);
  for (const Sentinel& sentinel : world.sentinels)
    EXPECT_EQ(sentinel.master("redis-1")->sentinels.size(), 4u);
  EXPECT_EQ(world.count("+sentinel sentinel"), 20u);
}

TEST(Sentinel, LearnsOfAFailoverThatItHasMissed) {
  for (const sim::Keeps keeps : {sim::Keeps::all, sim::Keeps::none}) {
    FakeWorld world({.sentinels = 4});
    world.at(20s, [&] { world.kill(world.sentinel(4)); });
    world.at(30s, [&] { world.kill(world.server(1)); });
    world.at(50s, [&] { world.restart(world.sentinel(4), keeps); });
    world.run(60s);
    EXPECT_EQ(world.master_of(4), world.master_of(1));
    EXPECT_TRUE(FakeWorld::when(world.sentinel(4), "+config-update-from sentinel", 50s));
    EXPECT_TRUE(FakeWorld::when(world.sentinel(4), "+switch-master redis-1 10.0.0.1 6379", 50s));
  }
}

TEST(Sentinel, ThatRestartsKnowsWhatItKnew) {
  FakeWorld world({});
  world.at(30s, [&] { world.kill(world.server(1)); });
  world.at(45s, [&] { world.kill(world.sentinel(1)); });
  world.at(50s, [&] {
    const std::string id = world.sentinel(1).id();
    world.restart(world.sentinel(1));
    const Instance& master = *world.sentinel(1).master("redis-1");
    EXPECT_EQ(world.sentinel(1).id(), id);
    EXPECT_EQ(world.sentinel(1).current_epoch(), 1u);
    EXPECT_EQ(master.config_epoch, 1u);
    EXPECT_EQ(master.address, world.master_of(2));
    EXPECT_EQ(master.sentinels.size(), 2u);
    EXPECT_EQ(master.replicas.size(), 2u);
  });
  world.run(60s);
  EXPECT_FALSE(FakeWorld::when(world.sentinel(1), "+sentinel", 50s));
}

// In the middle of its own failover, as soon as the promoted replica is known to be a master.
TEST(Sentinel, ThatRestartsAfterThePromotionKnowsTheNewMaster) {
  FakeWorld world({});
  world.at(30s, [&] { world.kill(world.server(1)); });
  Sentinel* leader = nullptr;
  for (sim::Duration at = 30s; at < 34s; at += 5ms) {
    world.at(at, [&] {
      if (leader != nullptr || world.count("+promoted-slave") == 0) return;
      leader = world.leader();
      world.kill(*leader);
      world.restart(*leader);
      EXPECT_EQ(leader->master("redis-1")->address, world.server(2).address());
      EXPECT_EQ(leader->master("redis-1")->replicas.back()->name, "10.0.0.3:6379");
    });
  }
  world.run(40s);
  ASSERT_NE(leader, nullptr);
}

TEST(Sentinel, ThatLostItsConfigurationIsAnotherOneAtTheSameAddress) {
  FakeWorld world({});
  world.at(20s, [&] { world.kill(world.sentinel(1)); });
  world.at(25s, [&] {
    const std::string id = world.sentinel(1).id();
    world.restart(world.sentinel(1), sim::Keeps::none);
    EXPECT_NE(world.sentinel(1).id(), id);
  });
  world.run(35s);
  EXPECT_EQ(FakeWorld::count(world.sentinel(2), "+sentinel-invalid-addr"), 1u);
  EXPECT_EQ(world.sentinel(2).master("redis-1")->sentinels.size(), 2u);
}

// The master's address in a lone Sentinel after a hello from a Sentinel at 10.0.0.9.
Address after_hello(std::string_view epochs_and_address) {
  FakeWorld world({.sentinels = 1});
  Asker asker;
  const std::string hello =
      "10.0.0.9,26379," + std::string(40, '9') + "," + std::string(epochs_and_address);
  world.at(20s, [&] {
    world.ask(asker, world.sentinel(1), {"PUBLISH", "__sentinel__:hello", hello});
  });
  world.run(21s);
  EXPECT_THAT(asker.replies, ElementsAre(":1\r\n"));
  return world.master_of(1);
}

TEST(Hello, OfANewerConfigurationIsTakenOver) {
  EXPECT_EQ(after_hello("7,redis-1,10.0.0.3,6379,7").host, "10.0.0.3");
}

TEST(Hello, OfAnOldConfigurationIsNot) {
  EXPECT_EQ(after_hello("7,redis-1,10.0.0.3,6379,0").host, "10.0.0.1");
}

TEST(Hello, OfAnotherMasterSaysNothing) {
  EXPECT_EQ(after_hello("7,redis-9,10.0.0.3,6379,7").host, "10.0.0.1");
}

TEST(Hello, ThatIsMalformedSaysNothing) {
  EXPECT_EQ(after_hello("7,redis-1,10.0.0.3,6379").host, "10.0.0.1");
  EXPECT_EQ(after_hello("7,redis-1,10.0.0.3,6379,7,8").host, "10.0.0.1");
}

}  // namespace
}  // namespace picklock::redis::hello_tests
