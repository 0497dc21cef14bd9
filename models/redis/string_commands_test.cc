#include "testing/redis/command_example.h"
#include "testing/small_world.h"

namespace picklock::redis::string_commands_tests {
namespace {

class StringCommands : public Examples {};
TEST_P(StringCommands, AnswerAsTheRealServerDoes) { EXPECT_EQ(answer(), GetParam().reply); }

const std::vector<Words> kHeld = {{"SET", "k", "old"}};
const std::vector<Words> kLeased = {{"SET", "k", "old", "PX", "100000"}};
const std::vector<Words> kHash = {{"HSET", "k", "f", "v"}};
const std::vector<Words> kHello = {{"SET", "k", "hello"}};

INSTANTIATE_TEST_SUITE_P(
    Set, StringCommands,
    testing::Values(
        Example{"R1", {}, {"SET", "k", "v", "NX", "PX", "10000"}, kOk},
        Example{"R1", kHeld, {"SET", "k", "v", "NX", "PX", "10000"}, kNil},
        Example{"R1", kHeld, {"SET", "k", "v", "NX"}, "_\r\n", 3},
        Example{"R2", {}, {"SET", "k", "v", "XX"}, kNil},
        Example{"R2", kHeld, {"SET", "k", "v", "NX", "GET"}, "$3\r\nold\r\n"},
        Example{"R2", {}, {"SET", "k", "v", "NX", "GET"}, kNil},
        Example{"R2", kHeld, {"SET", "k", "v", "XX", "GET"}, "$3\r\nold\r\n"},
        Example{"R3", {}, {"sEt", "k", "v", "px", "100", "nX"}, kOk},
        Example{"R4", {}, {"SET", "k", "v", "PX", "0"}, bad_expire("set")},
        Example{"R4", {}, {"SET", "k", "v", "EX", "-1"}, bad_expire("set")},
        Example{"R4", {}, {"SET", "k", "v", "EXAT", "0"}, bad_expire("set")},
        Example{"R4", {}, {"SET", "k", "v", "EX", "9223372036854775807"}, bad_expire("set")},
        Example{"R4", {}, {"SET", "k", "v", "PX", "9223372036854775807"}, bad_expire("set")},
        Example{"R4", {}, {"SET", "k", "v", "PX", "9000000000000000000"}, kOk},
        Example{"R4", kHeld, {"SET", "k", "v", "NX", "PX", "0"}, bad_expire("set")},
        Example{"R4", kHash, {"SET", "k", "v", "GET", "PX", "0"}, bad_expire("set")},
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
        Example{"R6", {}, {"SET", "k", "v", "PERSIST"}, kSyntax},
        Example{"R6", {}, {"SET", "k", "v", "PX"}, kSyntax},
        Example{"R6", {}, {"SET", "k", "v", "LOUD"}, kSyntax},
        Example{"R6", {}, {"SET", "k"}, wrong_arity("set")},
        // An option ends where a C string does.
        Example{"", {}, {"SET", "k", "v", std::string_view("XX\0NX", 5)}, kNil},
        Example{"R8", kHash, {"SET", "k", "v", "NX"}, kNil},
        Example{"R8", kHash, {"SET", "k", "v"}, kOk},
        Example{"R8", kHash, {"SET", "k", "v", "GET"}, kWrongType},
        Example{"R8", kHash, {"SET", "k", "v", "NX", "GET"}, kWrongType},
        Example{"R11", kHeld, {"SET", "k", "v", "PXAT", "1"}, kOk},
        Example{"R11", {{"SET", "k", "v", "PXAT", "1"}}, {"GET", "k"}, kNil}));

INSTANTIATE_TEST_SUITE_P(
    OtherWaysToSet, StringCommands,
    testing::Values(
        Example{"R1", {}, {"SETNX", "k", "v"}, ":1\r\n"},
        Example{"R1", kHeld, {"SETNX", "k", "v"}, ":0\r\n"},
        Example{"R1", kHash, {"SETNX", "k", "v"}, ":0\r\n"},
        Example{"R4", {}, {"SETEX", "k", "10", "v"}, kOk},
        Example{"R4", {}, {"SETEX", "k", "0", "v"}, bad_expire("setex")},
        Example{"R4", {}, {"PSETEX", "k", "-1", "v"}, bad_expire("psetex")},
        Example{"R4", {}, {"SETEX", "k", "9223372036854775", "v"}, bad_expire("setex")},
        Example{"R5", {}, {"PSETEX", "k", "1.5", "v"}, kNotInteger},
        Example{"", {}, {"GETSET", "k", "v"}, kNil},
        Example{"", kHeld, {"GETSET", "k", "v"}, "$3\r\nold\r\n"},
        Example{"", kHash, {"GETSET", "k", "v"}, kWrongType},
        Example{"", {}, {"MSET", "k", "1", "j", "2", "k", "3"}, kOk},
        Example{"", {{"MSET", "k", "1", "k", "3"}}, {"GET", "k"}, "$1\r\n3\r\n"},
        Example{"", {}, {"MSET", "k", "1", "j"}, wrong_arity("mset")},
        Example{"", {}, {"MSETNX", "k", "1", "j"}, wrong_arity("msetnx")},
        Example{"", {}, {"MSETNX", "j", "1", "j", "2"}, ":1\r\n"},
        Example{"", kHeld, {"MSETNX", "j", "1", "k", "2"}, ":0\r\n"},
        Example{"", {{"SET", "k", "v"}, {"MSETNX", "j", "1", "k", "2"}}, {"GET", "j"}, kNil}));

INSTANTIATE_TEST_SUITE_P(
    Read, StringCommands,
    testing::Values(Example{"R103", kHash, {"GET", "k"}, kWrongType},
                    Example{"", {}, {"GET", "k"}, kNil}, Example{"", {}, {"GETDEL", "k"}, kNil},
                    Example{"", kHeld, {"GETDEL", "k"}, "$3\r\nold\r\n"},
                    Example{"", {{"SET", "k", "old"}, {"GETDEL", "k"}}, {"EXISTS", "k"}, ":0\r\n"},
                    Example{"", kHash, {"GETDEL", "k"}, kWrongType},
                    Example{"R7", {}, {"GETEX", "k", "PX", "0"}, kNil},
                    Example{"R7", {}, {"GETEX", "k", "PX", "abc"}, kNil},
                    Example{"R7", kHeld, {"GETEX", "k", "PX", "0"}, bad_expire("getex")},
                    Example{"R7", kHash, {"GETEX", "k", "PX", "0"}, kWrongType},
                    Example{"", kHeld, {"GETEX", "k", "NX"}, kSyntax},
                    Example{"", kHeld, {"GETEX", "k", "PERSIST", "PX", "1"}, kSyntax},
                    Example{"", kLeased, {"GETEX", "k"}, "$3\r\nold\r\n"},
                    Example{"", {kLeased[0], {"GETEX", "k"}}, {"TTL", "k"}, ":100\r\n"},
                    Example{"", {kLeased[0], {"GETEX", "k", "PERSIST"}}, {"TTL", "k"}, ":-1\r\n"},
                    Example{"", {kLeased[0], {"GETEX", "k", "EX", "7"}}, {"TTL", "k"}, ":7\r\n"},
                    // Unlike SET, it deletes at once.
                    Example{"", kHeld, {"GETEX", "k", "PXAT", "1"}, "$3\r\nold\r\n"},
                    Example{"", {kHeld[0], {"GETEX", "k", "PXAT", "1"}}, {"EXISTS", "k"}, ":0\r\n"},
                    Example{"", kHello, {"STRLEN", "k"}, ":5\r\n"},
                    Example{"", {}, {"STRLEN", "k"}, ":0\r\n"},
                    Example{"", kHash, {"STRLEN", "k"}, kWrongType},
                    Example{"", kHello, {"GETRANGE", "k", "1", "3"}, "$3\r\nell\r\n"},
                    Example{"", kHello, {"SUBSTR", "k", "-3", "100"}, "$3\r\nllo\r\n"},
                    Example{"", kHello, {"GETRANGE", "k", "-9", "-8"}, "$1\r\nh\r\n"},
                    Example{"", kHello, {"GETRANGE", "k", "-8", "-9"}, "$0\r\n\r\n"},
                    Example{"", kHello, {"GETRANGE", "k", "5", "9"}, "$0\r\n\r\n"},
                    Example{"", {}, {"GETRANGE", "k", "0", "1"}, "$0\r\n\r\n"},
                    Example{"", kHello, {"GETRANGE", "k", "0", "x"}, kNotInteger},
                    Example{"",
                            {{"SET", "k", "v"}, {"HSET", "h", "f", "v"}},
                            {"MGET", "k", "h", "j"},
                            "*3\r\n$1\r\nv\r\n$-1\r\n$-1\r\n"},
                    Example{
                        "", {{"SET", "k", "v"}}, {"MGET", "k", "j"}, "*2\r\n$1\r\nv\r\n_\r\n", 3}));

INSTANTIATE_TEST_SUITE_P(
    Altered, StringCommands,
    testing::Values(
        Example{"", {}, {"APPEND", "k", "ab"}, ":2\r\n"},
        Example{"", kHeld, {"APPEND", "k", "er"}, ":5\r\n"},
        Example{"", kHash, {"APPEND", "k", "er"}, kWrongType},
        Example{"", kHello, {"SETRANGE", "k", "3", "p!!"}, ":6\r\n"},
        Example{"", {{"SETRANGE", "k", "2", "x"}}, {"GET", "k"}, std::string("$3\r\n\0\0x\r\n", 9)},
        Example{"", {}, {"SETRANGE", "k", "2", ""}, ":0\r\n"},
        Example{"", {}, {"SETRANGE", "k", "-1", "x"}, "-ERR offset is out of range\r\n"},
        Example{"",
                {},
                {"SETRANGE", "k", "536870912", "x"},
                "-ERR string exceeds maximum allowed size (proto-max-bulk-len)\r\n"},
        Example{"", {}, {"INCR", "k"}, ":1\r\n"}, Example{"", {}, {"DECRBY", "k", "-7"}, ":7\r\n"},
        Example{"", {{"SET", "k", "10"}}, {"DECR", "k"}, ":9\r\n"},
        Example{"", {{"SET", "k", "10"}, {"INCRBY", "k", "5"}}, {"GET", "k"}, "$2\r\n15\r\n"},
        Example{"", {{"SET", "k", "01"}}, {"INCR", "k"}, kNotInteger},
        Example{"", kHash, {"INCR", "k"}, kWrongType},
        Example{"", kHash, {"INCRBY", "k", "x"}, kNotInteger},
        Example{"", {{"SET", "k", "9223372036854775807"}}, {"INCR", "k"}, kOverflow},
        Example{"", {{"SET", "k", "-9223372036854775808"}}, {"DECRBY", "k", "1"}, kOverflow},
        Example{
            "", {}, {"DECRBY", "k", "-9223372036854775808"}, "-ERR decrement would overflow\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    LifeTime, StringCommands,
    testing::Values(
        Example{"R8", {kLeased[0], {"SET", "k", "w"}}, {"TTL", "k"}, ":-1\r\n"},
        Example{"R8", {kLeased[0], {"GETSET", "k", "w"}}, {"TTL", "k"}, ":-1\r\n"},
        Example{"R8", {kLeased[0], {"MSET", "k", "w"}}, {"TTL", "k"}, ":-1\r\n"},
        Example{"R8", {kLeased[0], {"SET", "k", "w", "KEEPTTL"}}, {"TTL", "k"}, ":100\r\n"},
        Example{"R8", {kLeased[0], {"APPEND", "k", "w"}}, {"TTL", "k"}, ":100\r\n"},
        Example{"R8", {{"SET", "k", "1", "EX", "100"}, {"INCR", "k"}}, {"TTL", "k"}, ":100\r\n"},
        Example{"R8", {kLeased[0], {"SETRANGE", "k", "0", "w"}}, {"TTL", "k"}, ":100\r\n"}));

// R15: the one whose command arrived first.
TEST(SetNx, SentByTwentyClientsAtOnceSucceedsForExactlyOne) {
  models::SmallWorld world{models::SmallWorld::Setup{.clients = 20}};
  int granted = 0;
  for (std::uint32_t number = 1; number <= 20; ++number) {
    world.client(number, [&](models::SmallWorld&, auto& self) {
      if (redis::server(self).set("lock", self.name(), {.nx = true}).ok()) ++granted;
    });
  }
  world.run();
  EXPECT_EQ(granted, 1);
}

}  // namespace
}  // namespace picklock::redis::string_commands_tests
