#include <gmock/gmock.h>

#include <ostream>

#include "models/redis/lone_server.h"

namespace picklock::models::redis {
namespace {

using namespace std::chrono_literals;

using Words = std::vector<std::string_view>;

struct Example {
  std::string_view fact;  // of docs/facts/fidelity.md
  std::vector<Words> before;
  Words command;
  std::string reply;  // the very bytes of redis-server 7.0.15
};

void PrintTo(const Example& example, std::ostream* out) {
  *out << example.fact << ':';
  for (std::string_view word : example.command) *out << " '" << word << '\'';
}

class Commands : public testing::TestWithParam<Example> {};

TEST_P(Commands, AnswerAsTheRealServerDoes) {
  LoneServer redis;
  for (const Words& command : GetParam().before) redis.send(command);
  EXPECT_EQ(redis.send(GetParam().command), GetParam().reply);
}

const std::string kOk = "+OK\r\n";
const std::string kNil = "$-1\r\n";
const std::string kSyntax = "-ERR syntax error\r\n";
const std::string kNotInteger = "-ERR value is not an integer or out of range\r\n";
const std::string kBadExpire = "-ERR invalid expire time in 'set' command\r\n";
const std::string kNoScript = "-NOSCRIPT No matching script. Please use EVAL.\r\n";
const std::vector<Words> kHeld = {{"SET", "k", "old"}};
const std::vector<Words> kLeased = {{"SET", "k", "old", "PX", "1000"}};

INSTANTIATE_TEST_SUITE_P(
    Set, Commands,
    testing::Values(
        Example{"R1", {}, {"SET", "k", "v", "NX", "PX", "10000"}, kOk},
        Example{"R1", kHeld, {"SET", "k", "v", "NX", "PX", "10000"}, kNil},
        Example{"R2", {}, {"SET", "k", "v", "XX"}, kNil},
        Example{"R2", kHeld, {"SET", "k", "v", "NX", "GET"}, "$3\r\nold\r\n"},
        Example{"R2", {}, {"SET", "k", "v", "NX", "GET"}, kNil},
        Example{"R2", kHeld, {"SET", "k", "v", "XX", "GET"}, "$3\r\nold\r\n"},
        Example{"R3", {}, {"sEt", "k", "v", "px", "100", "nX"}, kOk},
        Example{"R4", {}, {"SET", "k", "v", "PX", "0"}, kBadExpire},
        Example{"R4", {}, {"SET", "k", "v", "EX", "-1"}, kBadExpire},
        Example{"R4", {}, {"SET", "k", "v", "EXAT", "0"}, kBadExpire},
        Example{"R4", {}, {"SET", "k", "v", "EX", "9223372036854775807"}, kBadExpire},
        Example{"R4", {}, {"SET", "k", "v", "PX", "9223372036854775807"}, kBadExpire},
        Example{"R4", {}, {"SET", "k", "v", "PX", "9000000000000000000"}, kOk},
        Example{"R4", kHeld, {"SET", "k", "v", "NX", "PX", "0"}, kBadExpire},
        Example{"R5", {}, {"SET", "k", "v", "PX", "abc"}, kNotInteger},
        Example{"R5", {}, {"SET", "k", "v", "PX", "1.5"}, kNotInteger},
        Example{"R5", {}, {"SET", "k", "v", "PX", " 5"}, kNotInteger},
        Example{"R5", {}, {"SET", "k", "v", "PX", "+5"}, kNotInteger},
        Example{"R5", {}, {"SET", "k", "v", "PX", "05"}, kNotInteger},
        Example{"R5", {}, {"SET", "k", "v", "PX", "-0"}, kNotInteger},
        Example{"R5", {}, {"SET", "k", "v", "PX", "0x10"}, kNotInteger},
        Example{"R5", {}, {"SET", "k", "v", "PX", ""}, kNotInteger},
        Example{"R5", {}, {"SET", "k", "v", "PX", "9223372036854775808"}, kNotInteger},
        Example{"R6", {}, {"SET", "k", "v", "NX", "XX"}, kSyntax},
        Example{"R6", {}, {"SET", "k", "v", "NX", "NX"}, kOk},
        Example{"R6", {}, {"SET", "k", "v", "EX", "1", "PX", "1"}, kSyntax},
        Example{"R6", {}, {"SET", "k", "v", "PX", "abc", "PX", "20"}, kOk},
        Example{"R6", {}, {"SET", "k", "v", "KEEPTTL", "EX", "1"}, kSyntax},
        Example{"R6", {}, {"SET", "k", "v", "PX", "1", "KEEPTTL"}, kSyntax},
        Example{"R6", {}, {"SET", "k", "v", "PX"}, kSyntax},
        Example{"R6", {}, {"SET", "k", "v", "LOUD"}, kSyntax},
        Example{"R6", {}, {"SET", "k"}, "-ERR wrong number of arguments for 'set' command\r\n"},
        Example{
            "R8", {{"SET", "k", "v", "PX", "1000"}, {"SET", "k", "w"}}, {"PTTL", "k"}, ":-1\r\n"},
        Example{"R8",
                {{"SET", "k", "v", "PX", "1000"}, {"SET", "k", "w", "KEEPTTL"}},
                {"PTTL", "k"},
                ":1000\r\n"},
        Example{"R11", {{"SET", "k", "v"}}, {"SET", "k", "v", "PXAT", "1"}, kOk},
        Example{"R11", {{"SET", "k", "v", "PXAT", "1"}}, {"GET", "k"}, kNil}));

INSTANTIATE_TEST_SUITE_P(
    PexpireAndPttl, Commands,
    testing::Values(
        Example{"R9", {}, {"PTTL", "k"}, ":-2\r\n"}, Example{"R9", kHeld, {"PTTL", "k"}, ":-1\r\n"},
        Example{"R9", kLeased, {"pttl", "k"}, ":1000\r\n"},
        Example{"R10", kHeld, {"PEXPIRE", "k", "0"}, ":1\r\n"},
        Example{"R10", kHeld, {"PEXPIRE", "k", "-9223372036854775808"}, ":1\r\n"},
        Example{"R10", {{"SET", "k", "v"}, {"PEXPIRE", "k", "-1"}}, {"EXISTS", "k"}, ":0\r\n"},
        Example{"R14", {{"SET", "k", "v"}, {"PEXPIRE", "k", "0"}}, {"EXISTS", "k"}, ":0\r\n"},
        Example{"R14", {{"SET", "k", "v"}, {"PEXPIRE", "k", "1"}}, {"PTTL", "k"}, ":1\r\n"},
        Example{"R10", {}, {"PEXPIRE", "k", "1000"}, ":0\r\n"},
        Example{"R10", kHeld, {"PEXPIRE", "k", "9000000000000000000"}, ":1\r\n"},
        Example{"R4",
                {},
                {"PEXPIRE", "k", "9223372036854775807"},
                "-ERR invalid expire time in 'pexpire' command\r\n"},
        Example{"R5", kHeld, {"PEXPIRE", "k", "1.5"}, kNotInteger},
        Example{"R12", kHeld, {"PEXPIRE", "k", "1000", "NX"}, ":1\r\n"},
        Example{"R12", kLeased, {"PEXPIRE", "k", "1000", "NX"}, ":0\r\n"},
        Example{"R12", kHeld, {"PEXPIRE", "k", "1000", "XX"}, ":0\r\n"},
        Example{"R12", kLeased, {"PEXPIRE", "k", "2000", "xx", "gt"}, ":1\r\n"},
        Example{"R12", kLeased, {"PEXPIRE", "k", "1000", "GT"}, ":0\r\n"},
        Example{"R12", kHeld, {"PEXPIRE", "k", "1000", "GT"}, ":0\r\n"},
        Example{"R12", kHeld, {"PEXPIRE", "k", "1000", "LT"}, ":1\r\n"},
        Example{"R12", kLeased, {"PEXPIRE", "k", "-1", "LT"}, ":1\r\n"},
        Example{"R12",
                {},
                {"PEXPIRE", "k", "1", "NX", "GT"},
                "-ERR NX and XX, GT or LT options at the same time are not compatible\r\n"},
        Example{"R12",
                {},
                {"PEXPIRE", "k", "1", "GT", "LT"},
                "-ERR GT and LT options at the same time are not compatible\r\n"},
        // The flags are read before the number.
        Example{"R12", {}, {"PEXPIRE", "k", "abc", "ZZ"}, "-ERR Unsupported option ZZ\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Others, Commands,
    testing::Values(
        Example{"R103", kHeld, {"DEL", "k", "k"}, ":1\r\n"},
        Example{"R103", kHeld, {"EXISTS", "k", "k", "j"}, ":2\r\n"},
        Example{"R104",
                {},
                {"NOSUCH", "a", "b"},
                "-ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b' \r\n"},
        Example{"R104", {}, {""}, "-ERR unknown command '', with args beginning with: \r\n"},
        Example{"R104",
                {},
                {"a\r\nb", "c\n"},
                "-ERR unknown command 'a  b', with args beginning with: 'c ' \r\n"},
        Example{"R6", {}, {"GeT"}, "-ERR wrong number of arguments for 'get' command\r\n"},
        Example{
            "R6", {}, {"PTTL", "k", "j"}, "-ERR wrong number of arguments for 'pttl' command\r\n"},
        Example{"R6", {}, {"EVAL", "x"}, "-ERR wrong number of arguments for 'eval' command\r\n"},
        Example{"R81", {}, {"EVALSHA", "nonsense", "abc"}, kNoScript},
        Example{"R81", {}, {"EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"}, kNoScript},
        Example{"R81",
                {{"EVAL", "return 1", "0"}},
                {"EVALSHA", "E0E1F9FABFC9D4800C877A703B823AC0578FF8DB", "0"},
                ":1\r\n"},
        Example{"R82",
                {},
                {"EVAL", "return 1", "1"},
                "-ERR Number of keys can't be greater than number of args\r\n"},
        Example{"R82", {}, {"EVAL", "return 1", "-1"}, "-ERR Number of keys can't be negative\r\n"},
        Example{"R82", {}, {"EVAL", "return 1", "abc"}, kNotInteger}));

TEST(UnknownCommand, QuotesAtMost128CharactersOfItsArguments) {
  LoneServer redis;
  const std::string name(200, 'x');
  const std::string argument(100, 'y');
  EXPECT_EQ(redis(name, argument, argument, "z"), "-ERR unknown command '" + name.substr(0, 128) +
                                                      "', with args beginning with: '" + argument +
                                                      "' '" + argument.substr(0, 25) + "' \r\n");
}

// R13 and R14: alive at its deadline, dead a millisecond later.
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

TEST(Expiry, LeavesAKeyThatLooksAbsentToEveryCommand) {  // R16
  const auto dead = [] {
    auto redis = std::make_unique<LoneServer>();
    (*redis)("SET", "k", "v", "PX", "20");
    redis->pass(21ms);
    return redis;
  };
  EXPECT_EQ((*dead())("GET", "k"), kNil);
  EXPECT_EQ((*dead())("EXISTS", "k"), ":0\r\n");
  EXPECT_EQ((*dead())("DEL", "k"), ":0\r\n");
  EXPECT_EQ((*dead())("PTTL", "k"), ":-2\r\n");
  EXPECT_EQ((*dead())("PEXPIRE", "k", "1000"), ":0\r\n");
  EXPECT_EQ((*dead())("SET", "k", "w", "XX"), kNil);
  EXPECT_EQ((*dead())("SET", "k", "w", "NX"), kOk);
  EXPECT_EQ((*dead())("SET", "k", "w", "NX", "GET"), kNil);
  auto redis = dead();
  (*redis)("SET", "k", "w", "KEEPTTL");
  EXPECT_EQ((*redis)("PTTL", "k"), ":-1\r\n");
}

TEST(Expiry, FollowsTheServersOwnClock) {  // R28
  LoneServer redis;
  redis("SET", "k", "v", "PX", "10000");
  redis.pass(8s);
  EXPECT_EQ(redis("PTTL", "k"), ":2000\r\n");
  redis.pass(-30s);
  EXPECT_EQ(redis("PTTL", "k"), ":32000\r\n");
}

TEST(Expiry, TakesAbsoluteTimesByTheServersClock) {
  LoneServer redis(5s);
  redis("SET", "k", "v", "PXAT", std::to_string(redis.clock_ms() + 1500));
  EXPECT_EQ(redis("PTTL", "k"), ":1500\r\n");
  redis("SET", "k", "v", "EXAT", std::to_string(redis.clock_ms() / 1000 + 2));
  EXPECT_EQ(redis("PTTL", "k"), ":2000\r\n");
}

}  // namespace
}  // namespace picklock::models::redis
