// Clients that wait for an element of a list (R127). Those in WAIT: replication_test.cc.
#include "models/redis/blocked_clients.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "models/redis/lone_server.h"

namespace picklock::redis::blocked_clients_tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::string_view kWaits;  // no answer yet

std::string popped(std::string_view key, std::string_view element) {
  std::string text = "*2\r\n";
  for (const std::string_view word : {key, element})
    text += "$" + std::to_string(word.size()) + "\r\n" + std::string(word) + "\r\n";
  return text;
}

// A server with a client that waits, beside the one of the server's own.
struct Waiting {
  template <typename... Words>
  std::string say(Session& session, const Words&... words) {
    const std::string_view argv[] = {words...};
    return redis.send(session, argv);
  }
  template <typename... Words>
  std::string wait(const Words&... words) {
    return say(waiter, words...);
  }
  std::string heard() { return LoneServer::pushed(waiter); }

  LoneServer redis;
  Session& waiter = redis.connect();
};

TEST(BlockedClients, AreGivenTheElementThatIsPushed) {
  Waiting world;
  EXPECT_EQ(world.wait("BLPOP", "k", "0"), kWaits);
  EXPECT_EQ(world.heard(), kWaits);
  EXPECT_EQ(world.redis("RPUSH", "k", "a", "b"), ":2\r\n");
  EXPECT_EQ(world.heard(), popped("k", "a"));
  EXPECT_EQ(world.redis("LRANGE", "k", "0", "-1"), "*1\r\n$1\r\nb\r\n");
  EXPECT_EQ(world.wait("BRPOP", "k", "0"), popped("k", "b")) << "it need not wait";
  EXPECT_EQ(world.redis("EXISTS", "k"), ":0\r\n");
}

TEST(BlockedClients, AreServedInTheOrderInWhichTheyCame) {
  Waiting world;
  Session& second = world.redis.connect();
  world.wait("BLPOP", "k", "0");
  world.say(second, "BLPOP", "k", "0");
  world.redis("RPUSH", "k", "a");
  EXPECT_EQ(world.heard(), popped("k", "a"));
  EXPECT_EQ(LoneServer::pushed(second), kWaits);
  world.redis("RPUSH", "k", "b", "c");
  EXPECT_EQ(LoneServer::pushed(second), popped("k", "b"));
}

TEST(BlockedClients, AreServedAfterTheTransactionFromTheListThatCameFirst) {
  Waiting world;
  world.wait("BLPOP", "k1", "k2", "0");
  for (const std::vector<std::string_view>& words : std::vector<std::vector<std::string_view>>{
           {"MULTI"}, {"RPUSH", "k2", "a"}, {"RPUSH", "k1", "b"}, {"LPUSH", "k2", "c"}}) {
    world.redis.send(words);
    EXPECT_EQ(world.heard(), kWaits);
  }
  EXPECT_EQ(world.redis("EXEC"), "*3\r\n:1\r\n:1\r\n:2\r\n");
  EXPECT_EQ(world.heard(), popped("k2", "c"));
}

TEST(BlockedClients, GoOnWaitingIfTheListIsGoneAgain) {
  Waiting world;
  world.wait("BLPOP", "k", "0");
  world.redis("MULTI");
  world.redis("RPUSH", "k", "a");
  world.redis("DEL", "k");
  world.redis("EXEC");
  world.redis("SET", "k", "text");
  EXPECT_EQ(world.heard(), kWaits);
  world.redis("RPUSH", "other", "a");
  world.redis("RENAME", "other", "k");
  EXPECT_EQ(world.heard(), popped("k", "a"));
}

TEST(BlockedClients, AreServedByWhatMakesAListInAnyOtherWay) {
  Waiting world;
  const auto waits = [&] { EXPECT_EQ(world.wait("BLPOP", "k", "0"), kWaits); };
  waits();
  world.redis("RPUSH", "other", "a");
  world.redis("COPY", "other", "k");
  EXPECT_EQ(world.heard(), popped("k", "a"));
  waits();
  world.redis("LMOVE", "other", "k", "LEFT", "LEFT");
  EXPECT_EQ(world.heard(), popped("k", "a"));
  waits();
  world.redis("SELECT", "1");
  world.redis("RPUSH", "k", "b");
  EXPECT_EQ(world.heard(), kWaits) << "it is in another database";
  world.redis("MOVE", "k", "0");
  EXPECT_EQ(world.heard(), popped("k", "b"));
  waits();
  world.redis("RPUSH", "k", "c");
  world.redis("SWAPDB", "0", "1");
  EXPECT_EQ(world.heard(), popped("k", "c"));
}

TEST(BlockedClients, AreServedWithWhatTheyHaveSentMeanwhile) {
  Waiting world;
  world.wait("BLPOP", "k", "0");
  EXPECT_EQ(world.wait("BLPOP", "k", "0"), kWaits);
  EXPECT_EQ(world.wait("PING"), kWaits);
  world.redis("RPUSH", "k", "a", "b");
  EXPECT_EQ(world.heard(), popped("k", "a") + popped("k", "b") + "+PONG\r\n");
}

TEST(BlockedClients, DoNotWaitInATransaction) {
  Waiting world;
  world.wait("MULTI");
  world.wait("BLPOP", "k", "0");
  EXPECT_EQ(world.wait("EXEC"), "*1\r\n*-1\r\n");
}

TEST(BlockedClients, AreAnsweredWhenTheirTimeIsUp) {
  Waiting world;
  sim::Scheduler& scheduler = world.redis.simulation.scheduler;
  scheduler.threads().spawn(
      *world.redis.process,
      [&] {
        world.wait("BLPOP", "k", "0.5");
        scheduler.sleep(499ms);
        EXPECT_EQ(world.heard(), kWaits);
        scheduler.sleep(101ms);  // the server looks at it ten times a second
        EXPECT_EQ(world.heard(), "*-1\r\n");
      },
      true);
  scheduler.run();
}

TEST(BlockedClients, AreUnblockedByAnotherClient) {
  Waiting world;
  const std::string id = std::to_string(world.waiter.id);
  EXPECT_EQ(world.redis("CLIENT", "UNBLOCK", id), ":0\r\n");
  world.wait("BLPOP", "k", "0");
  EXPECT_EQ(world.redis("CLIENT", "UNBLOCK", id), ":1\r\n");
  EXPECT_EQ(world.heard(), "*-1\r\n");
  world.wait("BLPOP", "k", "0");
  EXPECT_EQ(world.redis("CLIENT", "UNBLOCK", id, "ERROR"), ":1\r\n");
  EXPECT_EQ(world.heard(), "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n");
  EXPECT_EQ(world.redis("CLIENT", "UNBLOCK", id), ":0\r\n");
}

TEST(BlockedClients, AreForgottenWithTheirConnection) {
  Waiting world;
  world.wait("BLPOP", "k", "0");
  world.redis.disconnect(world.waiter);
  EXPECT_EQ(world.redis("RPUSH", "k", "a"), ":1\r\n");
  EXPECT_EQ(world.redis("LLEN", "k"), ":1\r\n");
}

TEST(BlockedClients, GiveATimeThatTheServerCanRead) {
  LoneServer redis;
  for (const std::string_view bad : {"abc", "", "nan", " 1"})
    EXPECT_EQ(redis("BLPOP", "k", bad), "-ERR timeout is not a float or out of range\r\n") << bad;
  for (const std::string_view bad : {"-1", "inf", "1e300"})
    EXPECT_EQ(redis("BLPOP", "k", bad), "-ERR timeout is negative\r\n") << bad;
  redis("SET", "text", "a");
  EXPECT_THAT(redis("BLPOP", "k", "text", "0"), HasSubstr("WRONGTYPE"));
}

}  // namespace
}  // namespace picklock::redis::blocked_clients_tests
