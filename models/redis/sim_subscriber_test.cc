#include "models/redis/sim_subscriber.h"

#include <gmock/gmock.h>

#include "testing/redis/group_world.h"
#include "testing/small_world.h"

namespace picklock::redis::sim_subscriber_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Client 1 subscribes, client 2 publishes.
class SubscriberTest : public testing::Test {
 protected:
  Listener listener() {
    return [this](std::string_view message) {
      heard.push_back(std::to_string(world.milliseconds()) + " " + std::string(message));
    };
  }
  // Client 2 publishes these messages at their times.
  void say(std::vector<std::pair<Duration, std::string>> what, std::string channel = "c") {
    world.client(2, [this, what, channel](models::SmallWorld& all, picklock::Client& self) {
      for (const auto& [when, text] : what) {
        self.sleep(sim::kStart + when - all.simulation.now());
        const std::string_view argv[] = {"PUBLISH", channel, text};
        heard_by.push_back(redis::server(self).call(Role::none, argv).integer);
      }
    });
  }
  void listen(std::function<void(picklock::Client&)> then, std::string channel = "c") {
    world.client(1, [this, then, channel](models::SmallWorld&, picklock::Client& self) {
      subscribed = redis::server(self).subscribe(channel, listener(), 1s);
      then(self);
    });
  }

  models::SmallWorld world{{.clients = 2, .command_timeout = 1s, .tracing = true}};
  bool subscribed = false;
  std::vector<std::string> heard;
  std::vector<std::int64_t> heard_by;
};

TEST_F(SubscriberTest, HearsWhatIsSaidInItsChannel) {
  listen([](picklock::Client& self) { self.sleep(3s); });
  say({{1s, "one"}, {2s, "two"}});
  world.run();
  EXPECT_TRUE(subscribed);
  EXPECT_THAT(heard, ElementsAre("1001 one", "2001 two"));
}

TEST_F(SubscriberTest, HearsNoOtherChannel) {
  listen([](picklock::Client& self) { self.sleep(3s); }, "other");
  say({{1s, "one"}});
  world.run();
  EXPECT_THAT(heard, ElementsAre());
  EXPECT_THAT(heard_by, ElementsAre(0));
}

TEST_F(SubscriberTest, HearsNothingOnceItHasLeft) {
  listen([](picklock::Client& self) {
    self.sleep(1500ms);
    redis::server(self).unsubscribe("c");
    self.sleep(2s);
  });
  say({{1s, "one"}, {2s, "two"}});
  world.run();
  EXPECT_THAT(heard, ElementsAre("1001 one"));
  EXPECT_THAT(heard_by, ElementsAre(1, 0));
}

// It dials 100 ms after the loss, and is subscribed after 1 ms for the connection and 1 ms for the
// command.
TEST_F(SubscriberTest, MakesALostConnectionAnewAndMissesWhatWasSaidMeanwhile) {  // R88
  listen([](picklock::Client& self) { self.sleep(4s); });
  say({{1s, "before"}, {2050ms, "meanwhile"}, {3s, "after"}});
  sim::Fault drop = models::fault_at(2s, sim::Verb::restart, "redis-1");
  drop.keeps = sim::Keeps::all;
  world.run({drop});
  EXPECT_THAT(heard, ElementsAre("1001 before", "3001 after"));
  EXPECT_EQ(heard_by.back(), 1);
  std::vector<std::string> subscriptions = world.sent();
  std::erase_if(subscriptions, [](const std::string& line) {
    return line.find("SUBSCRIBE") == std::string::npos;
  });
  ASSERT_EQ(subscriptions.size(), 2U);
  EXPECT_THAT(subscriptions[1], testing::StartsWith("2.1"));
}

TEST_F(SubscriberTest, DialsAgainUntilTheServerIsBack) {
  listen([](picklock::Client& self) { self.sleep(8s); });
  say({{1s, "before"}, {7s, "after"}});
  sim::Fault crash = models::fault_at(2s, sim::Verb::crash, "redis-1", 3s);
  crash.keeps = sim::Keeps::all;
  world.run({crash});
  EXPECT_EQ(heard.back(), "7002 after");
}

TEST_F(SubscriberTest, ForgetsAChannelThatWasLeftWhileTheConnectionWasLost) {
  listen([](picklock::Client& self) {
    self.sleep(2050ms);
    redis::server(self).unsubscribe("c");
    self.sleep(4s);
  });
  say({{1s, "before"}, {4s, "after"}});
  sim::Fault drop = models::fault_at(2s, sim::Verb::restart, "redis-1");
  drop.keeps = sim::Keeps::all;
  world.run({drop});
  EXPECT_THAT(heard, ElementsAre("1001 before"));
  EXPECT_EQ(heard_by.back(), 0);
}

TEST_F(SubscriberTest, IsRefusedWhereNobodyConfirmsInTime) {
  Duration refused{};
  listen([&](picklock::Client& self) {
    refused = self.monotonic_now();
    self.sleep(8s);
  });
  say({{7s, "late"}});
  world.run({models::fault_at(0s, sim::Verb::pause, "redis-1", 5s)});
  EXPECT_FALSE(subscribed);
  EXPECT_EQ(refused, 1s);  // of which it takes 1 ms to dial
  EXPECT_THAT(heard, ElementsAre());
}

TEST_F(SubscriberTest, IsRefusedAtOnceWithoutPatience) {
  world.client(1, [this](models::SmallWorld& all, picklock::Client& self) {
    EXPECT_FALSE(redis::server(self).subscribe("c", listener(), 0s));
    EXPECT_EQ(all.milliseconds(), 0);
  });
  world.run();
  EXPECT_TRUE(world.sent().empty());
}

// The three Sentinels are asked for the leader in turn.
TEST(Subscriber, SpendsOnePatienceOnAllTheSentinelsAndTheServer) {
  GroupWorld world({.patience = 2s, .down_after = 60s});
  for (const char* name : {"sentinel-1", "sentinel-2", "sentinel-3"})
    world.at(0s, [&world, name] { world.pause(name); });
  sim::Duration refused{};
  world.thread([&] {
    world.sleep(1s);
    EXPECT_FALSE(world.redis.subscribe(
        "c", [](std::string_view) {}, 5s));
    refused = world.now();
  });
  world.run();
  EXPECT_EQ(refused, 6s);
  EXPECT_THAT(world.asked(), ElementsAre("sentinel-1", "sentinel-2", "sentinel-3"));
}

// A lost connection is not dialed again for a listener whose thread has died.
TEST_F(SubscriberTest, ForgetsAChannelWhoseThreadIsKilledBeforeItIsConfirmed) {
  sim::Thread& listening = world.client(1, [this](models::SmallWorld&, picklock::Client& self) {
    redis::server(self).subscribe("c", listener(), 10s);
  });
  world.client(1, [&](models::SmallWorld& all, picklock::Client& self) {
    self.sleep(500ms);
    all.simulation.scheduler.threads().kill(listening);
    self.sleep(5s);
  });
  say({{4s, "after"}});
  sim::Fault drop = models::fault_at(2s, sim::Verb::restart, "redis-1");
  drop.keeps = sim::Keeps::all;
  world.run({models::fault_at(0s, sim::Verb::pause, "redis-1", 1s), drop});
  EXPECT_THAT(heard_by, ElementsAre(0));
  EXPECT_THAT(heard, ElementsAre());
}

}  // namespace
}  // namespace picklock::redis::sim_subscriber_tests
