#include <gmock/gmock.h>

#include <ostream>

#include "models/redis/lone_server.h"
#include "picklock/redis.h"

namespace picklock::redis::script_commands_tests {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string_view>;

struct Example {
  std::string_view fact;  // of docs/facts/fidelity.md
  Words command;
  std::string reply;  // of redis-server 7.0.15; SHA stands for that of the script
};

void PrintTo(const Example& example, std::ostream* out) {
  *out << example.fact << ':';
  for (std::string_view word : example.command) *out << " '" << word << '\'';
}

class ScriptCommands : public testing::TestWithParam<Example> {};

TEST_P(ScriptCommands, AnswerAsTheRealServerDoes) {
  LoneServer redis;
  redis("SCRIPT", "LOAD", "return 1");
  std::string reply = GetParam().reply;
  const std::size_t at = reply.find("SHA");
  if (at != std::string::npos) reply.replace(at, 3, sha1_hex(GetParam().command[1]));
  EXPECT_EQ(redis.send(GetParam().command), reply);
}

constexpr std::string_view kOne = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";  // of `return 1`
constexpr std::string_view kOneUpper = "E0E1F9FABFC9D4800C877A703B823AC0578FF8DB";
constexpr std::string_view kNobody = "ffffffffffffffffffffffffffffffffffffffff";
const std::string kNoScriptError = "-NOSCRIPT No matching script. Please use EVAL.\r\n";
const std::string kNotInteger = "-ERR value is not an integer or out of range\r\n";

INSTANTIATE_TEST_SUITE_P(
    Eval, ScriptCommands,
    testing::Values(
        Example{"R81", {"EVALSHA", kOne, "0"}, ":1\r\n"},
        Example{"R81", {"EVALSHA", kOneUpper, "0"}, ":1\r\n"},
        Example{"R81", {"EVALSHA_RO", kOne, "0"}, ":1\r\n"},
        Example{"R81", {"EVALSHA", kNobody, "0"}, kNoScriptError},
        Example{"R81", {"EVALSHA", "abc", "x"}, kNoScriptError},
        Example{"R81", {"EVALSHA", kNobody, "x"}, kNotInteger},
        Example{"R82", {"EVAL", "return 1", "x"}, kNotInteger},
        Example{"R82",
                {"EVAL", "return 1", "2", "a"},
                "-ERR Number of keys can't be greater than number of args\r\n"},
        Example{"R82", {"EVAL", "return 1", "-1"}, "-ERR Number of keys can't be negative\r\n"},
        Example{"R82", {"EVAL", "return"}, "-ERR wrong number of arguments for 'eval' command\r\n"},
        Example{"R82", {"EVAL", "return {KEYS[2],ARGV[1]}", "1", "k", "a"}, "*0\r\n"},
        Example{"R82", {"EVAL", "return redis.call('set','undeclared','v')", "0"}, "+OK\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Script, ScriptCommands,
    testing::Values(
        Example{"R81", {"SCRIPT", "LOAD", "return 1"}, "$40\r\n" + std::string(kOne) + "\r\n"},
        Example{"R81",
                {"script", "exists", kOne, kNobody, kOneUpper, "x"},
                "*4\r\n:1\r\n:0\r\n:1\r\n:0\r\n"},
        Example{"R83",
                {"SCRIPT", "LOAD", "x x"},
                "-ERR Error compiling script (new function): user_script:1: '=' expected near "
                "'x'\r\n"},
        Example{"R81", {"SCRIPT", "FLUSH"}, "+OK\r\n"},
        Example{"R81", {"SCRIPT", "FLUSH", "aSYNC"}, "+OK\r\n"},
        Example{"R81",
                {"SCRIPT", "FLUSH", "x"},
                "-ERR SCRIPT FLUSH only support SYNC|ASYNC option\r\n"},
        Example{"R84", {"SCRIPT", "KILL"}, "-NOTBUSY No scripts in execution right now.\r\n"},
        Example{"R104", {"SCRIPT", "NOPE"}, "-ERR unknown subcommand 'NOPE'. Try SCRIPT HELP.\r\n"},
        Example{"R104",
                {"SCRIPT", "KILL", "x"},
                "-ERR wrong number of arguments for 'script|kill' command\r\n"},
        Example{"R104", {"SCRIPT"}, "-ERR wrong number of arguments for 'script' command\r\n"},
        Example{"R84", {"SCRIPT", "DEBUG", "x"}, "-ERR Use SCRIPT DEBUG YES/SYNC/NO\r\n"}));

const std::string kReadOnly = "-ERR Write commands are not allowed from read-only scripts.";

INSTANTIATE_TEST_SUITE_P(
    ReadOnly, ScriptCommands,
    testing::Values(
        Example{"R85",
                {"EVAL_RO", "return redis.call('set','k','v')", "0"},
                kReadOnly + " script: SHA, on @user_script:1.\r\n"},
        Example{"R85", {"EVAL_RO", "return redis.pcall('set','k','v')", "0"}, kReadOnly + "\r\n"},
        Example{"R85",
                {"EVAL", "#!lua flags=no-writes\nreturn redis.call('set','k','v')", "0"},
                kReadOnly + " script: SHA, on @user_script:2.\r\n"},
        Example{"R85",
                {"EVAL_RO", "#!lua\nreturn 1", "0"},
                "-ERR Can not execute a script with write flag using *_ro command.\r\n"},
        Example{"R85", {"EVAL_RO", "#!lua flags=no-writes\nreturn 1", "0"}, ":1\r\n"},
        Example{"R85", {"EVAL_RO", "return redis.call('get','k')", "0"}, "$-1\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Shebang, ScriptCommands,
    testing::Values(
        Example{"R85", {"EVAL", "#!lua", "0"}, "-ERR Invalid script shebang\r\n"},
        Example{"R85", {"EVAL", "#!lua\n", "0"}, "$-1\r\n"},
        Example{"R85",
                {"EVAL", "#!\nreturn 1", "0"},
                "-ERR Unexpected engine in script shebang: #!\r\n"},
        Example{"R85",
                {"EVAL", "#!js\nreturn 1", "0"},
                "-ERR Unexpected engine in script shebang: #!js\r\n"},
        Example{
            "R85", {"EVAL", "#!\"lua\nreturn 1", "0"}, "-ERR Invalid engine in script shebang\r\n"},
        Example{"R85", {"EVAL", "#!'lua' \"flags=no-writes\"\r\nreturn 1", "0"}, ":1\r\n"},
        Example{"R85",
                {"EVAL", "#!lua flags=nope\nreturn 1", "0"},
                "-ERR Unexpected flag in script shebang: nope\r\n"},
        Example{"R85",
                {"EVAL", "#!lua flags=no-writes,\nreturn 1", "0"},
                "-ERR Unexpected flag in script shebang: \r\n"},
        Example{"R85",
                {"EVAL", "#!lua name=x\nreturn 1", "0"},
                "-ERR Unknown lua shebang option: name=x\r\n"},
        Example{"R85",
                {"EVAL",
                 "#!lua "
                 "flags=no-writes,allow-oom,allow-stale,no-cluster,allow-cross-slot-keys\nreturn 2",
                 "0"},
                ":2\r\n"},
        Example{"R83",
                {"EVAL", "#!lua\n\nx", "0"},
                "-ERR Error compiling script (new function): user_script:3: '=' expected near "
                "'<eof>'\r\n"},
        Example{"R78",
                {"EVAL", "#!lua\n\nerror('a')", "0"},
                "-ERR user_script:3: a script: SHA, on @user_script:3.\r\n"}));

TEST(ScriptCache, KnowsWhatWasLoadedOrRunUntilItIsFlushed) {  // R81
  LoneServer redis;
  EXPECT_EQ(redis("EVALSHA", kOne, "0"), kNoScriptError);
  redis("EVAL", "return 1", "0");
  EXPECT_EQ(redis("EVALSHA", kOne, "0"), ":1\r\n");
  redis("SCRIPT", "FLUSH");
  EXPECT_EQ(redis("EVALSHA", kOne, "0"), kNoScriptError);
  EXPECT_EQ(redis("SCRIPT", "EXISTS", kOne), "*1\r\n:0\r\n");
  redis("SCRIPT", "LOAD", "return 1");
  EXPECT_EQ(redis("EVALSHA", kOne, "0"), ":1\r\n");
}

TEST(ScriptCache, HoldsMoreThanTheInterpreterKeepsForTheNextRun) {
  LoneServer redis;
  for (int run = 0; run < 2; ++run) {
    for (int i = 0; i < 1500; ++i) redis("SCRIPT", "LOAD", "return " + std::to_string(i));
    EXPECT_EQ(redis("EVALSHA", sha1_hex("return 7"), "0"), ":7\r\n");
    redis.server.scripts().lua().reset();
    EXPECT_EQ(redis("EVALSHA", sha1_hex("return 7"), "0"), kNoScriptError);
  }
}

TEST(ScriptHelp, ListsTheSubcommands) {
  LoneServer redis;
  EXPECT_THAT(redis("SCRIPT", "HELP"), HasSubstr("*17\r\n+SCRIPT <subcommand> [<arg>"));
}

}  // namespace
}  // namespace picklock::redis::script_commands_tests
