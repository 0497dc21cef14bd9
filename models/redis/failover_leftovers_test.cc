// A failover loses scripts and messages to subscribers.
#include <gmock/gmock.h>

#include "testing/redis/replicated_servers.h"

namespace picklock::redis::failover_leftovers_tests {
namespace {

using namespace std::chrono_literals;

// R81: the writes of a script are replicated, the script is not.
TEST(Failover, LeavesTheScriptCacheBehind) {
  ReplicatedServers redis;
  std::string sha;
  std::string loaded;
  std::string run;
  redis.at(1s, [&] {
    redis.say(1, "EVAL", "return redis.call('set', KEYS[1], 'a')", "1", "k");
    sha = redis.say(1, "SCRIPT", "LOAD", "return 1").substr(5, 40);
  });
  redis.at(2s, [&] {
    redis.say(2, "REPLICAOF", "NO", "ONE");
    loaded = redis.say(2, "EVALSHA", sha, "0");
    run = redis.say(2, "GET", "k");
  });
  redis.run(3s);
  EXPECT_EQ(loaded, "-NOSCRIPT No matching script. Please use EVAL.\r\n");
  EXPECT_EQ(run, "$1\r\na\r\n");
}

// R92: its reply does not count subscribers of other servers.
TEST(Publish, ReachesSubscribersOfReplicasAndIsNotToldOfThem) {
  ReplicatedServers redis;
  Session* listener = nullptr;
  std::string counted;
  redis.at(1s, [&] {
    listener = &redis.server(2).connect();
    redis.say_on(*listener, "SUBSCRIBE", "news");
  });
  redis.at(2s, [&] { counted = redis.say(1, "PUBLISH", "news", "free"); });
  redis.run(3s);
  EXPECT_EQ(counted, ":0\r\n");
  EXPECT_EQ(listener->unasked, "*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$4\r\nfree\r\n");
}

TEST(Publish, AtAReplicaStaysThere) {  // R92
  ReplicatedServers redis;
  Session* at_master = nullptr;
  Session* at_replica = nullptr;
  std::string counted;
  redis.at(1s, [&] {
    at_master = &redis.server(1).connect();
    at_replica = &redis.server(2).connect();
    redis.say_on(*at_master, "SUBSCRIBE", "news");
    redis.say_on(*at_replica, "SUBSCRIBE", "news");
    counted = redis.say(2, "PUBLISH", "news", "free");
  });
  redis.run(3s);
  EXPECT_EQ(counted, ":1\r\n");
  EXPECT_EQ(at_master->unasked, "");
  EXPECT_THAT(at_replica->unasked, testing::HasSubstr("free"));
}

// No server sends the messages again.
TEST(Publish, IsLostToThoseWhoseServerIsReplaced) {
  ReplicatedServers redis;
  Session* listener = nullptr;
  std::string counted;
  redis.at(1s, [&] {
    listener = &redis.server(1).connect();
    redis.say_on(*listener, "SUBSCRIBE", "news");
  });
  redis.at(2s, [&] { redis.say(2, "REPLICAOF", "NO", "ONE"); });
  redis.at(3s, [&] { counted = redis.say(2, "PUBLISH", "news", "free"); });
  redis.run(4s);
  EXPECT_EQ(counted, ":0\r\n");
  EXPECT_EQ(listener->unasked, "");
}

}  // namespace
}  // namespace picklock::redis::failover_leftovers_tests
