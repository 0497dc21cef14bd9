#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/lone_server.h"
#include "models/redis/wire.h"
#include "models/servers/verbs.h"
#include "testing/redis/replicated_servers.h"

namespace picklock::redis::keyspace_events_tests {
namespace {

using namespace std::chrono_literals;

constexpr const char* kOfKey =
    "*3\r\n$7\r\nmessage\r\n$16\r\n__keyspace@0__:k\r\n$7\r\nexpired\r\n";
constexpr const char* kOfEvent =
    "*3\r\n$7\r\nmessage\r\n$22\r\n__keyevent@0__:expired\r\n$1\r\nk\r\n";

std::vector<std::string_view> words_of(std::string_view command) {
  std::vector<std::string_view> words;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = command.find(' ');
    words.push_back(command.substr(0, end));
    command.remove_prefix(end == std::string_view::npos ? command.size() : end + 1);
  }
  return words;
}

// The events that a listener to `__keyevent@*` was sent: `set k, move_to k in 1`.
std::string listed(std::string_view messages) {
  constexpr std::string_view kBegin = "__keyevent@";
  constexpr std::string_view kMiddle = "__:";
  std::string events;
  for (std::vector<std::string_view> words; take_request(messages, words);) {
    const std::string_view channel = words[2].substr(kBegin.size());
    const std::size_t at = channel.find(kMiddle);
    const std::string_view database = channel.substr(0, at);
    if (!events.empty()) events += ", ";
    events.append(channel.substr(at + kMiddle.size())).append(" ").append(words[3]);
    if (database != "0") events.append(" in ").append(database);
  }
  return events;
}

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

// A server with a listener to all events of these classes.
class Listened : public LoneServer {
 public:
  explicit Listened(std::string_view letters) {
    (*this)("CONFIG", "SET", "notify-keyspace-events", letters);
    const std::string_view argv[] = {"PSUBSCRIBE", "__keyevent@*"};
    send(listener_, argv);
    events();
  }
  // Sends a command without looking at its answer.
  void say(Session& session, std::string_view command) { send(session, words_of(command)); }
  std::string events() { return listed(pushed(listener_)); }
  // Returns the events that the command has caused.
  std::string after(std::string_view command) {
    say(*first, command);
    return events();
  }

 private:
  Session& listener_ = connect();
};

struct Row {
  std::string_view command;
  std::string_view events;
};

// One command after the other, on a server that is empty before.
void expect_events(std::initializer_list<Row> rows) {
  Listened redis("EAmn");
  for (const Row& row : rows) EXPECT_EQ(redis.after(row.command), row.events) << row.command;
}

// R125, as the lists of events below: the real server sends these, in this order.
TEST(KeyspaceEvents, CommandsOnStringsPublishTheirEvents) {
  expect_events({
      {"SET k a", "new k, set k"},
      {"SET k b", "set k"},
      {"SET k c KEEPTTL", "set k"},
      {"SET k d EX 10", "set k, expire k"},
      {"SET k e NX", ""},
      {"SETNX k e", ""},
      {"SETNX n e", "new n, set n"},
      {"SETEX k 10 f", "set k, expire k"},
      {"PSETEX k 10 f", "set k, expire k"},
      {"GETSET k 1", "set k"},
      {"MSET k 2 m 3", "set k, new m, set m"},
      {"MSETNX k 2 o 3", ""},
      {"MSETNX o 2 p 3", "new o, set o, new p, set p"},
      {"APPEND k 4", "append k"},
      {"APPEND q 4", "new q, append q"},
      {"SETRANGE k 0 5", "setrange k"},
      {"INCR k", "incrby k"},
      {"DECRBY k 2", "incrby k"},
      {"INCRBYFLOAT k 1.5", "incrbyfloat k"},
      {"SETBIT r 7 1", "new r, setbit r"},
      {"SETBIT r 7 1", ""},
      {"GETEX k EX 10", "expire k"},
      {"GETEX k PERSIST", "persist k"},
      {"GETEX k PERSIST", ""},
      {"GETEX k PXAT 1", "del k"},
      {"GETDEL m", "del m"},
  });
}

TEST(KeyspaceEvents, CommandsOnKeysPublishTheirEvents) {
  expect_events({
      {"SET k a", "new k, set k"},
      {"EXPIRE k 10", "expire k"},
      {"EXPIRE k 10 NX", ""},
      {"PEXPIREAT k 99999999999999", "expire k"},
      {"PERSIST k", "persist k"},
      {"PERSIST k", ""},
      {"EXPIRE k -1", "del k"},
      {"MSET k a m b", "new k, set k, new m, set m"},
      {"RENAME k k", ""},
      {"RENAMENX k m", ""},
      {"RENAMENX k n", "new n, rename_from k, rename_to n"},
      {"RENAME n m", "new m, rename_from n, rename_to m"},
      {"COPY m o", "new o, copy_to o"},
      {"COPY m o", ""},
      {"COPY m o REPLACE", "new o, copy_to o"},
      {"COPY m o DB 1", "new o in 1, copy_to o in 1"},
      {"MOVE m 2", "new m in 2, move_from m, move_to m in 2"},
      {"MOVE o 1", ""},
      {"DEL o nokey", "del o"},
      {"UNLINK o", ""},
      {"SET k a", "new k, set k"},
      {"SWAPDB 0 1", ""},
      {"FLUSHALL", ""},
  });
}

TEST(KeyspaceEvents, CommandsOnHashesPublishTheirEvents) {
  expect_events({
      {"HSET k f 1", "new k, hset k"},
      {"HSET k f 1 g 2", "hset k"},
      {"HMSET k f 2", "hset k"},
      {"HSETNX k f 3", ""},
      {"HSETNX k h 3", "hset k"},
      {"HINCRBY k f 1", "hincrby k"},
      {"HINCRBYFLOAT k f 1.5", "hincrbyfloat k"},
      {"HDEL k f nofield", "hdel k"},
      {"HDEL k f", ""},
      {"HDEL k g h", "hdel k, del k"},
  });
}

TEST(KeyspaceEvents, CommandsOnListsPublishTheirEvents) {
  expect_events({
      {"LPUSH k a b", "new k, lpush k"},
      {"RPUSH k c", "rpush k"},
      {"RPUSHX k d", "rpush k"},
      {"LPUSHX nokey d", ""},
      {"LPOP k", "lpop k"},
      {"RPOP k 0", ""},
      {"RPOP k 2", "rpop k"},
      {"LSET k 0 x", "lset k"},
      {"LTRIM k 0 -1", "ltrim k"},
      {"LREM k 0 y", ""},
      {"LREM k 0 x", "lrem k, del k"},
      {"RPUSH k a b c", "new k, rpush k"},
      {"LTRIM k 1 1", "ltrim k"},
      {"RPOPLPUSH k m", "new m, lpush m, rpop k, del k"},
      {"LMOVE m m LEFT RIGHT", "rpush m, lpop m"},
      {"RPUSH m z", "rpush m"},
      {"BLPOP nokey m 0", "lpop m"},
      {"BRPOP m 0", "rpop m, del m"},
      {"RPUSH m 3 1 2", "new m, rpush m"},
      {"SORT m STORE n", "new n, sortstore n"},
      {"SORT m STORE n", "sortstore n"},
      {"SORT nokey STORE n", "keymiss nokey, del n"},
      {"LTRIM m 5 6", "ltrim m, del m"},
  });
}

TEST(KeyspaceEvents, CommandsOnSetsPublishTheirEvents) {
  expect_events({
      {"SADD k a b c d", "new k, sadd k"},
      {"SADD k a", ""},
      {"SREM k a nomember", "srem k"},
      {"SREM k nomember", ""},
      {"SPOP k", "spop k"},
      {"SPOP k 0", ""},
      {"SPOP k 1", "spop k"},
      {"SPOP k 5", "spop k, del k"},
      {"SADD k a", "new k, sadd k"},
      {"SPOP k", "spop k, del k"},
      {"SADD k a", "new k, sadd k"},
      {"SREM k a", "srem k, del k"},
  });
}

TEST(KeyspaceEvents, CommandsOnSortedSetsPublishTheirEvents) {
  expect_events({
      {"ZADD k 1 a 2 b 3 c 4 d 5 e", "new k, zadd k"},
      {"ZADD k 1 a", ""},
      {"ZADD k XX 2 nomember", ""},
      {"ZADD nokey XX 2 a", ""},
      {"ZADD k CH 2 a", "zadd k"},
      {"ZADD k INCR 1 a", "zincr k"},
      {"ZADD k INCR 0 a", ""},
      {"ZINCRBY k 1 a", "zincr k"},
      {"ZREM k nomember", ""},
      {"ZREM k a", "zrem k"},
      {"ZREMRANGEBYRANK k 0 0", "zremrangebyrank k"},
      {"ZREMRANGEBYSCORE k 3 3", "zremrangebyscore k"},
      {"ZREMRANGEBYLEX k [d [d", "zremrangebylex k"},
      {"ZREMRANGEBYLEX k [z [z", ""},
      {"ZPOPMIN k 0", ""},
      {"ZPOPMAX k 5", "zpopmax k, del k"},
      {"ZADD k 1 a 2 b", "new k, zadd k"},
      {"ZPOPMIN k", "zpopmin k"},
      {"ZREM k b", "zrem k, del k"},
  });
}

TEST(KeyspaceEvents, AReadOfAMissingKeyIsAMissAndAWriteIsNone) {
  expect_events({
      {"SET k a", "new k, set k"},
      {"GET k", ""},
      {"GET no", "keymiss no"},
      {"MGET k no m", "keymiss no, keymiss m"},
      {"EXISTS no k", "keymiss no"},
      {"TOUCH no", "keymiss no"},
      {"TYPE no", "keymiss no"},
      {"TTL no", "keymiss no"},
      {"STRLEN no", "keymiss no"},
      {"GETRANGE no 0 1", "keymiss no"},
      {"HRANDFIELD no", "keymiss no"},
      {"OBJECT ENCODING no", ""},
      {"GETBIT no 0", "keymiss no"},
      {"HGET no f", "keymiss no"},
      {"HSCAN no 0", "keymiss no"},
      {"LRANGE no 0 1", "keymiss no"},
      {"SMEMBERS no", "keymiss no"},
      {"ZSCORE no m", "keymiss no"},
      {"GETDEL no", "keymiss no"},
      {"GETSET g a", "keymiss g, new g, set g"},
      {"GETEX no", "keymiss no"},
      {"SET h a GET", "keymiss h, new h, set h"},
      {"COPY no m", "keymiss no"},
      {"SORT no", "keymiss no"},
      {"RPUSH l 1 2", "new l, rpush l"},
      {"SORT l BY w* GET o*", "keymiss w1, keymiss w2, keymiss o1, keymiss o2"},
      {"DEL no", ""},
      {"INCR i", "new i, incrby i"},
      {"RENAME no m", ""},
      {"EXPIRE no 1", ""},
      {"PERSIST no", ""},
      {"KEYS no", ""},
      {"SCAN 0", ""},
      {"WATCH no", ""},
  });
}

TEST(KeyspaceEvents, AMissOfADeadKeyFollowsItsExpiry) {
  Listened redis("EAm");
  redis("SET", "k", "v", "PX", "10");
  redis.pass(20ms);
  redis.events();
  EXPECT_EQ(redis.after("GET k"), "expired k, keymiss k");
  redis("SET", "k", "v", "PX", "10");
  redis.pass(20ms);
  redis.events();
  EXPECT_EQ(redis.after("SET k w"), "expired k, set k");
}

TEST(KeyspaceEvents, AKeyThatAFlushRemovesHasNotExpired) {
  Listened redis("EA");
  redis("SET", "k", "v", "PX", "10");
  redis.pass(20ms);
  redis.events();
  EXPECT_EQ(redis.after("FLUSHALL"), "");
}

TEST(KeyspaceEvents, TheEventIsOnTheChannelOfTheKeyFirst) {
  Events redis("KEx$g");
  redis("SET", "k", "v", "PX", "10");
  EXPECT_EQ(redis.pushed(),
            "*3\r\n$7\r\nmessage\r\n$16\r\n__keyspace@0__:k\r\n$3\r\nset\r\n"
            "*3\r\n$7\r\nmessage\r\n$16\r\n__keyspace@0__:k\r\n$6\r\nexpire\r\n");
}

TEST(KeyspaceEvents, ATransactionAndAScriptPublishAsTheirCommandsDo) {
  Listened redis("EAmn");
  redis.after("MULTI");
  EXPECT_EQ(redis.after("SET k a"), "");
  redis.after("GET no");
  redis.after("DEL k");
  EXPECT_EQ(redis.after("EXEC"), "new k, set k, keymiss no, del k");
  redis("EVAL", "redis.call('incr', 'i') redis.call('get', 'no') return redis.call('del', 'i')",
        "0");
  EXPECT_EQ(redis.events(), "new i, incrby i, keymiss no, del i");
}

TEST(KeyspaceEvents, AnElementForABlockedClientIsPoppedAfterThePush) {
  Listened redis("EAn");
  Session& waiter = redis.connect();
  redis.say(waiter, "BLPOP k 0");
  EXPECT_EQ(redis.after("RPUSH k a b"), "new k, rpush k, lpop k");
  redis.after("DEL k");
  redis.say(waiter, "BRPOP k 0");
  EXPECT_EQ(redis.after("RPUSH k a"), "new k, rpush k, rpop k, del k");
}

// The master says that the key has expired, its replica that it was deleted.
TEST(KeyspaceEvents, AReplicaPublishesTheCommandsOfItsMaster) {
  ReplicatedServers redis({.configuration = {"notify-keyspace-events", "EAn"}});
  Session* listeners[] = {&redis.server(1).connect(), &redis.server(2).connect()};
  redis.at(1s, [&] {
    for (Session* listener : listeners) redis.say_on(*listener, "PSUBSCRIBE", "__keyevent@*");
    redis.say(1, "SET", "k", "v", "PX", "100");
    redis.say(1, "INCR", "i");
  });
  redis.run(3s);
  EXPECT_EQ(listed(listeners[0]->unasked), "new k, set k, expire k, new i, incrby i, expired k");
  EXPECT_EQ(listed(listeners[1]->unasked), "new k, set k, expire k, new i, incrby i, del k");
}

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

TEST(KeyspaceEvents, AnEvictedKeyIsPublished) {
  Listened redis("EA");
  redis.after("SET lock a");
  const sim::Fault evict{.verb = models::kEvict, .target = "redis-1"};
  sim::Strike::Findings findings;
  redis.server.strike(
      {.fault = evict, .target = *redis.process, .to = nullptr, .findings = findings});
  EXPECT_EQ(redis.events(), "evicted lock");
}

TEST(KeyspaceEvents, TheLettersAreReportedInTheOrderOfTheRealServer) {
  LoneServer redis;
  const auto reported = [&](std::string_view letters) {
    redis("CONFIG", "SET", "notify-keyspace-events", letters);
    const std::string reply = redis("CONFIG", "GET", "notify-keyspace-events");
    std::string_view bytes = reply;
    std::vector<std::string_view> words;
    return take_request(bytes, words) ? std::string(words[1]) : reply;
  };
  EXPECT_EQ(reported("EKx"), "xKE");
  EXPECT_EQ(reported("zxhE"), "hzxE");
  EXPECT_EQ(reported("KEAm"), "AKEm");
  EXPECT_EQ(reported("KEA"), "AKE");
  EXPECT_EQ(reported("dtexzhsl$g"), "A");
  EXPECT_EQ(reported("KEg$n"), "g$nKE");
  EXPECT_EQ(reported("KEAn"), "AKE") << "`n` is on, but not shown";
  EXPECT_EQ(reported(""), "");
  EXPECT_EQ(redis("CONFIG", "SET", "notify-keyspace-events", "KEq"),
            "-ERR CONFIG SET failed (possibly related to argument 'notify-keyspace-events') - "
            "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.\r\n");
}

}  // namespace
}  // namespace picklock::redis::keyspace_events_tests
