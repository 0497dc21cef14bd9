#include <gmock/gmock.h>

#include <set>

#include "testing/redis/command_example.h"

namespace picklock::redis::set_commands_tests {
namespace {

class SetCommands : public Examples {};
TEST_P(SetCommands, AnswerAsTheRealServerDoes) { EXPECT_EQ(answer(), GetParam().reply); }

const std::vector<Words> kString = {{"SET", "k", "v"}};
const std::vector<Words> kNumbers = {{"SADD", "k", "10", "9", "-3"}};
const std::string kNotPositive = "-ERR value is out of range, must be positive\r\n";

INSTANTIATE_TEST_SUITE_P(
    All, SetCommands,
    testing::Values(
        Example{"", {}, {"SADD", "k", "a", "b", "a"}, ":2\r\n"},
        Example{"", kNumbers, {"SADD", "k", "9", "a"}, ":1\r\n"},
        Example{"R103", kString, {"SADD", "k", "a"}, kWrongType},
        Example{"", {}, {"SMEMBERS", "k"}, "*0\r\n"},
        Example{"", {}, {"SMEMBERS", "k"}, "~0\r\n", 3},
        // Integers alone are kept sorted.
        Example{"", kNumbers, {"SMEMBERS", "k"}, "*3\r\n$2\r\n-3\r\n$1\r\n9\r\n$2\r\n10\r\n"},
        Example{"", {{"SADD", "k", "a"}}, {"SMEMBERS", "k"}, "~1\r\n$1\r\na\r\n", 3},
        Example{"", kNumbers, {"SISMEMBER", "k", "9"}, ":1\r\n"},
        Example{"", kNumbers, {"SISMEMBER", "k", "09"}, ":0\r\n"},
        Example{"", kNumbers, {"SMISMEMBER", "k", "9", "x"}, "*2\r\n:1\r\n:0\r\n"},
        Example{"", {}, {"SMISMEMBER", "k", "9"}, "*1\r\n:0\r\n"},
        Example{"", kString, {"SMISMEMBER", "k", "9"}, kWrongType},
        Example{"", kNumbers, {"SCARD", "k"}, ":3\r\n"}, Example{"", {}, {"SCARD", "k"}, ":0\r\n"},
        Example{"", {}, {"SREM", "k", "9"}, ":0\r\n"},
        Example{"", kNumbers, {"SREM", "k", "9", "9", "x"}, ":1\r\n"},
        Example{"R101", {kNumbers[0], {"SREM", "k", "9", "10", "-3"}}, {"EXISTS", "k"}, ":0\r\n"},
        Example{"", {{"SADD", "k", "a"}}, {"SPOP", "k"}, "$1\r\na\r\n"},
        Example{"R101", {{"SADD", "k", "a"}, {"SPOP", "k"}}, {"EXISTS", "k"}, ":0\r\n"},
        Example{"", {}, {"SPOP", "k"}, kNil}, Example{"", {}, {"SPOP", "k", "2"}, "*0\r\n"},
        Example{"", {}, {"SPOP", "k", "2"}, "~0\r\n", 3},
        Example{"", kNumbers, {"SPOP", "k", "0"}, "*0\r\n"},
        Example{"", kNumbers, {"SPOP", "k", "9"}, "*3\r\n$2\r\n-3\r\n$1\r\n9\r\n$2\r\n10\r\n"},
        Example{"", kNumbers, {"SPOP", "k", "-1"}, kNotPositive},
        Example{"", kNumbers, {"SPOP", "k", "x"}, kNotPositive},
        Example{"", kNumbers, {"SPOP", "k", "1", "1"}, kSyntax}));

TEST(Spop, TakesAMemberByChance) {
  LoneServer redis;
  std::set<std::string> taken;
  for (int i = 0; i < 50; ++i) {
    redis("SADD", "k", "a", "b", "c");
    taken.insert(redis("SPOP", "k"));
    EXPECT_EQ(redis("SCARD", "k"), ":2\r\n");
  }
  EXPECT_THAT(taken, testing::ElementsAre("$1\r\na\r\n", "$1\r\nb\r\n", "$1\r\nc\r\n"));
}

std::vector<std::string> members(const Set& set) { return {set.begin(), set.end()}; }

TEST(Set, OfIntegersIsSortedUntilItHoldsAnythingElse) {
  Set set;
  for (std::string_view member : {"5", "-1", "30", "7"}) set.add(member, {});
  EXPECT_THAT(members(set), testing::ElementsAre("-1", "5", "7", "30"));
  set.add("x", {});
  set.add("6", {});
  EXPECT_THAT(members(set), testing::ElementsAre("-1", "5", "7", "30", "x", "6"));
  set.remove("x");
  set.add("0", {});
  EXPECT_THAT(members(set), testing::ElementsAre("-1", "5", "7", "30", "6", "0"));
}

TEST(Set, OfMoreThan512IntegersIsSortedNoLonger) {
  Set set;
  for (int member = 514; member > 1; --member) set.add(std::to_string(member), {});
  set.add("1", {});
  EXPECT_EQ(*set.begin(), "2");
}

}  // namespace
}  // namespace picklock::redis::set_commands_tests
