#include "models/redis/persistence.h"

#include <gmock/gmock.h>

#include "models/redis/lone_server.h"
#include "models/redis/snapshot.h"
#include "testing/redis/replicated_servers.h"
#include "testing/small_world.h"

namespace picklock::redis::persistence_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Configuration = std::vector<std::string_view>;

constexpr std::string_view kNil = "$-1\r\n";
const std::string kBusyLoading = "-LOADING Redis is loading the dataset in memory\r\n";

// A server with a disk.
class PersistentServer : public ReplicatedServers {
 public:
  explicit PersistentServer(const Configuration& configuration, std::uint64_t seed = 1)
      : ReplicatedServers({.seed = seed, .count = 1}) {
    server(1).configure(configuration);
  }
  template <typename... Words>
  std::string operator()(const Words&... words) {
    return say(1, words...);
  }
  std::string file(std::string_view name) {
    const sim::Disk::Content* content = server(1).persistence().disk().find(name);
    return content == nullptr ? "(none)" : content->bytes;
  }
  // The commands of the log: `SELECT 0`, `SET k v`.
  std::vector<std::string> log() {
    const std::string bytes = file(Persistence::kLog);
    std::vector<std::string> commands;
    std::vector<std::string_view> argv;
    for (std::string_view rest = bytes; take_request(rest, argv);) {
      std::string& command = commands.emplace_back();
      for (std::string_view word : argv) command.append(command.empty() ? "" : " ").append(word);
    }
    return commands;
  }
};

const Configuration kLogged = {"appendonly", "yes"};

// ---------------------------------------------------------------- the log

TEST(Log, IsWhatTheWritesComeTo) {
  PersistentServer redis(kLogged);
  redis.at(1s, [&] {
    redis("SET", "k", "v");
    redis("GET", "k");
    redis("DEL", "none");
    redis("PUBLISH", "c", "m");
    redis("EVAL", "redis.call('set','a','1') redis.call('set','b','1')", "0");
    redis("SET", "due", "v", "PX", "500");
  });
  std::string deadline;
  redis.at(1100ms, [&] {
    deadline = redis("PEXPIRETIME", "due").substr(1);
    deadline.resize(deadline.size() - 2);
  });
  redis.run(3s);
  EXPECT_THAT(redis.log(), ElementsAre("SELECT 0", "SET k v", "MULTI", "set a 1", "set b 1", "EXEC",
                                       "SET due v PXAT " + deadline, "DEL due"));
}

TEST(Log, IsNotKeptUnlessAskedFor) {
  PersistentServer redis({});
  redis.at(1s, [&] { redis("SET", "k", "v"); });
  redis.run(2s);
  EXPECT_TRUE(redis.server(1).persistence().disk().empty());
}

class FsyncPolicy : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(All, FsyncPolicy, testing::Values("always", "everysec", "no"));

// R95
TEST_P(FsyncPolicy, LosesNothingThatWasAcknowledgedWhenAProcessCrashes) {
  PersistentServer redis({"appendonly", "yes", "appendfsync", GetParam()});
  redis.at(1s, [&] {
    redis("SET", "k", "v");
    redis.restart(1);
    EXPECT_EQ(redis("GET", "k"), "$1\r\nv\r\n");
  });
  redis.run(2s);
}

// How many seconds of writes a loss of power takes away after `writes` of them, ten a second.
double lost(std::string_view policy, int writes, std::uint64_t seed = 1) {
  PersistentServer redis({"appendonly", "yes", "appendfsync", policy}, seed);
  for (int i = 0; i < writes; ++i) redis.at(i * 100ms + 1ms, [&] { redis("INCR", "writes"); });
  std::string found;
  redis.at(writes * 100ms, [&] {
    redis.restart(1, sim::Keeps::fsynced);
    found = redis("GET", "writes");
  });
  redis.run(writes * 100ms + 1s);
  if (found == kNil) return writes / 10.0;
  return (writes - std::stoi(found.substr(found.find('\n') + 1))) / 10.0;
}

// R95
TEST(LossOfPower, TakesWhatWasWrittenSinceTheFirstWriteOfTheSecond) {
  for (int writes = 1; writes < 10; ++writes) EXPECT_EQ(lost("everysec", writes), writes / 10.0);
  for (int writes = 601; writes <= 610; ++writes)
    EXPECT_EQ(lost("everysec", writes), (writes - 601) / 10.0);
}

// R95
TEST(LossOfPower, TakesNothingOnceTheNextSecondHasBegun) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    PersistentServer redis(kLogged, seed);
    std::vector<std::string> found;
    const auto lose = [&] {
      redis.restart(1, sim::Keeps::fsynced);
      found.push_back(redis("DBSIZE"));
    };
    redis.at(300ms, [&] { redis("SET", "a", "v"); });
    redis.at(1101ms, lose);
    redis.at(5s, [&] { redis("SET", "b", "v"); });
    redis.at(5001ms, lose);
    redis.run(6s);
    EXPECT_THAT(found, ElementsAre(":1\r\n", ":2\r\n"));
  }
}

// R95: the kernel writes back data that the server does not fsync.
TEST(LossOfPower, TakesHalfAMinuteWhereNothingIsFsynced) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_LE(lost("no", 700, seed), 35);
    EXPECT_EQ(lost("no", 299, seed), 29.9);
  }
}

// Seconds are those of the wall clock: if it is set back, they do not pass.
TEST(LossOfPower, TakesMoreWhereTheClockIsSetBack) {
  PersistentServer redis(kLogged);
  std::string found;
  redis.at(1s, [&] { redis("SET", "a", "v"); });
  redis.at(2s, [&] {
    redis.simulation.scheduler.processes().step_clock(redis.process(1), -10s);
    redis("SET", "b", "v");
  });
  redis.at(9s, [&] {
    redis.restart(1, sim::Keeps::fsynced);
    found = redis("DBSIZE");
  });
  redis.run(10s);
  EXPECT_EQ(found, ":1\r\n");
}

// R96
TEST(LossOfPower, TakesNothingWhereEachAnswerWaitsForTheDisk) {
  for (int writes = 1; writes < 20; ++writes) EXPECT_EQ(lost("always", writes), 0);
}

TEST(LossOfPower, LeavesASnapshotWhole) {
  PersistentServer redis({});
  redis.at(1s, [&] {
    redis("SET", "k", "v");
    redis("SAVE");
    redis("SET", "l", "v");
    redis.restart(1, sim::Keeps::fsynced);
    EXPECT_EQ(redis("GET", "k"), "$1\r\nv\r\n");
    EXPECT_EQ(redis("GET", "l"), kNil);
  });
  redis.run(2s);
}

TEST(Log, GoesOnFromWhatWasThereWhenItIsSwitchedOn) {
  PersistentServer redis({});
  redis.at(1s, [&] {
    redis("SET", "before", "v");
    redis.server(1).configure(kLogged);
    EXPECT_THAT(redis("INFO", "persistence"), HasSubstr("aof_rewrite_in_progress:1"));
    redis("SET", "after", "v");
  });
  redis.at(2s, [&] {
    EXPECT_THAT(redis("INFO", "persistence"), HasSubstr("aof_rewrite_in_progress:0"));
    redis.restart(1);
    EXPECT_EQ(redis("DBSIZE"), ":2\r\n");
    redis("CONFIG", "SET", "appendonly", "no");
    redis("SET", "unlogged", "v");
    redis.restart(1);
    EXPECT_EQ(redis("DBSIZE"), ":2\r\n");
  });
  redis.run(3s);
}

// The snapshot is not loaded then, which surprises many users.
TEST(Log, IsAllThatIsLoadedWhereThereIsToBeOne) {
  PersistentServer redis({});
  redis.at(1s, [&] {
    redis("SET", "k", "v");
    redis("SAVE");
    redis.crash(1);
    redis.server(1).configure(kLogged);
    redis.restart(1);
    EXPECT_EQ(redis("DBSIZE"), ":0\r\n");
  });
  redis.run(2s);
}

TEST(Log, IsShorterOnceRewritten) {
  PersistentServer redis(kLogged);
  redis.at(1s, [&] {
    for (int i = 0; i < 10; ++i) redis("INCR", "k");
    EXPECT_EQ(redis("BGREWRITEAOF"), "+Background append only file rewriting started\r\n");
    EXPECT_THAT(redis.log(), IsEmpty());
    redis("INCR", "k");
    EXPECT_THAT(redis.log(), ElementsAre("SELECT 0", "INCR k"));
    redis.restart(1);
    EXPECT_EQ(redis("GET", "k"), "$2\r\n11\r\n");
  });
  redis.run(2s);
}

// Tests each kind of persistence; the second has a snapshot followed by a log.
TEST(Restart, FindsDataOfEveryTypeAsTheyWere) {
  const std::vector<std::vector<std::string_view>> commands = {
      {"SET", "string", std::string_view("a\0\r\n", 4), "EX", "100"},
      {"APPEND", "string", "b"},
      {"SETRANGE", "string", "9", "c"},
      {"INCRBY", "number", "7"},
      {"HSET", "hash", "f", "1", "g", "2"},
      {"HINCRBY", "hash", "f", "5"},
      {"HDEL", "hash", "g"},
      {"RPUSH", "list", "x", "", "z"},
      {"LPOP", "list"},
      {"SADD", "set", "10", "9", "8"},
      {"SPOP", "set"},
      {"ZADD", "zset", "1.5", "a", "-inf", "b"},
      {"ZINCRBY", "zset", "0.1", "a"},
      {"MULTI"},
      {"SET", "in-transaction", "1"},
      {"PEXPIRE", "in-transaction", "5000"},
      {"EXEC"},
      {"EVAL", "redis.call('set','by-script','1') return redis.call('del','number')", "0"},
      {"RENAME", "by-script", "renamed"},
      {"SELECT", "3"},
      {"SET", "elsewhere", "1"},
      {"GETEX", "elsewhere", "PX", "9000"},
      {"SWAPDB", "3", "4"},
      {"SET", "elsewhere", "2"},
      {"FLUSHDB"},
      {"SET", "after", "3"}};
  const auto all = [](Server& server) {
    sim::Payload bytes;
    take_snapshot(server.keyspace(), bytes);
    return std::string(bytes.view());
  };
  for (const std::size_t rewritten : {std::size_t{0}, commands.size() / 2, commands.size()}) {
    PersistentServer redis(kLogged);
    redis.at(1s, [&] {
      Server& server = redis.server(1);
      Session& session = server.connect();
      for (std::size_t i = 0; i < commands.size(); ++i) {
        sim::Payload answer;
        server.execute(session, commands[i], answer, redis.tenures.begin());
        ASSERT_FALSE(answer.view().starts_with('-')) << answer.view();
        if (i + 1 == rewritten) redis("BGREWRITEAOF");
      }
      const std::string before = all(server);
      redis.restart(1);
      EXPECT_EQ(all(server), before);
      redis("SAVE");
      redis.crash(1);
      server.configure(Configuration{"appendonly", "no"});
      redis.restart(1);
      EXPECT_EQ(all(server), before);
    });
    redis.run(2s);
  }
}

// R98
TEST(Restart, KeepsDeadlinesAsInstants) {
  PersistentServer redis(kLogged);
  std::string before;
  redis.at(1s, [&] {
    redis("SET", "k", "v", "PX", "5000");
    redis("SET", "due", "v", "PX", "1000");
    before = redis("PEXPIRETIME", "k");
    redis.crash(1);
  });
  redis.at(3s, [&] {
    redis.restart(1);
    EXPECT_EQ(redis("PEXPIRETIME", "k"), before);
    EXPECT_EQ(redis("PTTL", "k"), ":3000\r\n");
    EXPECT_EQ(redis("DBSIZE"), ":2\r\n");  // the cycle has not found it yet
    EXPECT_EQ(redis("SET", "due", "w", "NX"), "+OK\r\n");
  });
  redis.run(4s);
}

std::string log_of(std::initializer_list<std::initializer_list<std::string_view>> commands) {
  sim::Payload bytes;
  for (const auto& command : commands) write_request(bytes, {command.begin(), command.size()});
  return std::string(bytes.view());
}

// R99
TEST(TornLog, LosesItsLastCommand) {
  const std::string whole = log_of({{"SELECT", "0"}, {"SET", "k", "v"}});
  const std::string torn = log_of({{"SET", "last", "v"}});
  for (std::size_t size = 0; size < torn.size(); ++size) {
    PersistentServer redis(kLogged);
    redis.at(1s, [&] {
      redis("SET", "k", "v");
      redis("SET", "last", "v");
      redis.crash(1);
      redis.server(1).persistence().disk().truncate(Persistence::kLog, whole.size() + size);
      redis.restart(1);
      EXPECT_EQ(redis("GET", "k"), "$1\r\nv\r\n");
      EXPECT_EQ(redis("EXISTS", "last"), ":0\r\n");
      EXPECT_EQ(redis.file(Persistence::kLog), whole);
      redis("SET", "next", "v");
      redis.restart(1);
      EXPECT_EQ(redis("DBSIZE"), ":2\r\n");
    });
    redis.run(2s);
  }
}

// R99
TEST(TornLog, LosesItsLastTransactionWhole) {
  const std::size_t end = log_of({{"EXEC"}}).size();
  for (std::size_t cut : {std::size_t{1}, end, end + 1, end + 20}) {
    PersistentServer redis(kLogged);
    redis.at(1s, [&] {
      redis("SET", "k", "v");
      redis("EVAL", "redis.call('set','a','1') return redis.call('set','b','1')", "0");
      redis.crash(1);
      const std::size_t size = redis.file(Persistence::kLog).size();
      redis.server(1).persistence().disk().truncate(Persistence::kLog, size - cut);
      redis.restart(1);
      EXPECT_EQ(redis("EXISTS", "a", "b", "k"), ":1\r\n");
    });
    redis.run(2s);
  }
}

// ---------------------------------------------------------------- snapshots

// R97
TEST(Restart, OfAServerThatKeepsNothingIsEmpty) {
  PersistentServer redis({});
  redis.at(1s, [&] {
    redis("SET", "killed", "v");
    redis.restart(1);
    EXPECT_EQ(redis("DBSIZE"), ":0\r\n");
    redis("SET", "shut-down", "v");
    redis("SHUTDOWN");
  });
  redis.at(2s, [&] {
    ASSERT_TRUE(redis.process(1).down());
    redis.restart(1);
    EXPECT_EQ(redis("DBSIZE"), ":0\r\n");
  });
  redis.run(3s);
}

// R97
TEST(SavePoints, DoNotOutliveAKillButAShutdown) {
  PersistentServer redis({"save", "3600 1 300 100 60 10000"});
  redis.at(1s, [&] {
    redis("SET", "k", "v");
    redis.restart(1);
    EXPECT_EQ(redis("DBSIZE"), ":0\r\n");
    redis("SET", "k", "v");
    redis("SHUTDOWN");
  });
  redis.at(2s, [&] {
    redis.restart(1);
    EXPECT_EQ(redis("DBSIZE"), ":1\r\n");
    redis("SET", "l", "v");
    redis("SHUTDOWN", "NOSAVE");
  });
  redis.at(3s, [&] {
    redis.restart(1);
    EXPECT_EQ(redis("DBSIZE"), ":1\r\n");
  });
  redis.run(4s);
}

// R97
TEST(SavePoints, AreReachedByChangesAndTime) {
  PersistentServer redis({"save", "60 2 5 4"});
  const auto restarted_to = [&](sim::Duration when, std::string_view keys) {
    redis.at(when, [&redis, keys] {
      redis.restart(1);
      EXPECT_EQ(redis("DBSIZE"), keys);
    });
  };
  redis.at(1s, [&] {
    redis("SET", "a", "v");
    redis("SET", "b", "v");
  });
  redis.at(59s, [&] { EXPECT_EQ(redis.file(Persistence::kDump), "(none)"); });
  restarted_to(62s, ":2\r\n");
  redis.at(63s, [&] {
    for (std::string_view key : {"c", "d", "e", "f"}) redis("SET", key, "v");
    EXPECT_THAT(redis("INFO", "persistence"), HasSubstr("rdb_changes_since_last_save:4"));
  });
  redis.at(69s, [&] {
    EXPECT_THAT(redis("INFO", "persistence"), HasSubstr("rdb_changes_since_last_save:0"));
    redis("SET", "g", "v");
  });
  restarted_to(70s, ":6\r\n");
  redis.run(71s);
}

TEST(Snapshots, BeginOneAtATime) {
  PersistentServer redis(kLogged);
  redis.at(1010ms, [&] {
    EXPECT_EQ(redis("SAVE"), "+OK\r\n");
    EXPECT_EQ(redis("BGSAVE", "x"), "-ERR syntax error\r\n");
    EXPECT_EQ(redis("BGSAVE"), "+Background saving started\r\n");
    for (const std::string& answer : {redis("SAVE"), redis("BGSAVE"), redis("BGSAVE", "SCHEDULE")})
      EXPECT_EQ(answer, "-ERR Background save already in progress\r\n");
    EXPECT_EQ(redis("BGREWRITEAOF"), "+Background append only file rewriting scheduled\r\n");
    EXPECT_THAT(redis("INFO", "persistence"), HasSubstr("rdb_bgsave_in_progress:1"));
  });
  redis.at(1111ms, [&] {
    EXPECT_EQ(redis("BGREWRITEAOF"),
              "-ERR Background append only file rewriting already in progress\r\n");
    EXPECT_THAT(redis("BGSAVE"), HasSubstr("-ERR Another child process is active (AOF?)"));
    EXPECT_EQ(redis("BGSAVE", "SCHEDULE"), "+Background saving scheduled\r\n");
  });
  redis.at(1212ms, [&] {
    EXPECT_THAT(redis("INFO", "persistence"), HasSubstr("rdb_bgsave_in_progress:1"));
  });
  redis.at(2s, [&] {
    EXPECT_THAT(redis("INFO", "persistence"), HasSubstr("rdb_bgsave_in_progress:0"));
    Session& session = redis.server(1).connect();
    redis.say_on(session, "MULTI");
    EXPECT_EQ(redis.say_on(session, "SAVE"), "-ERR Command not allowed inside a transaction\r\n");
    redis.say_on(session, "DISCARD");
    redis.say_on(session, "MULTI");
    redis.say_on(session, "BGSAVE");
    redis.say_on(session, "BGREWRITEAOF");
    EXPECT_EQ(redis.say_on(session, "EXEC"),
              "*2\r\n+Background saving scheduled\r\n"
              "+Background append only file rewriting scheduled\r\n");
  });
  redis.run(3s);
}

TEST(Snapshots, HaveNoDeadKeysOnceAMasterHasLoadedThem) {
  PersistentServer redis({});
  redis.at(1s, [&] {
    redis("SET", "due", "v", "PX", "500");
    redis("SAVE");
    redis.crash(1);
  });
  redis.at(2s, [&] {
    redis.restart(1);
    EXPECT_EQ(redis("DBSIZE"), ":0\r\n");
  });
  redis.run(3s);
}

TEST(PersistenceCommands, AreDescribedAsTheRealServerDoes) {
  LoneServer redis;
  const auto flags = [&](std::string_view command) {
    const std::string all = redis("COMMAND", "INFO", command);
    std::string told;
    for (std::size_t at = all.find('+'); all[at] == '+'; at = all.find('\n', at) + 1)
      told.append(all, at, all.find('\r', at) - at);
    return told;
  };
  EXPECT_EQ(flags("save"), "+admin+noscript+no_async_loading+no_multi");
  EXPECT_EQ(flags("bgsave"), "+admin+noscript+no_async_loading");
  EXPECT_EQ(flags("bgrewriteaof"), "+admin+noscript+no_async_loading");
  EXPECT_EQ(flags("lastsave"), "+loading+stale+fast");
  EXPECT_EQ(flags("shutdown"), "+admin+noscript+loading+stale+no_multi+allow_busy");
}

TEST(LastSave, IsWhenTheServerBeganOrHasSavedSince) {
  PersistentServer redis({});
  std::string begun;
  redis.at(0s, [&] { begun = redis("LASTSAVE"); });
  redis.at(5s, [&] {
    EXPECT_EQ(redis("LASTSAVE"), begun);
    redis("SAVE");
    EXPECT_EQ(std::stoll(redis("LASTSAVE").substr(1)), std::stoll(begun.substr(1)) + 5);
  });
  redis.run(6s);
}

// ---------------------------------------------------------------- loading

// R100
TEST(Loading, AnswersOnlyWhatNeedsNoData) {
  PersistentServer redis({"key-load-delay", "50000"});
  redis.at(1s, [&] {
    for (int i = 0; i < 100; ++i) redis("SET", "k" + std::to_string(i), "v");
    redis("SAVE");
    redis.restart(1);
    EXPECT_EQ(redis("PING"), kBusyLoading);
    EXPECT_EQ(redis("GET", "k1"), kBusyLoading);
    EXPECT_EQ(redis("SET", "k1", "w", "NX"), kBusyLoading);
    EXPECT_EQ(redis("EVAL", "return 1", "0"), kBusyLoading);
    EXPECT_EQ(redis("WAIT", "0", "0"), kBusyLoading);
    EXPECT_EQ(redis("PUBLISH", "c", "m"), ":0\r\n");
    EXPECT_THAT(redis("SUBSCRIBE", "c"), HasSubstr("subscribe"));
    EXPECT_THAT(redis("INFO", "persistence"), HasSubstr("loading:1"));
    Session& session = redis.server(1).connect();
    EXPECT_EQ(redis.say_on(session, "MULTI"), "+OK\r\n");
    EXPECT_EQ(redis.say_on(session, "GET", "k1"), kBusyLoading);
    EXPECT_EQ(redis.say_on(session, "EXEC"),
              "-EXECABORT Transaction discarded because of previous errors.\r\n");
  });
  redis.at(5900ms, [&] { EXPECT_EQ(redis("PING"), kBusyLoading); });
  redis.at(6100ms, [&] {
    EXPECT_EQ(redis("PING"), "+PONG\r\n");
    EXPECT_EQ(redis("DBSIZE"), ":100\r\n");
  });
  redis.run(7s);
}

TEST(Loading, GoesOnFasterWhenItIsToldTo) {
  PersistentServer redis({"key-load-delay", "50000"});
  redis.at(1s, [&] {
    for (int i = 0; i < 100; ++i) redis("SET", "k" + std::to_string(i), "v");
    redis("SAVE");
    redis.restart(1);
  });
  redis.at(2s, [&] { redis("CONFIG", "SET", "key-load-delay", "1000"); });
  redis.at(2079ms, [&] { EXPECT_EQ(redis("PING"), kBusyLoading); });
  redis.at(2081ms, [&] { EXPECT_EQ(redis("PING"), "+PONG\r\n"); });
  redis.run(3s);
}

TEST(Loading, BeginsAnewWhenItIsInterrupted) {
  PersistentServer redis({"key-load-delay", "1000000"});
  redis.at(1s, [&] {
    redis("SET", "k", "v");
    redis("SAVE");
    redis.restart(1);
  });
  redis.at(1500ms, [&] { redis.restart(1); });
  redis.at(2400ms, [&] { EXPECT_EQ(redis("PING"), kBusyLoading); });
  redis.at(2600ms, [&] { EXPECT_EQ(redis("GET", "k"), "$1\r\nv\r\n"); });
  redis.run(3s);
}

// ---------------------------------------------------------------- SHUTDOWN

TEST(Shutdown, EndsTheConnectionWithoutAnAnswer) {
  models::SmallWorld world({.clients = 2, .configuration = kLogged});
  std::vector<Reply::Kind> kinds;
  world.client(1, [&](models::SmallWorld&, picklock::Client& self) {
    const std::string_view set[] = {"SET", "k", "v"};
    const std::string_view shutdown[] = {"SHUTDOWN"};
    redis::server(self).call(Role::none, set);
    kinds.push_back(redis::server(self).call(Role::none, shutdown).kind);
    self.sleep(1s);
    kinds.push_back(redis::server(self).call(Role::none, set).kind);
  });
  world.run();
  EXPECT_THAT(kinds, ElementsAre(Reply::Kind::unknown, Reply::Kind::unsent));
  EXPECT_TRUE(world.server().process().down());
}

// R84
TEST(Shutdown, WithoutSavingEndsAScriptThatGoesOnForTooLong) {
  models::SmallWorld world({.clients = 2, .command_timeout = 30s, .configuration = kLogged});
  Reply script;
  Reply refused;
  Reply last;
  world.client(1, [&](models::SmallWorld&, picklock::Client& self) {
    const std::string_view loop[] = {"EVAL", "redis.call('set','k','v') while true do end", "0"};
    script = redis::server(self).call(Role::none, loop);
  });
  world.client(2, [&](models::SmallWorld&, picklock::Client& self) {
    const std::string_view shutdown[] = {"SHUTDOWN"};
    const std::string_view nosave[] = {"SHUTDOWN", "NOSAVE"};
    self.sleep(6s);
    refused = redis::server(self).call(Role::none, shutdown);
    last = redis::server(self).call(Role::none, nosave);
  });
  world.run();
  EXPECT_EQ(script.kind, Reply::Kind::unknown);
  EXPECT_THAT(refused.text, testing::StartsWith("BUSY Redis is busy running a script."));
  EXPECT_EQ(last.kind, Reply::Kind::unknown);
  EXPECT_TRUE(world.server().process().down());
}

TEST(Shutdown, IsRefusedInOtherWords) {
  LoneServer redis;
  EXPECT_EQ(redis("SHUTDOWN", "foo"), "-ERR syntax error\r\n");
  EXPECT_EQ(redis("SHUTDOWN", "SAVE", "NOSAVE"), "-ERR syntax error\r\n");
  EXPECT_EQ(redis("SHUTDOWN", "ABORT"), "-ERR No shutdown in progress.\r\n");
  redis("MULTI");
  EXPECT_EQ(redis("SHUTDOWN"), "-ERR Command not allowed inside a transaction\r\n");
  EXPECT_EQ(redis("DISCARD"), "+OK\r\n");
}

}  // namespace
}  // namespace picklock::redis::persistence_tests
