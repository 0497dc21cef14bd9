// MONITOR (R126).
#include "models/redis/monitors.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "models/redis/lone_server.h"

namespace picklock::redis::monitors_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct World {
  World() {
    const std::string_view words[] = {"MONITOR"};
    EXPECT_EQ(redis.send(monitor, words), "+OK\r\n");
  }
  // The lines since the last call, without their times.
  std::vector<std::string> shown() {
    std::vector<std::string> lines;
    std::string text = LoneServer::pushed(monitor);
    while (!text.empty()) {
      const std::size_t end = text.find("\r\n");
      lines.push_back(text.substr(text.find('['), end - text.find('[')));
      text.erase(0, end + 2);
    }
    return lines;
  }

  LoneServer redis;
  Session& monitor = redis.connect();
  const std::string by = "[0 " + Connections::peer_address(*redis.first) + "] ";
};

TEST(Monitor, IsShownEveryCommandThatWasCarriedOut) {
  World world;
  world.redis("SET", "k", "a \"b\"\n\x01\xff");
  world.redis("nosuch");
  world.redis("GET");
  world.redis("GET", "k");
  world.redis("CONFIG", "GET", "hz");
  EXPECT_THAT(world.shown(), ElementsAre(world.by + R"("SET" "k" "a \"b\"\n\x01\xff")",
                                         world.by + R"("GET" "k")"));
}

TEST(Monitor, IsShownTheTimeOfTheServer) {
  World world;
  world.redis("PING");
  EXPECT_THAT(LoneServer::pushed(world.monitor),
              StartsWith("+" + std::to_string(world.redis.clock_ms() / 1000) + "."));
}

TEST(Monitor, IsShownTransactionsWhenTheyAreCarriedOut) {
  World world;
  world.redis("MULTI");
  world.redis("INCR", "k");
  EXPECT_THAT(world.shown(), ElementsAre(world.by + R"("MULTI")"));
  world.redis("EXEC");
  EXPECT_THAT(world.shown(), ElementsAre(world.by + R"("INCR" "k")", world.by + R"("EXEC")"));
}

TEST(Monitor, IsShownAScriptBeforeItsCommands) {
  World world;
  world.redis("EVAL", "return redis.call('get', KEYS[1])", "1", "k");
  EXPECT_THAT(world.shown(),
              ElementsAre(world.by + R"x("EVAL" "return redis.call('get', KEYS[1])" "1" "k")x",
                          R"([0 lua] "get" "k")"));
}

TEST(Monitor, IsNotShownPasswords) {
  World world;
  world.redis("AUTH", "name", "secret");
  world.redis("HELLO", "2", "AUTH", "name", "secret");
  EXPECT_THAT(world.shown(),
              ElementsAre(world.by + R"x("AUTH" "(redacted)" "(redacted)")x",
                          world.by + R"x("HELLO" "2" "AUTH" "(redacted)" "(redacted)")x"));
}

TEST(Monitor, MayNotTouchTheData) {
  World world;
  const auto say = [&](std::vector<std::string_view> words) {
    return world.redis.send(world.monitor, words);
  };
  EXPECT_EQ(say({"GET", "k"}), "-ERR Replica can't interact with the keyspace\r\n");
  EXPECT_THAT(say({"PING"}), StartsWith("+PONG\r\n+")) << "the answer, then the command";
  EXPECT_EQ(say({"RESET"}), "+RESET\r\n");
  EXPECT_EQ(say({"GET", "k"}), "$-1\r\n");
  world.redis("PING");
  EXPECT_THAT(world.shown(), IsEmpty());
}

TEST(Monitor, IsForgottenWithItsConnection) {
  World world;
  world.redis.disconnect(world.monitor);
  EXPECT_EQ(world.redis("PING"), "+PONG\r\n");
}

}  // namespace
}  // namespace picklock::redis::monitors_tests
