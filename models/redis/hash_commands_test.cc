#include <gmock/gmock.h>

#include <set>

#include "testing/redis/command_example.h"

namespace picklock::redis::hash_commands_tests {
namespace {

class HashCommands : public Examples {};
TEST_P(HashCommands, AnswerAsTheRealServerDoes) { EXPECT_EQ(answer(), GetParam().reply); }

const std::vector<Words> kString = {{"SET", "k", "v"}};
const std::vector<Words> kPair = {{"HSET", "k", "b", "1", "a", "22"}};
const std::string kFieldNotInteger = "-ERR hash value is not an integer\r\n";

INSTANTIATE_TEST_SUITE_P(
    Write, HashCommands,
    testing::Values(
        Example{"R101", {}, {"HSET", "k", "f", "1"}, ":1\r\n"},
        Example{"R101", kPair, {"HSET", "k", "b", "2", "c", "3", "c", "4"}, ":1\r\n"},
        Example{"", {}, {"HSET", "k", "f", "1", "g"}, wrong_arity("hset")},
        Example{"", {}, {"HMSET", "k", "f", "1", "g"}, wrong_arity("hmset")},
        Example{"", {}, {"HMSET", "k", "f", "1"}, kOk},
        Example{"R103", kString, {"HSET", "k", "f", "1"}, kWrongType},
        Example{"", {}, {"HSETNX", "k", "f", "1"}, ":1\r\n"},
        Example{"", kPair, {"HSETNX", "k", "b", "9"}, ":0\r\n"},
        Example{"", {kPair[0], {"HSETNX", "k", "b", "9"}}, {"HGET", "k", "b"}, "$1\r\n1\r\n"},
        Example{"R101", {}, {"HINCRBY", "k", "f", "3"}, ":3\r\n"},
        Example{"R101", {{"HSET", "k", "f", "1"}}, {"HINCRBY", "k", "f", "-1"}, ":0\r\n"},
        Example{"R101",
                {{"HSET", "k", "f", "1"}, {"HINCRBY", "k", "f", "-1"}},
                {"HGET", "k", "f"},
                "$1\r\n0\r\n"},
        Example{"R102", {{"HSET", "k", "f", "abc"}}, {"HINCRBY", "k", "f", "1"}, kFieldNotInteger},
        Example{"R102", {{"HSET", "k", "f", "1.0"}}, {"HINCRBY", "k", "f", "1"}, kFieldNotInteger},
        Example{"R102", {{"HSET", "k", "f", " 1"}}, {"HINCRBY", "k", "f", "1"}, kFieldNotInteger},
        Example{"R102", {{"HSET", "k", "f", "01"}}, {"HINCRBY", "k", "f", "1"}, kFieldNotInteger},
        Example{"R102", kString, {"HINCRBY", "k", "f", "x"}, kNotInteger},
        Example{"R102",
                {{"HSET", "k", "f", "9223372036854775807"}},
                {"HINCRBY", "k", "f", "1"},
                kOverflow},
        Example{"R103", kString, {"HINCRBY", "k", "f", "1"}, kWrongType},
        Example{"", {}, {"HDEL", "k", "f"}, ":0\r\n"},
        Example{"", kPair, {"HDEL", "k", "a", "a", "c"}, ":1\r\n"},
        Example{"R101", {kPair[0], {"HDEL", "k", "a", "b"}}, {"EXISTS", "k"}, ":0\r\n"},
        Example{
            "R101",
            {kPair[0], {"EXPIRE", "k", "100"}, {"HDEL", "k", "a", "b"}, {"HSET", "k", "f", "1"}},
            {"TTL", "k"},
            ":-1\r\n"},
        Example{"R8",
                {kPair[0], {"EXPIRE", "k", "100"}, {"HSET", "k", "a", "3"}},
                {"TTL", "k"},
                ":100\r\n"},
        Example{"R8",
                {kPair[0], {"EXPIRE", "k", "100"}, {"HINCRBY", "k", "a", "3"}},
                {"TTL", "k"},
                ":100\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Read, HashCommands,
    testing::Values(
        Example{"", {}, {"HGET", "k", "f"}, kNil}, Example{"", kPair, {"HGET", "k", "f"}, kNil},
        Example{"", kPair, {"HGET", "k", "a"}, "$2\r\n22\r\n"},
        Example{"R103", kString, {"HGET", "k", "a"}, kWrongType},
        Example{"", {}, {"HMGET", "k", "a"}, "*1\r\n$-1\r\n"},
        Example{"", kPair, {"HMGET", "k", "a", "f", "b"}, "*3\r\n$2\r\n22\r\n$-1\r\n$1\r\n1\r\n"},
        Example{"R103", kString, {"HMGET", "k", "a"}, kWrongType},
        Example{"", {}, {"HGETALL", "k"}, "*0\r\n"}, Example{"", {}, {"HGETALL", "k"}, "%0\r\n", 3},
        // In the order in which they came; what is overwritten keeps its place.
        Example{"",
                {kPair[0], {"HSET", "k", "b", "3"}},
                {"HGETALL", "k"},
                "*4\r\n$1\r\nb\r\n$1\r\n3\r\n$1\r\na\r\n$2\r\n22\r\n"},
        Example{
            "", kPair, {"HGETALL", "k"}, "%2\r\n$1\r\nb\r\n$1\r\n1\r\n$1\r\na\r\n$2\r\n22\r\n", 3},
        Example{"", {}, {"HKEYS", "k"}, "*0\r\n"},
        Example{"", kPair, {"HKEYS", "k"}, "*2\r\n$1\r\nb\r\n$1\r\na\r\n", 3},
        Example{"", kPair, {"HVALS", "k"}, "*2\r\n$1\r\n1\r\n$2\r\n22\r\n"},
        Example{"", kPair, {"HEXISTS", "k", "a"}, ":1\r\n"},
        Example{"", kPair, {"HEXISTS", "k", "f"}, ":0\r\n"},
        Example{"", {}, {"HLEN", "k"}, ":0\r\n"}, Example{"", kPair, {"HLEN", "k"}, ":2\r\n"},
        Example{"", kPair, {"HSTRLEN", "k", "a"}, ":2\r\n"},
        Example{"", kPair, {"HSTRLEN", "k", "f"}, ":0\r\n"}));

const std::string kOutOfRange =
    "-ERR value is out of range, value must between -9223372036854775807 and "
    "9223372036854775807\r\n";

INSTANTIATE_TEST_SUITE_P(
    RandomFields, HashCommands,
    testing::Values(Example{"", {}, {"HRANDFIELD", "k"}, "$-1\r\n"},
                    Example{"", {}, {"HRANDFIELD", "k", "2"}, "*0\r\n"},
                    Example{"", kPair, {"HRANDFIELD", "k", "0"}, "*0\r\n"},
                    Example{"", kPair, {"HRANDFIELD", "k", "5"}, "*2\r\n$1\r\nb\r\n$1\r\na\r\n"},
                    Example{"",
                            kPair,
                            {"HRANDFIELD", "k", "2", "withvalues"},
                            "*4\r\n$1\r\nb\r\n$1\r\n1\r\n$1\r\na\r\n$2\r\n22\r\n"},
                    Example{"", {{"HSET", "k", "f", "1"}}, {"HRANDFIELD", "k"}, "$1\r\nf\r\n"},
                    Example{"",
                            {{"HSET", "k", "f", "1"}},
                            {"HRANDFIELD", "k", "-2"},
                            "*2\r\n$1\r\nf\r\n$1\r\nf\r\n"},
                    Example{"", kString, {"HRANDFIELD", "k"}, kWrongType},
                    Example{"", kPair, {"HRANDFIELD", "k", "x"}, kNotInteger},
                    Example{"", kPair, {"HRANDFIELD", "k", "1", "VALUES"}, kSyntax},
                    Example{"", kPair, {"HRANDFIELD", "k", "1", "WITHVALUES", "x"}, kSyntax},
                    Example{"",
                            kPair,
                            {"HRANDFIELD", "k", "9223372036854775807", "WITHVALUES"},
                            "-ERR value is out of range\r\n"},
                    Example{"", kPair, {"HRANDFIELD", "k", "-9223372036854775808"}, kOutOfRange}));

TEST(RandomField, MayBeAny) {
  LoneServer redis;
  redis("HSET", "k", "a", "1", "b", "2", "c", "3");
  std::set<std::string> one;
  std::set<std::string> two;
  for (int i = 0; i < 200; ++i) {
    one.insert(redis("HRANDFIELD", "k"));
    two.insert(redis("HRANDFIELD", "k", "2"));
  }
  EXPECT_EQ(one.size(), 3u);
  EXPECT_EQ(two.size(), 3u) << "two different ones, in the order of the hash";
}

}  // namespace
}  // namespace picklock::redis::hash_commands_tests
