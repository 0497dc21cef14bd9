#include <gmock/gmock.h>

#include <algorithm>

#include "testing/redis/command_example.h"

namespace picklock::redis::server_commands_tests {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ServerCommands : public Examples {};
TEST_P(ServerCommands, AnswerAsTheRealServerDoes) { EXPECT_EQ(answer(), GetParam().reply); }

INSTANTIATE_TEST_SUITE_P(
    Databases, ServerCommands,
    testing::Values(
        Example{"", {}, {"TIME", "x"}, wrong_arity("time")}, Example{"", {}, {"DBSIZE"}, ":0\r\n"},
        Example{"", {{"SET", "k", "v"}, {"HSET", "h", "f", "1"}}, {"DBSIZE"}, ":2\r\n"},
        Example{"", {{"SET", "k", "v"}, {"SELECT", "1"}}, {"DBSIZE"}, ":0\r\n"},
        Example{"", {}, {"FLUSHALL", "x"}, kSyntax},
        Example{"", {}, {"FLUSHALL", "ASYNC", "SYNC"}, kSyntax},
        Example{"", {}, {"FLUSHALL", "async"}, kOk},
        Example{"",
                {{"SET", "k", "v"}, {"SELECT", "1"}, {"FLUSHALL"}, {"SELECT", "0"}},
                {"GET", "k"},
                kNil},
        Example{"",
                {{"SET", "k", "v"}, {"SELECT", "1"}, {"FLUSHDB", "sync"}, {"SELECT", "0"}},
                {"GET", "k"},
                "$1\r\nv\r\n"},
        Example{"", {}, {"SWAPDB", "0"}, wrong_arity("swapdb")},
        Example{"", {}, {"SWAPDB", "a", "1"}, "-ERR invalid first DB index\r\n"},
        Example{"", {}, {"SWAPDB", "0", "b"}, "-ERR invalid second DB index\r\n"},
        Example{"", {}, {"SWAPDB", "0", "2147483648"}, "-ERR invalid second DB index\r\n"},
        Example{"", {}, {"SWAPDB", "0", "16"}, "-ERR DB index is out of range\r\n"},
        Example{"", {}, {"SWAPDB", "0", "0"}, kOk},
        Example{"", {{"SET", "k", "v"}, {"SWAPDB", "0", "3"}}, {"GET", "k"}, kNil},
        Example{"",
                {{"SET", "k", "v", "PX", "1000"}, {"SWAPDB", "3", "0"}, {"SELECT", "3"}},
                {"PTTL", "k"},
                ":1000\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Command, ServerCommands,
    testing::Values(
        Example{"R104",
                {},
                {"COMMAND", "NOPE"},
                "-ERR unknown subcommand 'NOPE'. Try COMMAND HELP.\r\n"},
        Example{"", {}, {"COMMAND", "COUNT", "x"}, wrong_arity("command|count")},
        Example{"", {}, {"COMMAND", "INFO", "nope"}, "*1\r\n$-1\r\n"},
        Example{"", {}, {"COMMAND", "GETKEYS", "get"}, wrong_arity("command|getkeys")},
        Example{"", {}, {"COMMAND", "GETKEYS", "get", "a"}, "*1\r\n$1\r\na\r\n"},
        Example{"",
                {},
                {"COMMAND", "GETKEYS", "get", "a", "b"},
                "-ERR Invalid number of arguments specified for command\r\n"},
        Example{"", {}, {"COMMAND", "GETKEYS", "nope", "a"}, "-ERR Invalid command specified\r\n"},
        Example{"",
                {},
                {"COMMAND", "GETKEYS", "ping", "a"},
                "-ERR The command has no key arguments\r\n"},
        Example{"", {}, {"COMMAND", "GETKEYS", "del", "a", "b"}, "*2\r\n$1\r\na\r\n$1\r\nb\r\n"},
        Example{"",
                {},
                {"COMMAND", "GETKEYS", "eval", "s", "2", "a", "b", "c"},
                "*2\r\n$1\r\na\r\n$1\r\nb\r\n"},
        Example{"", {}, {"COMMAND", "LIST", "x"}, kSyntax},
        Example{"", {}, {"COMMAND", "LIST", "FILTERBY", "foo", "bar"}, kSyntax},
        Example{"", {}, {"COMMAND", "LIST", "FILTERBY", "ACLCAT", "nope"}, "*0\r\n"},
        Example{"",
                {},
                {"COMMAND", "LIST", "FILTERBY", "PATTERN", "client|set*"},
                "*1\r\n$14\r\nclient|setname\r\n"},
        Example{"", {}, {"COMMAND", "DOCS", "nope"}, "*0\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Debug, ServerCommands,
    testing::Values(
        Example{"", {}, {"DEBUG"}, wrong_arity("debug")},
        Example{
            "",
            {},
            {"DEBUG", "JMAP"},
            "-ERR unknown subcommand or wrong number of arguments for 'JMAP'. Try DEBUG HELP.\r\n"},
        Example{"",
                {},
                {"DEBUG", "SLEEP"},
                "-ERR unknown subcommand or wrong number of arguments for 'SLEEP'. Try DEBUG "
                "HELP.\r\n"},
        Example{"", {}, {"DEBUG", "SLEEP", "abc"}, kOk},
        Example{"", {}, {"DEBUG", "SLEEP", "-1"}, kOk},
        Example{"", {}, {"DEBUG", "SET-ACTIVE-EXPIRE", "0"}, kOk}));

// R54, R77: known by name to scripts.
TEST(Scripts, AreToldThatTheyMayNotUseWhatBlocksOrConcernsAConnection) {
  LoneServer redis;
  for (const std::string_view call :
       {"'wait','0','0'", "'blpop','k','0'", "'subscribe','a'", "'multi'", "'config','get','hz'",
        "'client','id'", "'debug','sleep','0'", "'eval','return 1','0'", "'quit'", "'auth','x'"}) {
    EXPECT_THAT(redis("EVAL", "return redis.call(" + std::string(call) + ")", "0"),
                StartsWith("-ERR This Redis command is not allowed from script script: "))
        << call;
  }
  EXPECT_THAT(redis("EVAL", "return redis.call('function')", "0"),
              StartsWith("-ERR Wrong number of args calling Redis command from script script: "));
  EXPECT_THAT(redis("EVAL", "return redis.call('client','nope')", "0"),
              StartsWith("-ERR Unknown Redis command called from script script: "));
}

TEST(Time, IsThatOfTheServersClock) {
  LoneServer redis;
  const std::int64_t seconds = redis.clock_ms() / 1000;
  const auto time = [](std::int64_t whole, std::string_view fraction) {
    return "*2\r\n$10\r\n" + std::to_string(whole) + "\r\n$" + std::to_string(fraction.size()) +
           "\r\n" + std::string(fraction) + "\r\n";
  };
  EXPECT_EQ(redis("TIME"), time(seconds, "0"));
  redis.pass(1'234'567us);
  EXPECT_EQ(redis("TIME"), time(seconds + 1, "234567"));
}

TEST(Dbsize, CountsDeadKeysThatNobodyHasTouched) {  // R28
  LoneServer redis;
  redis("SET", "k", "v", "PX", "10");
  redis.pass(11ms);
  EXPECT_EQ(redis("DBSIZE"), ":1\r\n");
  redis("GET", "k");
  EXPECT_EQ(redis("DBSIZE"), ":0\r\n");
}

TEST(DebugSleep, LetsTheServersTimePass) {
  LoneServer redis;
  const std::int64_t before = redis.clock_ms();
  EXPECT_EQ(redis("DEBUG", "SLEEP", "1.5"), kOk);
  EXPECT_EQ(redis.clock_ms() - before, 1500);
}

TEST(Info, TellsWhatClientsAskFor) {
  LoneServer redis;
  redis("SET", "a", "1");
  redis("SET", "b", "1", "PX", "1000");
  redis("SUBSCRIBE", "c");
  Session& other = redis.connect();
  const std::string all = redis.send(other, Words{"INFO"});
  for (const std::string_view line :
       {"# Server\r\nredis_version:7.0.15\r\n", "redis_mode:standalone\r\n", "tcp_port:6379\r\n",
        "\r\n\r\n# Clients\r\nconnected_clients:2\r\n", "\r\n\r\n# Memory\r\nused_memory:",
        "maxmemory_policy:noeviction\r\n", "\r\n\r\n# Persistence\r\nloading:0\r\n",
        "\r\n\r\n# Stats\r\ntotal_connections_received:2\r\n", "pubsub_channels:1\r\n",
        "\r\n\r\n# Replication\r\nrole:master\r\nconnected_slaves:0\r\n",
        "\r\n\r\n# Cluster\r\ncluster_enabled:0\r\n",
        "\r\n\r\n# Keyspace\r\ndb0:keys=2,expires=1,avg_ttl=0\r\n"}) {
    EXPECT_THAT(all, HasSubstr(line));
  }
  EXPECT_EQ(redis.send(other, Words{"INFO", "nope"}), "$0\r\n\r\n");
  EXPECT_THAT(redis.send(other, Words{"INFO", "keyspace", "CLIENTS"}),
              StartsWith("$158\r\n# Clients\r\n"));
}

TEST(Info, NamesAProcessAnewWhenItIsStartedAgain) {
  const auto identity = [](LoneServer& redis) {
    const std::string all = redis("INFO", "server");
    return all.substr(all.find("run_id:"), 47);
  };
  LoneServer one;
  LoneServer two;
  EXPECT_EQ(identity(one), identity(two));
  two.simulation.scheduler.processes().halt(*two.process, false);
  two.simulation.scheduler.processes().restart(*two.process, sim::Keeps::all);
  two.first = &two.connect();
  EXPECT_NE(identity(one), identity(two));
}

TEST(CommandInfo, TellsFlagsAndPositionsOfKeys) {
  LoneServer redis;
  EXPECT_EQ(redis("COMMAND", "INFO", "del"),
            "*1\r\n*10\r\n$3\r\ndel\r\n:-2\r\n*1\r\n+write\r\n:1\r\n:-1\r\n:1\r\n*2\r\n+@write\r\n"
            "+@slow\r\n*0\r\n*0\r\n*0\r\n");
  EXPECT_EQ(
      redis("COMMAND", "INFO", "CLIENT|id"),
      "*1\r\n*10\r\n$9\r\nclient|id\r\n:2\r\n*3\r\n+noscript\r\n+loading\r\n+stale\r\n:0\r\n:0"
      "\r\n:0\r\n*1\r\n+@slow\r\n*0\r\n*0\r\n*0\r\n");
  redis("HELLO", "3");
  EXPECT_THAT(redis("COMMAND", "INFO", "multi"),
              HasSubstr("~5\r\n+noscript\r\n+loading\r\n+stale\r\n+fast\r\n+allow_busy\r\n"));
}

TEST(CommandCount, IsThatOfTheCommandsThatCanBeCalled) {
  LoneServer redis;
  const std::string count = redis("COMMAND", "COUNT");
  EXPECT_EQ("*" + count.substr(1), redis("COMMAND").substr(0, count.size()));
  EXPECT_THAT(redis("COMMAND", "LIST"), Not(HasSubstr("function")));
}

TEST(Commands, AreDeclaredOnce) {
  std::vector<std::string_view> names;
  for (const Command* command : all_commands()) {
    names.push_back(command->name);
    EXPECT_EQ(command_named(command->name), command) << command->name;
    for (const Command& subcommand : command->subcommands) {
      EXPECT_THAT(subcommand.name, StartsWith(std::string(command->name) + "|"));
      const std::string_view argv[] = {command->name,
                                       subcommand.name.substr(command->name.size() + 1)};
      EXPECT_EQ(command_called(argv), &subcommand) << subcommand.name;
    }
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace picklock::redis::server_commands_tests
