#include "models/zookeeper/sim_client.h"

#include <gmock/gmock.h>

#include "models/locks/zookeeper/options.h"
#include "testing/zookeeper/ensemble_world.h"

namespace picklock::zookeeper::sim_client_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using World = EnsembleWorld;

// The states of a client's connection and when they began: "4000 suspended".
std::vector<std::string> fared(World& world, SimClient& client, sim::Duration length) {
  std::vector<std::string> all;
  const auto number = client.listen([&](State state) {
    constexpr std::string_view kNames[] = {"connected", "suspended", "lost"};
    all.push_back(std::to_string(world.milliseconds() / 100) + " " +
                  std::string(kNames[static_cast<std::size_t>(state)]));
  });
  world.sleep(length);
  client.forget(number);
  return all;
}

TEST(ZooKeeperClient, NoticesNothingOfAPauseShorterThanItsPatience) {  // Z10
  World world({.options = {.ttl = 4s}});
  world.thread(1, [&](SimClient& client) {
    client.create("/lock", "", CreateMode::ephemeral, Role::none);
    EXPECT_THAT(fared(world, client, 10s), IsEmpty());
  });
  // The client has pinged at 1.3 s.
  world.at(1400ms, [&] { world.pause("client-1"); });
  world.at(3400ms, [&] { world.resume("client-1"); });
  world.run();
}

// Z11: the thread that was at work continues before it learns that its session is gone.
TEST(ZooKeeperClient, LearnsAfterALongPauseThatItsSessionIsGone) {
  World world({.options = {.ttl = 4s}});
  std::vector<std::string> all;
  State on_waking{};
  world.thread(1, [&](SimClient& client) {
    client.create("/lock", "", CreateMode::ephemeral, Role::none);
    world.sleep(1100ms - (world.simulation.now() - sim::kStart));
    on_waking = client.state();
    all = fared(world, client, 3s);
  });
  world.at(1s, [&] { world.pause("client-1"); });
  world.at(8500ms, [&] { world.resume("client-1"); });
  world.run();
  EXPECT_EQ(on_waking, State::connected);
  ASSERT_GE(all.size(), 3);
  EXPECT_EQ(all[0], "85 suspended");
  EXPECT_THAT(all[1], testing::EndsWith("lost"));
  EXPECT_THAT(all[2], testing::EndsWith("connected"));
  EXPECT_THAT(world.entries(), ElementsAre("entry created command by 1 of 0",
                                           "entry removed session end by 0 of 1"));
}

sim::Fault cut_off(std::string_view client, sim::Duration from, sim::Duration lasts) {
  sim::Fault fault;
  fault.verb = sim::Verb::partition;
  fault.target = client;
  fault.trigger.at = sim::kStart + from;
  fault.lasts = lasts;
  return fault;
}

// A client gives up a server that is silent for two thirds of the time-out. It learns that the
// session is gone when it is connected again, and not before.
TEST(ZooKeeperClient, IsSuspendedWhileItIsCutOffAndLearnsOfTheLossAfterwards) {
  World world({.options = {.ttl = 6s}});
  std::vector<std::string> all;
  world.thread(1, [&](SimClient& client) {
    client.create("/lock", "", CreateMode::ephemeral, Role::none);
    all = fared(world, client, 30s);
  });
  world.run({cut_off("client-1", 1s, 15s)});
  ASSERT_GE(all.size(), 3);
  EXPECT_THAT(all[0],
              testing::AllOf(testing::Ge("40"), testing::Le("60"), testing::EndsWith("suspended")));
  EXPECT_GE(all[1], "160");
  EXPECT_THAT(all[1], testing::EndsWith("lost"));
  EXPECT_THAT(all[2], testing::EndsWith("connected"));
}

TEST(ZooKeeperClient, GivesItsSessionUpByItselfIfItIsToldTo) {
  World world(
      {.options = {.ttl = 6s,
                   .own = models::locks::zookeeper::SessionOptions{.lost_after_percent = 100}}});
  std::vector<std::string> all;
  world.thread(1, [&](SimClient& client) {
    client.create("/lock", "", CreateMode::ephemeral, Role::none);
    all = fared(world, client, 12s);
  });
  world.run({cut_off("client-1", 1s, 15s)});
  ASSERT_EQ(all.size(), 2);
  EXPECT_THAT(all[1], testing::EndsWith("lost"));
  EXPECT_LT(all[1], "120");
}

TEST(ZooKeeperClient, GoesToAnotherServerWithTheSameSession) {
  World world({.servers = 3});
  world.thread(1, [&](SimClient& client) {
    client.create("/a", "", CreateMode::ephemeral, Role::none);
    const SessionId session = client.session();
    world.sleep(5s);
    EXPECT_TRUE(client.exists("/a", {}, Role::none).ok());
    EXPECT_EQ(client.session(), session);
    EXPECT_EQ(client.state(), State::connected);
  });
  world.at(1s, [&] { world.kill("zookeeper-1"); });
  world.run();
}

// Z34, Z54: a watch follows its client to another server, which notifies it of what it has missed.
TEST(ZooKeeperClient, HearsAtAnotherServerWhatItHasMissed) {
  World world({.servers = 3, .clients = 2});
  std::vector<EventType> heard;
  world.thread(1, [&](SimClient& client) {
    client.create("/a", "", CreateMode::persistent, Role::none);
    client.get_data(
        "/a",
        [&](const Told& told) {
          if (told.type != EventType::none) heard.push_back(told.type);
        },
        Role::none);
    world.sleep(20s);
  });
  world.thread(2, [&](SimClient& client) {
    world.sleep(3s);
    EXPECT_TRUE(client.remove("/a", Role::none).ok());
  });
  world.run({cut_off("client-1", 1s, 10s)});
  EXPECT_THAT(heard, ElementsAre(EventType::deleted));
}

TEST(ZooKeeperClient, FailsWhatIsAskedWhileNoServerIsThere) {
  World world({.options = {.ttl = 4s}});
  world.thread(1, [&](SimClient& client) {
    client.create("/a", "", CreateMode::persistent, Role::none);
    world.sleep(2s);
    EXPECT_TRUE(client.exists("/a", {}, Role::none).unknown());
    world.sleep(8s);
    EXPECT_TRUE(client.exists("/a", {}, Role::none).ok());
  });
  world.at(1s, [&] { world.kill("zookeeper-1"); });
  world.at(5s, [&] { world.restart("zookeeper-1"); });
  world.run();
}

}  // namespace
}  // namespace picklock::zookeeper::sim_client_tests
