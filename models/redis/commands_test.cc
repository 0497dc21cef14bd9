#include "testing/redis/command_example.h"

namespace picklock::redis::commands_tests {
namespace {

class Commands : public Examples {};
TEST_P(Commands, AnswerAsTheRealServerDoes) { EXPECT_EQ(answer(), GetParam().reply); }

const std::string kNoScript = "-NOSCRIPT No matching script. Please use EVAL.\r\n";

INSTANTIATE_TEST_SUITE_P(
    Others, Commands,
    testing::Values(
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

}  // namespace
}  // namespace picklock::redis::commands_tests
