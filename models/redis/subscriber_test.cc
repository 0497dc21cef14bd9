// Subscribers over the simulated network, where messages take time and may not be read.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "models/redis/wire.h"
#include "testing/small_world.h"

namespace picklock::redis::subscriber_tests {
namespace {

using namespace std::chrono_literals;

// A connection that collects every message.
struct Listener final : sim::Endpoint {
  void listen(models::SmallWorld& world, std::uint32_t client) {
    now = [&world] { return world.simulation.now(); };
    network = &world.simulation.network;
    connection = &network->connect(world.simulation.scheduler.processes().at(client - 1), *this,
                                   world.server().process(), world.server(), protocol());
  }
  void say(std::span<const std::string_view> argv) const {
    sim::Message& message = network->make(*connection, 0);
    write_request(message.payload, argv);
    network->send(message);
  }
  template <typename... Words>
  void operator()(const Words&... words) const {
    const std::string_view argv[] = {words...};
    say(argv);
  }
  void on_message(sim::Connection&, sim::Message& message) override {
    heard += message.payload.view();
    last_at = now();
    ++messages;
  }
  void on_reset(sim::Connection&) override { broken = true; }

  std::function<sim::Instant()> now;
  sim::Network* network = nullptr;
  sim::Connection* connection = nullptr;
  std::string heard;
  sim::Instant last_at{};
  int messages = 0;
  bool broken = false;
};

std::int64_t publish(picklock::Client& self, std::string_view text) {
  const std::string_view argv[] = {"PUBLISH", "c", text};
  return redis::server(self).call(Role::none, argv).integer;
}

// The message to one client and the reply to the other leave together, but on different connections
// (R90).
TEST(Subscriber, MayHearBeforeOrAfterThePublisherIsAnswered) {
  std::set<bool> heard_first;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    models::SmallWorld world({.seed = seed, .clients = 2});
    world.simulation.network.set_latency({.low = 50us, .high = 5ms});
    Listener listener;
    listener.listen(world, 2);
    sim::Instant answered{};
    world.client(1, [&](models::SmallWorld& all, picklock::Client& self) {
      listener("SUBSCRIBE", "c");
      self.sleep(1s);
      EXPECT_EQ(publish(self, "m"), 1);
      answered = all.simulation.now();
      self.sleep(1s);
    });
    world.run();
    EXPECT_EQ(listener.messages, 2);
    heard_first.insert(listener.last_at < answered);
  }
  EXPECT_EQ(heard_first.size(), 2u);
}

// R88
TEST(Subscriber, NeverHearsWhatWasSaidWhileTheServerHadForgottenIt) {
  models::SmallWorld world({.clients = 2});
  Listener listener;
  listener.listen(world, 2);
  std::vector<std::int64_t> heard_by;
  world.client(1, [&](models::SmallWorld&, picklock::Client& self) {
    listener("SUBSCRIBE", "c");
    self.sleep(1s);
    heard_by.push_back(publish(self, "before"));
    self.sleep(3s);
    redis::server(self).get("k");  // the connection is broken
    heard_by.push_back(publish(self, "after"));
  });
  sim::Fault restart = models::fault_at(2s, sim::Verb::restart, "redis-1");
  restart.keeps = sim::Keeps::all;
  world.run({restart});
  EXPECT_THAT(heard_by, testing::ElementsAre(1, 0));
  EXPECT_TRUE(listener.broken);
  EXPECT_THAT(listener.heard, testing::HasSubstr("before"));
  EXPECT_THAT(listener.heard, testing::Not(testing::HasSubstr("after")));
}

// Publishes messages of a megabyte until no subscriber is left; at most `most`. Returns how many
// had one.
int heard_by_one_that_is_paused(int most, Duration every) {
  models::SmallWorld world({.clients = 2});
  Listener listener;
  listener.listen(world, 2);
  int heard = 0;
  world.client(1, [&](models::SmallWorld&, picklock::Client& self) {
    listener("SUBSCRIBE", "c");
    self.sleep(1s);
    const std::string megabyte(1 << 20, 'x');
    while (heard < most && publish(self, megabyte) == 1) {
      ++heard;
      self.sleep(every);
    }
  });
  world.run({models::fault_at(500ms, sim::Verb::pause, "client-2")});
  EXPECT_EQ(listener.messages, 1);  // of the subscription
  return heard;
}

TEST(Subscriber, IsCutOffWhenTooMuchIsUnread) {  // R91: 32 MB, and what the sockets hold
  EXPECT_EQ(heard_by_one_that_is_paused(100, 1ms), 38);
}

TEST(Subscriber, IsCutOffWhenMuchIsUnreadForAMinute) {  // R91: 8 MB
  EXPECT_EQ(heard_by_one_that_is_paused(100, 10s), 14 + 5);
}

TEST(Subscriber, HearsAnyAmountIfItReads) {
  models::SmallWorld world({.clients = 2});
  Listener listener;
  listener.listen(world, 2);
  world.client(1, [&](models::SmallWorld&, picklock::Client& self) {
    listener("SUBSCRIBE", "c");
    self.sleep(1s);
    const std::string megabyte(1 << 20, 'x');
    for (int i = 0; i < 50; ++i) EXPECT_EQ(publish(self, megabyte), 1);
    self.sleep(1s);
  });
  world.run();
  EXPECT_EQ(listener.messages, 51);
}

// Messages sent before the end of the connection arrive before it.
TEST(Connection, ThatIsKilledHearsWhatCameBefore) {
  models::SmallWorld world({.clients = 2});
  Listener listener;
  listener.listen(world, 2);
  world.client(1, [&](models::SmallWorld&, picklock::Client& self) {
    listener("SUBSCRIBE", "c");
    self.sleep(1s);
    publish(self, "last words");
    const std::string_view kill[] = {"CLIENT", "KILL", "TYPE", "pubsub"};
    EXPECT_EQ(redis::server(self).call(Role::none, kill).integer, 1);
    self.sleep(1s);
    EXPECT_EQ(publish(self, "nobody hears this"), 0);
  });
  world.run();
  EXPECT_THAT(listener.heard, testing::EndsWith("last words\r\n"));
  EXPECT_TRUE(listener.broken);
}

}  // namespace
}  // namespace picklock::redis::subscriber_tests
