#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "models/redis/lone_server.h"

namespace picklock::redis::keyspace_events_tests {
namespace {

using namespace std::chrono_literals;

constexpr const char* kOfKey =
    "*3\r\n$7\r\nmessage\r\n$16\r\n__keyspace@0__:k\r\n$7\r\nexpired\r\n";
constexpr const char* kOfEvent =
    "*3\r\n$7\r\nmessage\r\n$22\r\n__keyevent@0__:expired\r\n$1\r\nk\r\n";

// A server on which virtual time passes, and a subscriber of both channels.
class Events : public LoneServer {
 public:
  explicit Events(std::string_view letters) {
    EXPECT_EQ((*this)("CONFIG", "SET", "notify-keyspace-events", letters), "+OK\r\n");
    const std::string_view argv[] = {"SUBSCRIBE", "__keyspace@0__:k", "__keyevent@0__:expired"};
    send(listener_, argv);
    pushed();
  }
  void run(const std::function<void()>& body) {
    simulation.scheduler.threads().spawn(*process, body, true);
    simulation.scheduler.run();
  }
  void sleep(sim::Duration length) { simulation.scheduler.sleep(length); }
  std::string pushed() { return LoneServer::pushed(listener_); }

 private:
  Session& listener_ = connect();
};

// R125: the event comes when the key leaves memory, by the cycle, and not at its deadline.
TEST(KeyspaceEvents, AKeyThatTheCycleForgetsIsPublishedThen) {
  Events redis("KEx");
  std::string seen;
  std::string size;
  int waited = 0;
  redis.run([&] {
    redis("SET", "k", "v", "PX", "10");
    for (; seen.empty() && waited < 1000; ++waited) {
      redis.sleep(1ms);
      seen = redis.pushed();
    }
    size = redis("DBSIZE");
  });
  EXPECT_EQ(seen, std::string(kOfKey) + kOfEvent);
  EXPECT_GE(waited, 10);
  EXPECT_LE(waited, 110);
  EXPECT_EQ(size, ":0\r\n");
}

// R23, R125: a command that comes upon the dead key publishes it at once.
TEST(KeyspaceEvents, ACommandThatTouchesADeadKeyPublishesIt) {
  for (const char* command : {"GET", "EXISTS", "DEL"}) {
    Events redis("KEx");
    redis("SET", "k", "v", "PX", "10");
    redis.pass(20ms);
    EXPECT_EQ(redis.pushed(), "");
    redis(command, "k");
    EXPECT_EQ(redis.pushed(), std::string(kOfKey) + kOfEvent) << command;
  }
  Events redis("KEx");
  redis("SET", "k", "v", "PX", "10");
  redis.pass(20ms);
  redis("SET", "k", "w");
  EXPECT_EQ(redis.pushed(), std::string(kOfKey) + kOfEvent);
}

TEST(KeyspaceEvents, OnlyWhatIsConfiguredIsPublished) {
  const auto pushed_with = [](std::string_view letters) {
    Events redis(letters);
    redis("SET", "k", "v", "PX", "10");
    redis.pass(20ms);
    redis("GET", "k");
    return redis.pushed();
  };
  EXPECT_EQ(pushed_with(""), "");
  EXPECT_EQ(pushed_with("KE"), "");
  EXPECT_EQ(pushed_with("x"), "");
  EXPECT_EQ(pushed_with("Kx"), kOfKey);
  EXPECT_EQ(pushed_with("Ex"), kOfEvent);
}

// A key that is deleted, also by a deadline in the past, has not expired (R125).
TEST(KeyspaceEvents, AKeyThatIsDeletedIsNoExpiredOne) {
  Events redis("KEx");
  redis("SET", "k", "v", "PX", "10");
  redis("DEL", "k");
  redis("SET", "k", "v");
  redis("PEXPIRE", "k", "-1");
  redis.pass(20ms);
  redis("GET", "k");
  EXPECT_EQ(redis.pushed(), "");
}

TEST(KeyspaceEvents, TheClassesThatTheModelLacksAreRefused) {
  LoneServer redis;
  redis("CONFIG", "SET", "notify-keyspace-events", "EKx");
  EXPECT_EQ(redis("CONFIG", "GET", "notify-keyspace-events"),
            "*2\r\n$22\r\nnotify-keyspace-events\r\n$3\r\nxKE\r\n");
  const std::string refused =
      "-ERR CONFIG SET failed (possibly related to argument 'notify-keyspace-events') - ";
  EXPECT_EQ(redis("CONFIG", "SET", "notify-keyspace-events", "KEq"),
            refused + "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.\r\n");
  EXPECT_EQ(redis("CONFIG", "SET", "notify-keyspace-events", "KEA"),
            refused + "the model knows only the events of class 'x'\r\n");
}

}  // namespace
}  // namespace picklock::redis::keyspace_events_tests
