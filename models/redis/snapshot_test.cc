#include "models/redis/snapshot.h"

#include <gmock/gmock.h>

#include "models/redis/lone_server.h"

namespace picklock::redis::snapshot_tests {
namespace {

using namespace std::chrono_literals;

std::string copied(LoneServer& from, LoneServer& to) {
  sim::Payload bytes;
  take_snapshot(from.server.keyspace(), bytes);
  load_snapshot(bytes.view(), to.server.keyspace(), {});
  return std::string(bytes.view());
}

TEST(Snapshot, HoldsEveryTypeAsItWas) {
  LoneServer from, to;
  from("SET", "string", std::string_view("a\0b", 3));
  from("HSET", "hash", "f", "1", "g", "2");
  from("RPUSH", "list", "x", "", "z");
  from("SADD", "set", "10", "9");
  from("SADD", "words", "b", "a");
  from("ZADD", "zset", "1.5", "a", "-inf", "b", "-0", "c");
  copied(from, to);
  const std::vector<std::vector<std::string_view>> questions = {
      {"GET", "string"},   {"HGETALL", "hash"},   {"LRANGE", "list", "0", "-1"},
      {"SMEMBERS", "set"}, {"SMEMBERS", "words"}, {"ZRANGE", "zset", "0", "-1", "WITHSCORES"},
      {"DBSIZE"}};
  for (const std::vector<std::string_view>& question : questions)
    EXPECT_EQ(to.send(question), from.send(question)) << question.back();
}

TEST(Snapshot, KeepsDeadlinesDatabasesAndOwners) {
  LoneServer from, to;
  sim::Payload out;
  const std::string_view set[] = {"SET", "lock", "a", "PX", "1000"};
  from.server.execute(*from.first, set, out, from.tenures.begin());
  from("SELECT", "7");
  from("SET", "k", "v");
  copied(from, to);
  EXPECT_EQ(to("PTTL", "lock"), ":1000\r\n");
  EXPECT_EQ(to.server.keyspace().slot(0, "lock").owner, 1u);
  EXPECT_EQ(to("GET", "k"), "$-1\r\n");
  to("SELECT", "7");
  EXPECT_EQ(to("GET", "k"), "$1\r\nv\r\n");
}

TEST(Snapshot, HasDeadKeysThatNobodyHasForgotten) {
  LoneServer from, to;
  from("SET", "k", "v", "PX", "10");
  from.pass(11ms);
  EXPECT_THAT(copied(from, to), testing::HasSubstr("$1\r\nk\r\n"));
}

}  // namespace
}  // namespace picklock::redis::snapshot_tests
