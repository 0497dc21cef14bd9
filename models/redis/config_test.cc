#include "models/redis/config.h"

#include <gmock/gmock.h>

#include "testing/redis/command_example.h"

namespace picklock::redis::config_tests {
namespace {

class ConfigCommands : public Examples {};
TEST_P(ConfigCommands, AnswerAsTheRealServerDoes) { EXPECT_EQ(answer(), GetParam().reply); }

std::string failed(std::string_view name, std::string_view why) {
  return "-ERR CONFIG SET failed (possibly related to argument '" + std::string(name) + "') - " +
         std::string(why) + "\r\n";
}

constexpr std::string_view kNoSaves = "Invalid save parameters";

INSTANTIATE_TEST_SUITE_P(
    Get, ConfigCommands,
    testing::Values(
        Example{"", {}, {"CONFIG"}, wrong_arity("config")},
        Example{"", {}, {"CONFIG", "GET"}, wrong_arity("config|get")},
        Example{
            "R104", {}, {"CONFIG", "NOPE"}, "-ERR unknown subcommand 'NOPE'. Try CONFIG HELP.\r\n"},
        Example{"", {}, {"CONFIG", "GET", "maxmemory"}, "*2\r\n$9\r\nmaxmemory\r\n$1\r\n0\r\n"},
        // A plain name is reported as the client has written it, and only once.
        Example{"",
                {},
                {"CONFIG", "GET", "MAXMEMORY", "maxmemor?", "nope"},
                "*2\r\n$9\r\nMAXMEMORY\r\n$1\r\n0\r\n"},
        Example{"", {}, {"CONFIG", "GET", "nope"}, "*0\r\n"},
        Example{"", {}, {"CONFIG", "GET", "hz"}, "%1\r\n$2\r\nhz\r\n$2\r\n10\r\n", 3},
        Example{"", {}, {"CONFIG", "GET", "save"}, "*2\r\n$4\r\nsave\r\n$0\r\n\r\n"},
        Example{"",
                {{"CONFIG", "SET", "maxmemory", "100MB"}},
                {"CONFIG", "GET", "maxmemory"},
                "*2\r\n$9\r\nmaxmemory\r\n$9\r\n104857600\r\n"},
        Example{"",
                {{"CONFIG", "SET", "save", "3600 1 300 100 60 10000"}},
                {"CONFIG", "GET", "save"},
                "*2\r\n$4\r\nsave\r\n$23\r\n3600 1 300 100 60 10000\r\n"},
        // Patterns do not match a hidden parameter.
        Example{"", {}, {"CONFIG", "GET", "key-load*"}, "*0\r\n"},
        Example{"",
                {},
                {"CONFIG", "GET", "key-load-delay"},
                "*2\r\n$14\r\nkey-load-delay\r\n$1\r\n0\r\n"},
        Example{"",
                {{"CONFIG", "SET", "lua-time-limit", "200"}},
                {"CONFIG", "GET", "busy*"},
                "*2\r\n$20\r\nbusy-reply-threshold\r\n$3\r\n200\r\n"},
        Example{"",
                {{"CONFIG", "SET", "client-output-buffer-limit", "pubsub 1k 1k 1"}},
                {"CONFIG", "GET", "client-output*"},
                "*2\r\n$26\r\nclient-output-buffer-limit\r\n$59\r\nnormal 0 0 0 slave 268435456 "
                "67108864 60 pubsub 1000 1000 1\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Set, ConfigCommands,
    testing::Values(
        Example{"", {}, {"CONFIG", "SET", "maxmemory"}, wrong_arity("config|set")},
        Example{"", {}, {"CONFIG", "SET", "maxmemory", "0", "hz"}, kSyntax},
        Example{"",
                {},
                {"CONFIG", "SET", "maxmemory", "0", "nope", "1"},
                "-ERR Unknown option or number of arguments for CONFIG SET - 'nope'\r\n"},
        Example{"",
                {},
                {"CONFIG", "SET", "databases", "4"},
                failed("databases", "can't set immutable config")},
        Example{"",
                {},
                {"CONFIG", "SET", "maxmemory", "1", "HZ", "10", "hz", "10"},
                failed("hz", "duplicate parameter")},
        Example{"", {}, {"CONFIG", "SET", "LUA-TIME-LIMIT", "5", "busy-reply-threshold", "6"}, kOk},
        Example{"",
                {},
                {"CONFIG", "SET", "maxmemory", "1.5"},
                failed("maxmemory", "argument must be a memory value")},
        Example{"",
                {},
                {"CONFIG", "SET", "maxmemory", "-1"},
                failed("maxmemory", "argument must be a memory value")},
        Example{"", {}, {"CONFIG", "SET", "maxmemory", ""}, kOk},
        Example{"", {}, {"CONFIG", "SET", "maxmemory", "99999999999999999999"}, kOk},
        Example{"",
                {},
                {"CONFIG", "SET", "hz", " 7"},
                failed("hz", "argument couldn't be parsed into an integer")},
        Example{"",
                {},
                {"CONFIG", "SET", "hz", "-5"},
                failed("hz", "argument must be between 0 and 2147483647 inclusive")},
        Example{"",
                {},
                {"CONFIG", "SET", "busy-reply-threshold", "-1"},
                failed("busy-reply-threshold",
                       "argument must be between 0 and 9223372036854775807 inclusive")},
        Example{"",
                {},
                {"CONFIG", "SET", "proto-max-bulk-len", "1"},
                failed("proto-max-bulk-len",
                       "argument must be between 1048576 and 9223372036854775807 inclusive")},
        Example{"",
                {},
                {"CONFIG", "SET", "appendonly", "maybe"},
                failed("appendonly", "argument must be 'yes' or 'no'")},
        Example{"",
                {},
                {"CONFIG", "SET", "maxmemory-policy", "foo"},
                failed("maxmemory-policy",
                       "argument(s) must be one of the following: volatile-lru, volatile-lfu, "
                       "volatile-random, volatile-ttl, allkeys-lru, allkeys-lfu, allkeys-random, "
                       "noeviction")},
        Example{"", {}, {"CONFIG", "SET", "maxmemory-policy", "NoEviction"}, kOk},
        Example{"",
                {},
                {"CONFIG", "SET", "appendfsync", "never"},
                failed("appendfsync",
                       "argument(s) must be one of the following: everysec, always, no")},
        Example{"", {}, {"CONFIG", "SET", "appendonly", "YES", "appendfsync", "Always"}, kOk},
        Example{"", {}, {"CONFIG", "SET", "save", "3600"}, failed("save", kNoSaves)},
        Example{"", {}, {"CONFIG", "SET", "save", "3600 x"}, failed("save", kNoSaves)},
        Example{"", {}, {"CONFIG", "SET", "save", "0 1"}, failed("save", kNoSaves)},
        Example{"", {}, {"CONFIG", "SET", "save", "3600 -1"}, failed("save", kNoSaves)},
        Example{"", {}, {"CONFIG", "SET", "save", "3600 1  300 100"}, failed("save", kNoSaves)},
        Example{"", {}, {"CONFIG", "SET", "save", " "}, failed("save", kNoSaves)},
        Example{"", {}, {"CONFIG", "SET", "save", ""}, kOk},
        Example{"",
                {},
                {"CONFIG", "SET", "key-load-delay", "2147483648"},
                failed("key-load-delay",
                       "argument must be between -2147483648 and 2147483647 inclusive")},
        Example{
            "", {}, {"CONFIG", "SET", "dir", "/tmp"}, failed("dir", "can't set protected config")},
        Example{"",
                {},
                {"CONFIG", "SET", "dbfilename", "x"},
                failed("dbfilename", "can't set protected config")},
        Example{"",
                {},
                {"CONFIG", "SET", "appendfilename", "x"},
                failed("appendfilename", "can't set immutable config")},
        Example{"",
                {},
                {"CONFIG", "SET", "client-output-buffer-limit", "pubsub 1mb"},
                failed("client-output-buffer-limit",
                       "Wrong number of arguments in buffer limit configuration.")},
        Example{"",
                {},
                {"CONFIG", "SET", "client-output-buffer-limit", "foo 1 2 3"},
                failed("client-output-buffer-limit",
                       "Invalid client class specified in buffer limit configuration.")},
        Example{"",
                {},
                {"CONFIG", "SET", "client-output-buffer-limit", "pubsub 1mb a 3"},
                failed("client-output-buffer-limit",
                       "Error in hard, soft or soft_seconds setting in buffer limit "
                       "configuration.")},
        Example{"", {}, {"CONFIG", "RESETSTAT"}, kOk},
        Example{"", {}, {"CONFIG", "RESETSTAT", "x"}, wrong_arity("config|resetstat")},
        Example{"",
                {},
                {"CONFIG", "REWRITE"},
                "-ERR The server is running without a config file\r\n"}));

// Here the model differs from the real server and replies with an error that says so.
TEST(Config, RefusesWhatItDoesNotVary) {
  LoneServer redis;
  EXPECT_EQ(redis("CONFIG", "SET", "aof-load-truncated", "yes"), kOk);
  EXPECT_EQ(redis("CONFIG", "SET", "aof-load-truncated", "no"),
            failed("aof-load-truncated", "the model knows only 'yes'"));
  EXPECT_EQ(redis("CONFIG", "SET", "maxmemory-policy", "allkeys-lru"),
            failed("maxmemory-policy", "the model knows only 'noeviction'"));
}

TEST(Config, SetsAllOrNothing) {
  LoneServer redis;
  redis("CONFIG", "SET", "maxmemory", "77", "hz", "x");
  EXPECT_EQ(redis("CONFIG", "GET", "maxmemory"), "*2\r\n$9\r\nmaxmemory\r\n$1\r\n0\r\n");
}

TEST(Config, IsForgottenWithTheProcess) {
  Config config;
  Reply reply;
  const std::string_view pairs[] = {"maxmemory", "77", "lua-time-limit", "8"};
  config.set(pairs, reply);
  EXPECT_EQ(config.max_memory(), 77u);
  EXPECT_EQ(config.busy_after_ms(), 8);
  config.reset();
  EXPECT_EQ(config.max_memory(), 0u);
  EXPECT_EQ(config.busy_after_ms(), 5000);
}

// ---------------------------------------------------------------- memory that is full (R106)

const std::string kOom = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
const std::vector<Words> kFull = {{"SET", "k", "v"}, {"CONFIG", "SET", "maxmemory", "1"}};

class FullMemory : public Examples {};
TEST_P(FullMemory, AnswersAsTheRealServerDoes) { EXPECT_EQ(answer(), GetParam().reply); }

INSTANTIATE_TEST_SUITE_P(
    R106, FullMemory,
    testing::Values(
        Example{"R106", kFull, {"SET", "a", "1"}, kOom},
        Example{"R106", kFull, {"HINCRBY", "h", "f", "1"}, kOom},
        Example{"R106", kFull, {"GET", "k"}, "$1\r\nv\r\n"},
        Example{"R106", kFull, {"DEL", "k"}, ":1\r\n"},
        Example{"R106", kFull, {"PEXPIRE", "k", "1000"}, ":1\r\n"},
        Example{"R106", kFull, {"PUBLISH", "a", "b"}, ":0\r\n"},
        Example{"R106",
                kFull,
                {"EVAL", "return redis.call('set','a','1')", "0"},
                "-OOM command not allowed when used memory > 'maxmemory'. script: "
                "67ed14c1cb086d8c2fcf91ebe13410ba087fd0f8, on @user_script:1.\r\n"},
        // A script that has already written continues.
        Example{"R106",
                kFull,
                {"EVAL", "redis.call('del','zz') return redis.call('set','a','1')", "0"},
                kOk},
        Example{"R106", kFull, {"EVAL", "return 1", "0"}, ":1\r\n"},
        Example{"R106", kFull, {"EVAL", "#!lua\nreturn 1", "0"}, kOom},
        Example{"R106", kFull, {"EVAL", "#!lua flags=no-writes\nreturn 1", "0"}, ":1\r\n"},
        Example{"R106",
                kFull,
                {"EVAL", "#!lua flags=allow-oom\nreturn redis.call('set','a','b')", "0"},
                kOk},
        // Nothing is queued.
        Example{"R106", {kFull[0], kFull[1], {"MULTI"}}, {"GET", "k"}, kOom},
        Example{"R106", {kFull[0], kFull[1], {"MULTI"}}, {"EXEC"}, "*0\r\n"},
        Example{"R106", {kFull[0], kFull[1], {"MULTI"}}, {"DISCARD"}, kOk},
        Example{"R106",
                {kFull[0], kFull[1], {"MULTI"}, {"GET", "k"}},
                {"EXEC"},
                "-EXECABORT Transaction discarded because of previous errors.\r\n"},
        Example{"R106",
                {kFull[0], kFull[1], {"CONFIG", "SET", "maxmemory", "0"}},
                {"SET", "a", "1"},
                kOk},
        // A script uses the state of memory from the last command that began under a limit.
        Example{"R106",
                {{"SET", "k", "v"},
                 {"MULTI"},
                 {"CONFIG", "SET", "maxmemory", "1"},
                 {"EVAL", "return redis.call('set','a','1')", "0"}},
                {"EXEC"},
                "*2\r\n+OK\r\n+OK\r\n"},
        Example{"R106",
                {{"CONFIG", "SET", "maxmemory", "1"},
                 {"CONFIG", "SET", "maxmemory", "0"},
                 {"MULTI"},
                 {"CONFIG", "SET", "maxmemory", "1"},
                 {"EVAL", "return redis.pcall('set','a','1')", "0"}},
                {"EXEC"},
                "*2\r\n+OK\r\n" + kOom}));

// Memory is not checked during a pause: a command waits, or is refused for another reason.
TEST(FullMemory, RefusesNothingWhileClientsArePaused) {
  LoneServer redis;
  redis("SSUBSCRIBE", "s");
  Session& other = redis.connect();
  redis.send(other, Words{"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(redis("SET", "a", "1"), kOom);
  redis.send(other, Words{"CLIENT", "PAUSE", "50"});
  EXPECT_TRUE(redis("SET", "a", "1").starts_with("-ERR Can't execute 'set'"));
}

TEST(FullMemory, RefusesATransactionThatWouldGrowIt) {  // R106
  LoneServer redis;
  Session& other = redis.connect();
  redis("MULTI");
  redis("SET", "a", "1");
  redis.send(other, Words{"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(redis("EXEC"),
            "-EXECABORT Transaction discarded because of: OOM command not allowed when used memory "
            "> 'maxmemory'.\r\n");
  EXPECT_EQ(redis("EXEC"), "-ERR EXEC without MULTI\r\n");
}

TEST(ConfigFile, IsReadAtEveryStart) {
  LoneServer server;
  constexpr std::string_view kFile[] = {"min-replicas-to-write", "1", "maxmemory", "100mb"};
  server.server.configure(kFile);
  const std::string refused = "-NOREPLICAS Not enough good replicas to write.\r\n";
  EXPECT_EQ(server("SET", "k", "v"), refused);
  server("CONFIG", "SET", "min-replicas-to-write", "0");
  EXPECT_EQ(server("SET", "k", "v"), "+OK\r\n");
  sim::Scheduler& scheduler = server.simulation.scheduler;
  scheduler.processes().halt(*server.process, false);
  scheduler.processes().restart(*server.process, sim::Keeps::none);
  Session& anew = server.connect();
  constexpr std::string_view kSet[] = {"SET", "k", "v"};
  EXPECT_EQ(server.send(anew, kSet), refused);
}

TEST(ConfigFile, RefusesWhatConfigSetRefuses) {
  LoneServer server;
  constexpr std::string_view kFile[] = {"maxmemory", "plenty"};
  EXPECT_THROW(server.server.configure(kFile), std::invalid_argument);
}

}  // namespace
}  // namespace picklock::redis::config_tests
