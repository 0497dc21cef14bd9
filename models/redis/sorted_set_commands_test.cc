#include "testing/redis/command_example.h"

namespace picklock::redis::sorted_set_commands_tests {
namespace {

class SortedSetCommands : public Examples {};
TEST_P(SortedSetCommands, AnswerAsTheRealServerDoes) { EXPECT_EQ(answer(), GetParam().reply); }

const std::vector<Words> kString = {{"SET", "k", "v"}};
const std::vector<Words> kOne = {{"ZADD", "k", "1", "a"}};
const std::vector<Words> kThree = {{"ZADD", "k", "2", "b", "1", "a", "2", "B"}};
const std::vector<Words> kNames = {{"ZADD", "k", "0", "a", "0", "b", "0", "c", "0", "d"}};
const std::string kNoFloat = "-ERR value is not a valid float\r\n";
const std::string kNoBound = "-ERR min or max is not a float\r\n";
const std::string kNoName = "-ERR min or max not valid string range item\r\n";
const std::string kNotPositive = "-ERR value is out of range, must be positive\r\n";

std::string items(std::initializer_list<std::string> elements) {
  std::string reply = "*" + std::to_string(elements.size()) + "\r\n";
  for (const std::string& element : elements)
    reply += "$" + std::to_string(element.size()) + "\r\n" + element + "\r\n";
  return reply;
}

INSTANTIATE_TEST_SUITE_P(
    Add, SortedSetCommands,
    testing::Values(Example{"", {}, {"ZADD", "k", "1", "a", "2", "b", "3", "a"}, ":2\r\n"},
                    Example{"", kOne, {"ZADD", "k", "5", "a"}, ":0\r\n"},
                    Example{"", kOne, {"ZADD", "k", "CH", "5", "a", "1", "b"}, ":2\r\n"},
                    Example{"", kOne, {"ZADD", "k", "CH", "1", "a"}, ":0\r\n"},
                    Example{"", kOne, {"ZADD", "k", "NX", "CH", "5", "a"}, ":0\r\n"},
                    Example{"", {}, {"ZADD", "k", "XX", "5", "a"}, ":0\r\n"},
                    Example{"", {{"ZADD", "k", "XX", "5", "a"}}, {"EXISTS", "k"}, ":0\r\n"},
                    Example{"", kOne, {"ZADD", "k", "GT", "CH", "0", "a"}, ":0\r\n"},
                    Example{"", kOne, {"ZADD", "k", "lt", "ch", "0", "a"}, ":1\r\n"},
                    Example{"", kOne, {"ZADD", "k", "GT", "0", "b"}, ":1\r\n"},
                    Example{"", kOne, {"ZADD", "k", "INCR", "2", "a"}, "$1\r\n3\r\n"},
                    Example{"", kOne, {"ZADD", "k", "INCR", "2", "a"}, ",3\r\n", 3},
                    Example{"", kOne, {"ZADD", "k", "INCR", "NX", "2", "a"}, kNil},
                    Example{"", kOne, {"ZADD", "k", "INCR", "LT", "2", "a"}, kNil},
                    Example{"", {}, {"ZADD", "k", "NX"}, wrong_arity("zadd")},
                    Example{"", {}, {"ZADD", "k", "NX", "1"}, kSyntax},
                    Example{"", {}, {"ZADD", "k", "1", "a", "2"}, kSyntax},
                    Example{"", {}, {"ZADD", "k", "LOUD", "1", "a"}, kSyntax},
                    Example{"",
                            {},
                            {"ZADD", "k", "NX", "XX", "x", "a"},
                            "-ERR XX and NX options at the same time are not compatible\r\n"},
                    Example{
                        "",
                        {},
                        {"ZADD", "k", "GT", "LT", "x", "a"},
                        "-ERR GT, LT, and/or NX options at the same time are not compatible\r\n"},
                    Example{"",
                            {},
                            {"ZADD", "k", "INCR", "1", "a", "2", "b"},
                            "-ERR INCR option supports a single increment-element pair\r\n"},
                    Example{"", kString, {"ZADD", "k", "x", "a"}, kNoFloat},
                    Example{"", {}, {"ZADD", "k", "nan", "a"}, kNoFloat},
                    Example{"", {}, {"ZADD", "k", "1", "a", "1 ", "b"}, kNoFloat},
                    Example{"R103", kString, {"ZADD", "k", "1", "a"}, kWrongType},
                    Example{"",
                            {{"ZADD", "k", "inf", "a"}},
                            {"ZINCRBY", "k", "-inf", "a"},
                            "-ERR resulting score is not a number (NaN)\r\n"},
                    Example{"", {}, {"ZINCRBY", "k", "2.5", "a"}, "$3\r\n2.5\r\n"},
                    Example{"", {}, {"ZINCRBY", "k", "NX", "a"}, kSyntax}));

INSTANTIATE_TEST_SUITE_P(
    Scores, SortedSetCommands,
    testing::Values(
        Example{"",
                {{"ZADD", "k", "0.1", "a"}},
                {"ZSCORE", "k", "a"},
                "$19\r\n0.10000000000000001\r\n"},
        Example{
            "", {{"ZADD", "k", "0.1", "a"}}, {"ZSCORE", "k", "a"}, ",0.10000000000000001\r\n", 3},
        Example{"", {{"ZADD", "k", "3", "a"}}, {"ZSCORE", "k", "a"}, "$1\r\n3\r\n"},
        Example{"", {{"ZADD", "k", "1e20", "a"}}, {"ZSCORE", "k", "a"}, "$5\r\n1e+20\r\n"},
        Example{"", {{"ZADD", "k", "+Inf", "a"}}, {"ZSCORE", "k", "a"}, "$3\r\ninf\r\n"},
        Example{"", {{"ZADD", "k", "-infinity", "a"}}, {"ZSCORE", "k", "a"}, ",-inf\r\n", 3},
        Example{"", {{"ZADD", "k", "0x1p-3", "a"}}, {"ZSCORE", "k", "a"}, "$5\r\n0.125\r\n"},
        // The sign of 0 is kept only where the set is large, or a name in it is.
        Example{"", {{"ZADD", "k", "-0", "a"}}, {"ZSCORE", "k", "a"}, "$1\r\n0\r\n"},
        Example{"",
                {{"ZADD", "k", "1",
                  std::string_view("longer-than-sixty-four-bytes-is-a-name-for-"
                                   "which-a-sorted-set-is-large")},
                 {"ZADD", "k", "-0", "a"}},
                {"ZSCORE", "k", "a"},
                "$2\r\n-0\r\n"},
        Example{"", {}, {"ZINCRBY", "k", "-0", "a"}, "$2\r\n-0\r\n"},
        Example{"", kOne, {"ZSCORE", "k", "b"}, kNil}, Example{"", {}, {"ZSCORE", "k", "b"}, kNil},
        Example{"", kString, {"ZSCORE", "k", "b"}, kWrongType},
        Example{"", kOne, {"ZMSCORE", "k", "b", "a"}, "*2\r\n$-1\r\n$1\r\n1\r\n"},
        Example{"", {}, {"ZMSCORE", "k", "a"}, "*1\r\n_\r\n", 3},
        Example{"", kThree, {"ZRANK", "k", "b"}, ":2\r\n"},
        Example{"", kThree, {"ZREVRANK", "k", "b"}, ":0\r\n"},
        Example{"", kThree, {"ZRANK", "k", "z"}, kNil}, Example{"", {}, {"ZRANK", "k", "z"}, kNil},
        Example{"", kThree, {"ZCARD", "k"}, ":3\r\n"}, Example{"", {}, {"ZCARD", "k"}, ":0\r\n"},
        Example{"", kThree, {"ZCOUNT", "k", "(1", "+inf"}, ":2\r\n"},
        // A bound may be empty, which is 0, or have blanks before it.
        Example{"", kThree, {"ZCOUNT", "k", "", " 1"}, ":1\r\n"},
        Example{"", kString, {"ZCOUNT", "k", "1", "nan"}, kNoBound},
        Example{"", kThree, {"ZLEXCOUNT", "k", "-", "+"}, ":3\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Ranges, SortedSetCommands,
    testing::Values(
        // By score, then by the bytes of the name.
        Example{"", kThree, {"ZRANGE", "k", "0", "-1"}, items({"a", "B", "b"})},
        Example{"", kThree, {"ZRANGE", "k", "0", "0", "REV"}, items({"b"})},
        Example{"", kThree, {"ZREVRANGE", "k", "1", "9"}, items({"B", "a"})},
        Example{"", kThree, {"ZRANGE", "k", "-2", "-2", "withscores"}, items({"B", "2"})},
        Example{"",
                kThree,
                {"ZRANGE", "k", "0", "1", "WITHSCORES"},
                "*2\r\n*2\r\n$1\r\na\r\n,1\r\n*2\r\n$1\r\nB\r\n,2\r\n",
                3},
        Example{"", {}, {"ZRANGE", "k", "0", "-1", "WITHSCORES"}, "*0\r\n", 3},
        Example{"", {}, {"ZRANGE", "k", "0", "x"}, kNotInteger},
        Example{"", kString, {"ZRANGE", "k", "0", "1"}, kWrongType},
        Example{"", {}, {"ZREVRANGE", "k", "0", "1", "REV"}, kSyntax},
        Example{"", {}, {"ZRANGE", "k", "0", "1", "BYLEX", "BYSCORE"}, kSyntax},
        Example{"", {}, {"ZRANGE", "k", "0", "1", "LIMIT", "1"}, kSyntax},
        Example{"",
                {},
                {"ZRANGE", "k", "0", "1", "LIMIT", "0", "1"},
                "-ERR syntax error, LIMIT is only supported in combination with either BYSCORE or "
                "BYLEX\r\n"},
        Example{"",
                {},
                {"ZRANGE", "k", "-", "+", "BYLEX", "WITHSCORES"},
                "-ERR syntax error, WITHSCORES not supported in combination with BYLEX\r\n"},
        Example{"", kThree, {"ZRANGE", "k", "(1", "2", "BYSCORE"}, items({"B", "b"})},
        Example{"",
                kThree,
                {"ZRANGE", "k", "+inf", "-inf", "BYSCORE", "REV", "LIMIT", "1", "1"},
                items({"B"})},
        Example{"", kThree, {"ZRANGEBYSCORE", "k", "-inf", "1"}, items({"a"})},
        Example{"",
                kThree,
                {"ZRANGEBYSCORE", "k", "-inf", "inf", "LIMIT", "1", "-1"},
                items({"B", "b"})},
        Example{"", kThree, {"ZRANGEBYSCORE", "k", "-inf", "inf", "LIMIT", "-1", "2"}, "*0\r\n"},
        Example{"", kThree, {"ZRANGEBYSCORE", "k", "-inf", "inf", "LIMIT", "0", "0"}, "*0\r\n"},
        Example{"", kThree, {"ZRANGEBYSCORE", "k", "2", "1"}, "*0\r\n"},
        Example{"", kThree, {"ZREVRANGEBYSCORE", "k", "2", "(1"}, items({"b", "B"})},
        Example{"", {}, {"ZRANGEBYSCORE", "k", "x", "1"}, kNoBound},
        Example{"", kNames, {"ZRANGE", "k", "[b", "(d", "BYLEX"}, items({"b", "c"})},
        Example{"", kNames, {"ZRANGEBYLEX", "k", "-", "[b"}, items({"a", "b"})},
        Example{"", kNames, {"ZREVRANGEBYLEX", "k", "+", "(b", "LIMIT", "1", "5"}, items({"c"})},
        Example{"", kNames, {"ZRANGEBYLEX", "k", "+", "-"}, "*0\r\n"},
        Example{"", {}, {"ZRANGEBYLEX", "k", "a", "[b"}, kNoName}));

INSTANTIATE_TEST_SUITE_P(
    Removal, SortedSetCommands,
    testing::Values(
        Example{"", kThree, {"ZREM", "k", "a", "a", "z"}, ":1\r\n"},
        Example{"", {}, {"ZREM", "k", "a"}, ":0\r\n"},
        Example{"R101", {kThree[0], {"ZREM", "k", "a", "b", "B"}}, {"EXISTS", "k"}, ":0\r\n"},
        Example{"", kThree, {"ZREMRANGEBYSCORE", "k", "-inf", "(2"}, ":1\r\n"},
        Example{"", {}, {"ZREMRANGEBYSCORE", "k", "x", "(2"}, kNoBound},
        Example{
            "R101", {kThree[0], {"ZREMRANGEBYSCORE", "k", "0", "9"}}, {"EXISTS", "k"}, ":0\r\n"},
        Example{"", kThree, {"ZREMRANGEBYRANK", "k", "-1", "-1"}, ":1\r\n"},
        Example{"", kNames, {"ZREMRANGEBYLEX", "k", "[b", "+"}, ":3\r\n"},
        Example{"", {}, {"ZPOPMIN", "k"}, "*0\r\n"},
        Example{"", kThree, {"ZPOPMIN", "k"}, items({"a", "1"})},
        Example{"", kThree, {"ZPOPMIN", "k"}, "*2\r\n$1\r\na\r\n,1\r\n", 3},
        Example{"", kThree, {"ZPOPMIN", "k", "1"}, "*1\r\n*2\r\n$1\r\na\r\n,1\r\n", 3},
        Example{"", kThree, {"ZPOPMAX", "k", "9"}, items({"b", "2", "B", "2", "a", "1"})},
        Example{"", kThree, {"ZPOPMIN", "k", "-1"}, kNotPositive},
        Example{"", kThree, {"ZPOPMIN", "k", "1", "1"}, kSyntax},
        Example{"R101", {kOne[0], {"ZPOPMIN", "k"}}, {"EXISTS", "k"}, ":0\r\n"}));

// A script sees pairs as the protocol that it asked for has them.
INSTANTIATE_TEST_SUITE_P(
    InScripts, SortedSetCommands,
    testing::Values(Example{"",
                            kOne,
                            {"EVAL", "return #redis.call('zrange','k',0,-1,'withscores')", "0"},
                            ":2\r\n"},
                    Example{
                        "",
                        kOne,
                        {"EVAL",
                         "redis.setresp(3) local p = redis.call('zrange','k',0,-1,'withscores') "
                         "return {#p, p[1][1], p[1][2].double}",
                         "0"},
                        "*3\r\n:1\r\n$1\r\na\r\n:1\r\n"}));

}  // namespace
}  // namespace picklock::redis::sorted_set_commands_tests
