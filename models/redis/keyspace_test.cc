#include "models/redis/keyspace.h"

#include <gmock/gmock.h>

#include "testing/redis/command_example.h"
#include "testing/small_world.h"

namespace picklock::redis::keyspace_tests {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;

// ---------------------------------------------------------------- what is dead

// R13: alive at its deadline, dead a millisecond later.
TEST(Expiry, IsInclusiveOfTheDeadlineItself) {
  LoneServer redis;
  redis("SET", "k", "v", "PX", "20");
  redis.pass(20ms);
  EXPECT_EQ(redis("PTTL", "k"), ":0\r\n");
  EXPECT_EQ(redis("GET", "k"), "$1\r\nv\r\n");
  redis.pass(1ms - 1ns);
  EXPECT_EQ(redis("EXISTS", "k"), ":1\r\n");
  redis.pass(1ns);
  EXPECT_EQ(redis("EXISTS", "k"), ":0\r\n");
}

// Two keys, a string and a hash, that have died and are still in memory.
void leave_dead(LoneServer& redis) {
  redis("SET", "k", "9", "PX", "20");
  redis("HSET", "h", "f", "9");
  redis("PEXPIRE", "h", "20");
  redis.pass(21ms);
}

class DeadKey : public testing::TestWithParam<Example> {};

INSTANTIATE_TEST_SUITE_P(
    R16, DeadKey,
    testing::Values(
        Example{"R16", {}, {"GET", "k"}, kNil}, Example{"R16", {}, {"EXISTS", "k"}, ":0\r\n"},
        Example{"R16", {}, {"TYPE", "k"}, "+none\r\n"}, Example{"R16", {}, {"DEL", "k"}, ":0\r\n"},
        Example{"R16", {}, {"TTL", "k"}, ":-2\r\n"}, Example{"R16", {}, {"PERSIST", "k"}, ":0\r\n"},
        Example{"R16", {}, {"PEXPIRE", "k", "1000"}, ":0\r\n"},
        Example{"R16", {}, {"SET", "k", "w", "NX"}, kOk},
        Example{"R16", {}, {"SET", "k", "w", "NX", "GET"}, kNil},
        Example{"R16", {}, {"SET", "k", "w", "XX"}, kNil},
        Example{"R16", {{"SET", "k", "w", "KEEPTTL"}}, {"PTTL", "k"}, ":-1\r\n"},
        Example{"R16", {}, {"INCR", "k"}, ":1\r\n"},
        Example{"R16", {{"INCR", "k"}}, {"PTTL", "k"}, ":-1\r\n"},
        Example{"R16", {}, {"HINCRBY", "h", "f", "1"}, ":1\r\n"},
        Example{"R16", {{"HINCRBY", "h", "f", "1"}}, {"PTTL", "h"}, ":-1\r\n"},
        Example{"R16", {}, {"APPEND", "k", "ab"}, ":2\r\n"},
        Example{"R16", {}, {"RENAME", "k", "j"}, "-ERR no such key\r\n"},
        Example{"R16", {}, {"GETDEL", "k"}, kNil},
        Example{"R16", {}, {"LPUSH", "k", "a"}, ":1\r\n"},
        Example{"R16", {}, {"KEYS", "*"}, "*0\r\n"},
        Example{"R16", {}, {"SCAN", "0"}, "*2\r\n$1\r\n0\r\n*0\r\n"},
        Example{"R16", {}, {"RANDOMKEY"}, kNil},
        Example{"R16",
                {},
                {"EVAL", "return redis.call('get',KEYS[1]) == '9' and 1 or 0", "1", "k"},
                ":0\r\n"}));

TEST_P(DeadKey, LooksAbsentToEveryCommand) {
  LoneServer redis;
  leave_dead(redis);
  for (const Words& command : GetParam().before) redis.send(command);
  EXPECT_EQ(redis.send(GetParam().command), GetParam().reply);
}

// R16 and R28: a command that counts keys without touching them counts dead ones too.
TEST(DeadKeys, AreCountedUntilSomethingTouchesThem) {
  LoneServer redis;
  leave_dead(redis);
  EXPECT_EQ(redis("DBSIZE"), ":2\r\n");
  redis("KEYS", "*");
  EXPECT_EQ(redis("DBSIZE"), ":2\r\n");
  redis("EXISTS", "k");
  EXPECT_EQ(redis("DBSIZE"), ":1\r\n");
  redis("SCAN", "0");
  EXPECT_EQ(redis("DBSIZE"), ":0\r\n");
}

TEST(DeadKeys, AreOfTheTypeNoneForAScanThatAsksForIt) {
  LoneServer redis;
  leave_dead(redis);
  EXPECT_EQ(redis("SCAN", "0", "MATCH", "k", "TYPE", "none"), "*2\r\n$1\r\n0\r\n*1\r\n$1\r\nk\r\n");
}

// R11: unlike PEXPIREAT (R10), SET stores a key that is already dead.
TEST(DeadKeys, CanBeSet) {
  LoneServer redis;
  redis("SET", "k", "v", "PXAT", "1");
  EXPECT_EQ(redis("DBSIZE"), ":1\r\n");
  EXPECT_EQ(redis("GET", "k"), kNil);
  EXPECT_EQ(redis("DBSIZE"), ":0\r\n");
  redis("SET", "k", "v");
  redis("PEXPIREAT", "k", "1");
  EXPECT_EQ(redis("DBSIZE"), ":0\r\n");
}

TEST(Expiry, FollowsTheServersOwnClock) {  // R28
  LoneServer redis;
  redis("SET", "k", "v", "PX", "10000");
  redis.pass(8s);
  EXPECT_EQ(redis("PTTL", "k"), ":2000\r\n");
  redis.pass(-30s);
  EXPECT_EQ(redis("PTTL", "k"), ":32000\r\n");
  redis.pass(42s);
  EXPECT_EQ(redis("PTTL", "k"), ":-2\r\n");
}

// ---------------------------------------------------------------- when the dead are forgotten

// A server on which virtual time passes.
class Timeline : public LoneServer {
 public:
  void run(const std::function<void()>& body) {
    simulation.scheduler.threads().spawn(*process, body, true);
    simulation.scheduler.run();
  }
  void sleep(Duration length) { simulation.scheduler.sleep(length); }

  std::int64_t size() {
    const std::string reply = (*this)("DBSIZE");  // :12\r\n
    std::int64_t count = -1;
    strict_integer(std::string_view(reply).substr(1, reply.size() - 3), count);
    return count;
  }
  // Sets `count` keys: the prefix and 0, 1, ...
  void set(std::string_view prefix, int count, std::string_view ttl) {
    for (int i = 0; i < count; ++i)
      (*this)("SET", std::string(prefix) + std::to_string(i), "v", "PX", ttl);
  }
  // The time in ms, at most 2 s, until no more than `left` keys are left.
  std::int64_t milliseconds_until(std::int64_t left) {
    std::int64_t waited = 0;
    for (; size() > left && waited < 2000; ++waited) sleep(1ms);
    return waited;
  }
};

// R20: at its deadline it is dead, and some time in the next 100 ms it is out of memory.
TEST(Cycle, ForgetsALoneKeyWithinATenthOfASecond) {
  Timeline redis;
  std::vector<std::int64_t> late;
  redis.run([&] {
    for (int i = 0; i < 30; ++i) {
      redis.sleep(i * 7ms);
      redis("SET", "k", "v", "PX", "20");
      redis.sleep(21ms);
      late.push_back(redis.milliseconds_until(0));
    }
  });
  EXPECT_THAT(late, testing::Each(AllOf(Ge(0), Le(100))));
  EXPECT_LT(*std::min_element(late.begin(), late.end()), 20);
  EXPECT_GT(*std::max_element(late.begin(), late.end()), 80);
}

TEST(Cycle, ForgetsAThousandKeysAtOnce) {  // R21
  Timeline redis;
  std::int64_t first = 0;
  std::int64_t last = 0;
  redis.run([&] {
    redis.set("k", 1000, "20");
    redis.sleep(21ms);
    first = redis.milliseconds_until(999);
    last = first + redis.milliseconds_until(0);
  });
  EXPECT_LE(first, 100);
  EXPECT_EQ(last, first);
}

TEST(Cycle, ForgetsTwentyThousandKeysInSeveralTurns) {  // R21
  Timeline redis;
  std::int64_t first = 0;
  std::int64_t last = 0;
  redis.run([&] {
    redis.set("k", 20'000, "20");
    redis.sleep(21ms);
    first = redis.milliseconds_until(19'999);
    last = first + redis.milliseconds_until(0);
  });
  EXPECT_LE(first, 100);
  EXPECT_THAT(last, AllOf(Ge(200), Le(500)));
}

// R22: the real server forgot none in 25 s. In that time it looks at five thousand of the keys, of
// which one is dead on average.
TEST(Cycle, LeavesFewDeadKeysAmongManyLivingOnesForLong) {
  Timeline redis;
  redis.run([&] {
    redis.set("short", 20, "20");
    redis.set("long", 100'000, "3600000");
    redis.sleep(25s);
    EXPECT_GE(redis.size(), 100'015);
    EXPECT_EQ(redis("MGET", "short0", "short19"), "*2\r\n$-1\r\n$-1\r\n");
  });
}

// Twenty keys are all checked in every cycle, regardless of where the dead ones are.
TEST(Cycle, LeavesNoneAmongTwenty) {
  Timeline redis;
  redis.run([&] {
    redis.set("long", 9, "3600000");
    redis.set("short", 2, "20");
    redis.set("longer", 9, "7200000");
    redis.sleep(21ms + 100ms);
    EXPECT_EQ(redis.size(), 18);
  });
}

TEST(DeadKeys, AreForgottenWhenTheyAreRead) {  // R23
  Timeline redis;
  redis("DEBUG", "SET-ACTIVE-EXPIRE", "0");
  redis.run([&] {
    redis.set("k", 2, "20");
    redis.sleep(10s);
    EXPECT_EQ(redis.size(), 2);
    redis("GET", "k0");
    EXPECT_EQ(redis.size(), 1);
    redis("DEBUG", "SET-ACTIVE-EXPIRE", "1");
    redis.sleep(100ms);
    EXPECT_EQ(redis.size(), 0);
  });
}

TEST(DeadKeys, DieWithoutAMessageToAnybody) {  // R24
  Timeline redis;
  Session& waiter = redis.connect();
  redis.send(waiter, Words{"PSUBSCRIBE", "*"});
  redis.run([&] {
    redis("SET", "k", "v", "PX", "20");
    redis.sleep(1s);
    EXPECT_EQ(redis.size(), 0);
  });
  EXPECT_EQ(LoneServer::pushed(waiter), "");
}

std::uint64_t events_of(std::string_view ttl, Duration length) {
  Timeline redis;
  redis.run([&] {
    redis("SET", "k", "v", "PX", ttl);
    redis.sleep(length);
  });
  return redis.simulation.scheduler.record().events();
}

TEST(Cycle, TakesNoEventsWhereNoKeyHasDied) {
  EXPECT_EQ(events_of("3600000", 600s), events_of("3600000", 1s));
}

TEST(Cycle, TakesOneEventForALoneKeyThatHasDied) {
  // The death of the key is another event.
  EXPECT_EQ(events_of("1000", 600s), events_of("3600000", 600s) + 2);
}

// ---------------------------------------------------------------- whose the entry is

std::vector<std::string> effects_of(std::vector<Words> by_one, std::vector<Words> by_two) {
  models::SmallWorld world{models::SmallWorld::Setup{.clients = 2}};
  for (std::uint32_t number : {1u, 2u}) {
    world.client(number, [&, number](models::SmallWorld&, auto& self) {
      self.sleep(number * 1s);
      for (const Words& command : number == 1 ? by_one : by_two)
        redis::server(self).call(Role::none, command);
    });
  }
  world.run();
  return world.effects();
}

TEST(Owner, IsWhoMadeTheHashAndNotWhoCountsInIt) {
  EXPECT_THAT(effects_of({{"HINCRBY", "lock", "one", "1"}},
                         {{"HINCRBY", "lock", "two", "1"}, {"HDEL", "lock", "one", "two"}}),
              ElementsAre("1.0005 entry created command by 1 of 0",
                          "2.0005 entry altered command by 2 of 1",
                          "2.0015 entry removed command by 2 of 1"));
}

TEST(Owner, IsWhoSetTheStringAnewAndNotWhoAddedToIt) {
  EXPECT_THAT(effects_of({{"SET", "lock", "1"}},
                         {{"INCR", "lock"}, {"GETSET", "lock", "2"}, {"DEL", "lock"}}),
              ElementsAre("1.0005 entry created command by 1 of 0",
                          "2.0005 entry altered command by 2 of 1",
                          "2.0015 entry altered command by 2 of 1",
                          "2.0025 entry removed command by 2 of 2"));
}

TEST(Owner, OfARenamedEntryIsWhoRenamedIt) {
  EXPECT_THAT(effects_of({{"SET", "other", "1"}, {"RENAME", "other", "lock"}}, {{"DEL", "lock"}}),
              ElementsAre("1.0005 entry created command by 1 of 0",
                          "1.0015 entry created command by 1 of 0",
                          "1.0015 entry removed command by 1 of 1",
                          "2.0005 entry removed command by 2 of 1"));
}

// ---------------------------------------------------------------- what counts as a change

struct Change {
  std::vector<Words> before;
  Words command;
  bool noticed = false;
};

void PrintTo(const Change& change, std::ostream* out) {
  for (std::string_view word : change.command) *out << " '" << word << '\'';
}

class Watched : public testing::TestWithParam<Change> {};

// A change counts if it makes the real server fail the EXEC of a client that watches the key.
TEST_P(Watched, ChangesAreThoseThatTheRealServerSignals) {
  LoneServer redis;
  Session& watcher = redis.connect();
  for (const Words& command : GetParam().before) redis.send(command);
  redis.send(watcher, Words{"WATCH", "k"});
  redis.send(GetParam().command);
  redis.send(watcher, Words{"MULTI"});
  EXPECT_EQ(redis.send(watcher, Words{"EXEC"}), GetParam().noticed ? "*-1\r\n" : "*0\r\n");
}

const std::vector<Words> kString = {{"SET", "k", "1"}};
const std::vector<Words> kLeased = {{"SET", "k", "1", "EX", "100"}};
const std::vector<Words> kHash = {{"HSET", "k", "f", "1"}};
const std::vector<Words> kList = {{"RPUSH", "k", "a", "b"}};
const std::vector<Words> kSet = {{"SADD", "k", "a", "b"}};
const std::vector<Words> kSorted = {{"ZADD", "k", "1", "a", "2", "b"}};

INSTANTIATE_TEST_SUITE_P(
    Noticed, Watched,
    testing::Values(
        Change{kString, {"SET", "k", "1"}, true}, Change{{}, {"SETNX", "k", "1"}, true},
        Change{kString, {"GETEX", "k", "EX", "9"}, true},
        Change{kLeased, {"GETEX", "k", "PERSIST"}, true},
        Change{kString, {"APPEND", "k", ""}, true}, Change{kString, {"INCRBY", "k", "0"}, true},
        Change{kString, {"GETDEL", "k"}, true}, Change{kString, {"DEL", "k"}, true},
        Change{kString, {"RENAME", "k", "j"}, true},
        Change{{{"SET", "j", "1"}}, {"RENAME", "j", "k"}, true},
        Change{kString, {"EXPIRE", "k", "100"}, true}, Change{kString, {"EXPIRE", "k", "-1"}, true},
        Change{kLeased, {"PERSIST", "k"}, true}, Change{kHash, {"HSET", "k", "f", "1"}, true},
        Change{kHash, {"HINCRBY", "k", "f", "0"}, true}, Change{kHash, {"HDEL", "k", "f"}, true},
        Change{kList, {"LSET", "k", "0", "a"}, true},
        Change{kList, {"LTRIM", "k", "0", "-1"}, true}, Change{kList, {"LPOP", "k", "1"}, true},
        Change{kSet, {"SREM", "k", "a"}, true}, Change{kSorted, {"ZADD", "k", "3", "a"}, true},
        Change{kSorted, {"ZPOPMIN", "k"}, true}, Change{kString, {"FLUSHALL"}, true}));

INSTANTIATE_TEST_SUITE_P(
    NotNoticed, Watched,
    testing::Values(
        Change{kString, {"GET", "k"}}, Change{kString, {"SET", "k", "2", "NX"}},
        Change{{}, {"SET", "k", "2", "XX"}}, Change{kString, {"MSETNX", "j", "1", "k", "1"}},
        Change{kString, {"GETEX", "k", "PERSIST"}}, Change{kString, {"SETRANGE", "k", "0", ""}},
        Change{kHash, {"INCR", "k"}}, Change{{}, {"DEL", "k"}},
        Change{kString, {"RENAME", "k", "k"}}, Change{kString, {"RENAMENX", "k", "k"}},
        Change{kString, {"PERSIST", "k"}}, Change{kLeased, {"EXPIRE", "k", "100", "NX"}},
        Change{kHash, {"HSETNX", "k", "f", "2"}}, Change{kHash, {"HDEL", "k", "g"}},
        Change{{}, {"LPUSHX", "k", "a"}}, Change{kList, {"LPOP", "k", "0"}},
        Change{kList, {"LREM", "k", "0", "z"}}, Change{kList, {"LSET", "k", "9", "a"}},
        Change{kSet, {"SADD", "k", "a"}}, Change{kSet, {"SREM", "k", "z"}},
        Change{kSorted, {"ZADD", "k", "1", "a"}}, Change{kSorted, {"ZINCRBY", "k", "0", "a"}},
        Change{kSorted, {"ZADD", "k", "GT", "0", "a"}}, Change{kSorted, {"ZREM", "k", "z"}},
        Change{kSorted, {"ZREMRANGEBYSCORE", "k", "8", "9"}},
        Change{{{"SET", "k", "1", "PXAT", "1"}}, {"GET", "k"}},
        Change{{{"SET", "k", "1", "PXAT", "1"}}, {"FLUSHALL"}}));

}  // namespace
}  // namespace picklock::redis::keyspace_tests
