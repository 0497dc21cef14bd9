#include "models/redis/discovery.h"

#include <gmock/gmock.h>

#include "testing/redis/group_world.h"

namespace picklock::redis::discovery_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

// Collects the servers that the client finds, one name for each lookup: "redis-1", or "nobody".
class DiscoveryTest : public testing::Test {
 protected:
  void find(GroupWorld& world) {
    const Node* node = world.discovery.find(1s);
    found.push_back(node != nullptr ? node->process->name() : "nobody");
    took = world.now() - std::exchange(before, world.now());
  }
  // Looks up after each of these times.
  void find_after(GroupWorld& world, std::vector<Duration> waits) {
    world.thread([this, &world, waits = std::move(waits)] {
      for (const Duration wait : waits) {
        world.sleep(wait);
        before = world.now();
        find(world);
      }
    });
    world.run();
  }

  static constexpr Duration kAsked = 2 * GroupWorld::kWay;  // there and back

  std::vector<std::string> found;
  Duration before{};
  Duration took{};  // the last time
};

TEST_F(DiscoveryTest, KnowsWhoLeadsAtTheAddressWithoutAsking) {
  GroupWorld world({.sentinels = 0, .find_by = servers::FindBy::address});
  world.at(1s, [&] {
    world.kill("redis-1");
    world.server(1).fail_over(nullptr);
  });
  find_after(world, {0s, 2s});
  EXPECT_THAT(found, ElementsAre("redis-1", "redis-2"));
  EXPECT_THAT(world.asked(), IsEmpty());
}

TEST_F(DiscoveryTest, AsksTheFirstSentinelAndNoOtherWhereItAnswers) {
  GroupWorld world;
  find_after(world, {1s});
  EXPECT_THAT(found, ElementsAre("redis-1"));
  EXPECT_THAT(world.asked(), ElementsAre("sentinel-1"));
  EXPECT_EQ(took, kAsked);
}

TEST_F(DiscoveryTest, PassesOverASentinelThatIsDead) {
  GroupWorld world;
  world.at(1s, [&] { world.kill("sentinel-1"); });
  find_after(world, {2s});
  EXPECT_THAT(found, ElementsAre("redis-1"));
  EXPECT_THAT(world.asked(), ElementsAre("sentinel-2"));
  EXPECT_LT(took, 1ms);
}

TEST_F(DiscoveryTest, WaitsForASilentSentinelAndThenAsksTheNext) {
  GroupWorld world;
  world.at(1s, [&] { world.pause("sentinel-1"); });
  find_after(world, {2s});
  EXPECT_THAT(found, ElementsAre("redis-1"));
  EXPECT_THAT(world.asked(), ElementsAre("sentinel-1", "sentinel-2"));
  EXPECT_EQ(took, 1s + kAsked);
}

TEST_F(DiscoveryTest, AsksFirstWhoHasAnsweredLast) {
  GroupWorld world;
  world.at(1s, [&] { world.pause("sentinel-1"); });
  world.at(4s, [&] { world.resume("sentinel-1"); });
  find_after(world, {2s, 3s});
  EXPECT_THAT(world.asked(), ElementsAre("sentinel-1", "sentinel-2", "sentinel-2"));
  EXPECT_EQ(took, kAsked);
}

TEST_F(DiscoveryTest, AsksInACircle) {
  GroupWorld world;
  world.at(1s, [&] {
    world.kill("sentinel-1");
    world.kill("sentinel-2");
  });
  world.at(3s, [&] {
    world.simulation.scheduler.processes().restart(world.process("sentinel-1"), sim::Keeps::all);
    world.kill("sentinel-3");
  });
  find_after(world, {2s, 2s});
  EXPECT_THAT(found, ElementsAre("redis-1", "redis-1"));
  EXPECT_THAT(world.asked(), ElementsAre("sentinel-3", "sentinel-1"));
}

TEST_F(DiscoveryTest, KnowsNobodyWhereEverySentinelIsDead) {
  GroupWorld world;
  world.at(1s, [&] {
    for (const char* name : {"sentinel-1", "sentinel-2", "sentinel-3"}) world.kill(name);
  });
  find_after(world, {2s});
  EXPECT_THAT(found, ElementsAre("nobody"));
  EXPECT_LT(took, 1ms);
}

TEST_F(DiscoveryTest, KnowsNobodyOnceEverySentinelHasBeenSilentForItsPatience) {
  GroupWorld world;
  world.at(1s, [&] {
    for (const char* name : {"sentinel-1", "sentinel-2", "sentinel-3"}) world.pause(name);
  });
  find_after(world, {2s});
  EXPECT_THAT(found, ElementsAre("nobody"));
  EXPECT_EQ(took, 3s);
}

// A Sentinel answers what it believes, which may be out of date.
TEST_F(DiscoveryTest, IsToldOfADeadPrimaryUntilTheSentinelsHaveReplacedIt) {
  GroupWorld world;
  world.at(1s, [&] { world.kill("redis-1"); });
  find_after(world, {1500ms, 10s});
  EXPECT_THAT(found, ElementsAre("redis-1", "redis-2"));
}

TEST_F(DiscoveryTest, TakesNoNoteOfTheAddressWhereItAsksSentinels) {
  GroupWorld world;
  world.at(1s, [&] { world.kill("redis-1"); });
  find_after(world, {20s});
  EXPECT_THAT(found, ElementsAre("redis-2"));
  EXPECT_EQ(&world.group.at_address(), &world.server(1));
}

// One thread finds a Sentinel that answers while another still waits; the other must not skip any.
TEST_F(DiscoveryTest, LetsNoThreadSkipASentinelForWhatAnotherHasLearned) {
  GroupWorld world;
  world.at(1s, [&] {
    world.pause("sentinel-1");
    world.pause("sentinel-3");
  });
  for (const Duration start : {2000ms, 2500ms}) {
    world.thread([this, &world, start] {
      world.sleep(start);
      find(world);
    });
  }
  world.run();
  EXPECT_THAT(found, ElementsAre("redis-1", "redis-1"));
  EXPECT_THAT(world.asked(), ElementsAre("sentinel-1", "sentinel-1", "sentinel-2", "sentinel-2"));
}

}  // namespace
}  // namespace picklock::redis::discovery_tests
