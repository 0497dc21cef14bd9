#include "models/locks/redisson/channels.h"

#include <gmock/gmock.h>

#include "testing/small_world.h"

namespace picklock::models::locks::redisson::channels_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using Woken = Semaphore::Woken;

// Threads of client 1 join a channel; client 2 publishes in it.
class ChannelsTest : public testing::Test {
 protected:
  // Joins at `when`, with this patience; then waits for a message and leaves.
  sim::Thread& join(std::string name, Duration when, Duration patience,
                    Duration for_message = 10s) {
    return world.client(
        1, [this, name, when, patience, for_message](SmallWorld& all, Client& self) {
          self.sleep(when);
          Semaphore* const latch = channels->join(self, "c", patience);
          const auto note = [&](std::string_view what) {
            lines.push_back(std::to_string(all.milliseconds()) + " " + name + std::string(what));
          };
          note(latch != nullptr ? " hears" : " fails");
          if (latch == nullptr) return;
          note(latch->acquire(for_message) == Woken::by_permit ? " is woken" : " sleeps on");
          channels->leave(self, "c");
        });
  }
  void say(std::vector<Duration> times) {
    world.client(2, [this, times](SmallWorld& all, Client& self) {
      for (const Duration when : times) {
        self.sleep(sim::kStart + when - all.simulation.now());
        const std::string_view argv[] = {"PUBLISH", "c", "0"};
        heard_by.push_back(redis::server(self).call(Role::none, argv).integer);
      }
    });
  }
  void kill(sim::Thread& thread, Duration when) {
    world.client(1, [this, &thread, when](SmallWorld&, Client& self) {
      self.sleep(when);
      world.simulation.scheduler.threads().kill(thread);
    });
  }
  std::vector<std::string> subscriptions() const {
    std::vector<std::string> all = world.sent();
    std::erase_if(
        all, [](const std::string& line) { return line.find("SUBSCRIBE") == std::string::npos; });
    return all;
  }

  SmallWorld world{{.clients = 2, .tracing = true}};
  std::shared_ptr<Channels> channels = std::make_shared<Channels>(0);
  std::vector<std::string> lines;
  std::vector<std::int64_t> heard_by;
};

TEST_F(ChannelsTest, AreSubscribedOnceForAll) {
  join("A", 0s, 1s);
  join("B", 0s, 1s);
  join("C", 1s, 1s);
  say({2s, 2001ms, 2002ms, 3s});
  world.run();
  EXPECT_THAT(lines, ElementsAre("2 A hears", "2 B hears", "1000 C hears", "2001 A is woken",
                                 "2002 B is woken", "2003 C is woken"));
  EXPECT_THAT(subscriptions(),
              ElementsAre("0.001 redis-1 SUBSCRIBE c", "2.003 redis-1 UNSUBSCRIBE c"));
  EXPECT_THAT(heard_by, ElementsAre(1, 1, 1, 0));
}

// B's own patience lasts long enough, and A's failure does not affect C.
TEST_F(ChannelsTest, FailNobodyButWhoeverIsOutOfPatience) {
  join("A", 0s, 1s);
  join("B", 500ms, 5s);
  join("C", 2500ms, 5s);
  say({7s, 7500ms});
  world.run({fault_at(0s, sim::Verb::pause, "redis-1", 2s)});
  EXPECT_THAT(lines, ElementsAre("1000 A fails", "2000 B hears", "2500 C hears", "7001 B is woken",
                                 "7501 C is woken"));
  EXPECT_EQ(heard_by, (std::vector<std::int64_t>{1, 1}));
}

TEST_F(ChannelsTest, KeepNobodyWaitingLongerThanItsPatience) {
  join("A", 0s, 5s);
  join("B", 500ms, 1s);
  join("C", 600ms, 0s);
  world.run({fault_at(0s, sim::Verb::pause, "redis-1", 60s)});
  EXPECT_THAT(lines, ElementsAre("600 C fails", "1500 B fails", "5000 A fails"));
}

TEST_F(ChannelsTest, CountNobodyWhoIsKilledWhileHeSubscribes) {
  kill(join("A", 0s, 5s), 500ms);
  join("B", 2s, 1s, 1s);
  say({4s});
  world.run({fault_at(0s, sim::Verb::pause, "redis-1", 1s)});
  EXPECT_THAT(lines, ElementsAre("2001 B hears", "3001 B sleeps on"));
  EXPECT_THAT(heard_by, ElementsAre(0));
}

TEST_F(ChannelsTest, AreSubscribedByTheNextWhereOneIsKilledWhileHeSubscribes) {
  kill(join("A", 0s, 5s), 500ms);
  join("B", 100ms, 5s);
  join("C", 200ms, 5s);
  say({3s, 3001ms});
  world.run({fault_at(0s, sim::Verb::pause, "redis-1", 1s)});
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[2], "3001 B is woken");
  EXPECT_EQ(lines[3], "3002 C is woken");
  EXPECT_EQ(subscriptions().size(), 3U);
}

}  // namespace
}  // namespace picklock::models::locks::redisson::channels_tests
