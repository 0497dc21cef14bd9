#include "testing/redis/command_example.h"

namespace picklock::redis::list_commands_tests {
namespace {

class ListCommands : public Examples {};
TEST_P(ListCommands, AnswerAsTheRealServerDoes) { EXPECT_EQ(answer(), GetParam().reply); }

const std::vector<Words> kString = {{"SET", "k", "v"}};
const std::vector<Words> kAbc = {{"RPUSH", "k", "a", "b", "c"}};
const std::vector<Words> kAbaca = {{"RPUSH", "k", "a", "b", "a", "c", "a"}};
const Words kAll = {"LRANGE", "k", "0", "-1"};
const std::string kNotPositive = "-ERR value is out of range, must be positive\r\n";

std::string items(std::initializer_list<std::string> elements) {
  std::string reply = "*" + std::to_string(elements.size()) + "\r\n";
  for (const std::string& element : elements)
    reply += "$" + std::to_string(element.size()) + "\r\n" + element + "\r\n";
  return reply;
}

INSTANTIATE_TEST_SUITE_P(
    PushAndPop, ListCommands,
    testing::Values(
        Example{"", {}, {"RPUSH", "k", "a", "b"}, ":2\r\n"},
        Example{"", {{"LPUSH", "k", "a", "b"}}, kAll, items({"b", "a"})},
        Example{"", {}, {"LPUSHX", "k", "a"}, ":0\r\n"},
        Example{"", kAbc, {"RPUSHX", "k", "d"}, ":4\r\n"},
        Example{"R103", kString, {"LPUSH", "k", "a"}, kWrongType},
        Example{"", {}, {"LPOP", "k"}, kNil}, Example{"", {}, {"LPOP", "k"}, "_\r\n", 3},
        Example{"", kAbc, {"LPOP", "k"}, "$1\r\na\r\n"},
        Example{"", kAbc, {"RPOP", "k"}, "$1\r\nc\r\n"},
        Example{"", {}, {"RPOP", "k", "2"}, "*-1\r\n"},
        Example{"", {}, {"RPOP", "k", "0"}, "*-1\r\n"},
        Example{"", {}, {"RPOP", "k", "2"}, "_\r\n", 3},
        Example{"", kAbc, {"RPOP", "k", "2"}, items({"c", "b"})},
        Example{"", kAbc, {"LPOP", "k", "9"}, items({"a", "b", "c"})},
        Example{"", kAbc, {"LPOP", "k", "0"}, "*0\r\n"},
        Example{"", kAbc, {"LPOP", "k", "-1"}, kNotPositive},
        Example{"", kAbc, {"LPOP", "k", "x"}, kNotPositive},
        Example{"", kAbc, {"LPOP", "k", "1", "1"}, wrong_arity("lpop")},
        Example{"R103", kString, {"LPOP", "k"}, kWrongType},
        Example{"R101", {kAbc[0], {"LPOP", "k", "3"}}, {"EXISTS", "k"}, ":0\r\n"},
        Example{"R101",
                {kAbc[0], {"EXPIRE", "k", "100"}, {"LPOP", "k", "3"}, {"LPUSH", "k", "a"}},
                {"TTL", "k"},
                ":-1\r\n"},
        Example{"R8", {kAbc[0], {"EXPIRE", "k", "100"}, {"LPOP", "k"}}, {"TTL", "k"}, ":100\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Places, ListCommands,
    testing::Values(
        Example{"", {}, {"LLEN", "k"}, ":0\r\n"}, Example{"", kAbc, {"LLEN", "k"}, ":3\r\n"},
        Example{"", kAbc, {"LINDEX", "k", "-1"}, "$1\r\nc\r\n"},
        Example{"", kAbc, {"LINDEX", "k", "3"}, kNil},
        Example{"", kAbc, {"LINDEX", "k", "x"}, kNotInteger},
        Example{"", {}, {"LINDEX", "k", "x"}, kNil},
        Example{"", kAbc, {"LRANGE", "k", "-2", "9"}, items({"b", "c"})},
        Example{"", kAbc, {"LRANGE", "k", "-9", "-3"}, items({"a"})},
        Example{"", kAbc, {"LRANGE", "k", "-9", "-4"}, "*0\r\n"},
        Example{"", kAbc, {"LRANGE", "k", "2", "1"}, "*0\r\n"},
        Example{"", {}, {"LRANGE", "k", "0", "1"}, "*0\r\n"},
        Example{"", kString, {"LRANGE", "k", "0", "x"}, kNotInteger},
        Example{"", {kAbc[0], {"LSET", "k", "-1", "z"}}, kAll, items({"a", "b", "z"})},
        Example{"", kAbc, {"LSET", "k", "3", "z"}, "-ERR index out of range\r\n"},
        Example{"", {}, {"LSET", "k", "x", "z"}, "-ERR no such key\r\n"},
        Example{"", {}, {"LTRIM", "k", "0", "1"}, kOk},
        Example{"", {kAbc[0], {"LTRIM", "k", "1", "-1"}}, kAll, items({"b", "c"})},
        Example{"R101", {kAbc[0], {"LTRIM", "k", "3", "9"}}, {"EXISTS", "k"}, ":0\r\n"},
        Example{"", kAbaca, {"LREM", "k", "2", "a"}, ":2\r\n"},
        Example{"", {kAbaca[0], {"LREM", "k", "2", "a"}}, kAll, items({"b", "c", "a"})},
        Example{"", {kAbaca[0], {"LREM", "k", "-2", "a"}}, kAll, items({"a", "b", "c"})},
        Example{"", {kAbaca[0], {"LREM", "k", "0", "a"}}, kAll, items({"b", "c"})},
        Example{"", kAbaca, {"LREM", "k", "-9223372036854775808", "a"}, ":3\r\n"},
        Example{"", kAbaca, {"LREM", "k", "1", "z"}, ":0\r\n"},
        Example{
            "R101", {{"RPUSH", "k", "a"}, {"LREM", "k", "0", "a"}}, {"EXISTS", "k"}, ":0\r\n"}));

}  // namespace
}  // namespace picklock::redis::list_commands_tests
