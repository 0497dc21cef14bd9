#include <gmock/gmock.h>

#include <set>

#include "testing/redis/command_example.h"

namespace picklock::redis::key_commands_tests {
namespace {

using namespace std::chrono_literals;

class KeyCommands : public Examples {};
TEST_P(KeyCommands, AnswerAsTheRealServerDoes) { EXPECT_EQ(answer(), GetParam().reply); }

const std::vector<Words> kHeld = {{"SET", "k", "old"}};
const std::vector<Words> kLeased = {{"SET", "k", "old", "PX", "100000"}};
const std::string kNoSuchKey = "-ERR no such key\r\n";

// OBJECT ENCODING of the key "k" after these commands (R128).
std::string encoding_after(const std::vector<Words>& commands) {
  LoneServer redis;
  for (const Words& words : commands)
    redis.send(std::vector<std::string_view>(words.begin(), words.end()));
  const std::string reply = redis("OBJECT", "ENCODING", "k");
  const std::size_t begin = reply.find('\n') + 1;
  return reply.substr(begin, reply.size() - 2 - begin);
}

TEST(Encoding, OfAStringIsThatOfTheCommandThatHasMadeIt) {
  const std::string embedded(44, 'x');
  const std::string longer(45, 'x');
  EXPECT_EQ(encoding_after({{"SET", "k", "12345"}}), "int");
  EXPECT_EQ(encoding_after({{"SET", "k", "9223372036854775808"}}), "embstr") << "too large";
  EXPECT_EQ(encoding_after({{"SET", "k", "0123"}}), "embstr");
  EXPECT_EQ(encoding_after({{"SET", "k", embedded}}), "embstr");
  EXPECT_EQ(encoding_after({{"SET", "k", longer}}), "raw");
  EXPECT_EQ(encoding_after({{"APPEND", "k", "12"}}), "int");
  EXPECT_EQ(encoding_after({{"SET", "k", "12"}, {"APPEND", "k", ""}}), "raw");
  EXPECT_EQ(encoding_after({{"SET", "k", "12"}, {"APPEND", "k", "3"}, {"INCR", "k"}}), "int");
  EXPECT_EQ(encoding_after({{"SETRANGE", "k", "0", "12"}}), "raw");
  EXPECT_EQ(encoding_after({{"SET", "k", "12"}, {"SETRANGE", "k", "0", ""}}), "int");
  EXPECT_EQ(encoding_after({{"SET", "k", "12"}, {"SETBIT", "k", "2", "1"}}), "raw")
      << "although the bit is set already";
  EXPECT_EQ(encoding_after({{"SET", "k", "1"}, {"INCRBYFLOAT", "k", "1"}}), "embstr");
  EXPECT_EQ(encoding_after({{"APPEND", "j", "1"}, {"APPEND", "j", "2"}, {"COPY", "j", "k"}}),
            "raw");
  EXPECT_EQ(encoding_after({{"APPEND", "j", "1"}, {"APPEND", "j", "2"}, {"RENAME", "j", "k"}}),
            "raw");
  EXPECT_EQ(encoding_after({{"APPEND", "k", "1"}, {"APPEND", "k", "2"}, {"GETSET", "k", "3"}}),
            "int");
}

TEST(Encoding, OfElementsChangesWhereTheyAreManyOrLongAndStaysSo) {
  const std::string fits(64, 'x');
  const std::string is_long(65, 'x');
  EXPECT_EQ(encoding_after({{"HSET", "k", "f", fits}}), "listpack");
  EXPECT_EQ(encoding_after({{"HSET", "k", "f", is_long}, {"HSET", "k", "f", "1"}}), "hashtable");
  EXPECT_EQ(encoding_after({{"HSET", "k", "f", is_long}, {"DEL", "k"}, {"HSET", "k", "f", "1"}}),
            "listpack");
  EXPECT_EQ(encoding_after({{"SADD", "k", "1", "2"}}), "intset");
  EXPECT_EQ(encoding_after({{"SADD", "k", "1", "x"}, {"SREM", "k", "x"}}), "hashtable");
  EXPECT_EQ(encoding_after({{"ZADD", "k", "1", fits}}), "listpack");
  EXPECT_EQ(encoding_after({{"ZADD", "k", "1", is_long}}), "skiplist");
  EXPECT_EQ(encoding_after({{"RPUSH", "k", "1"}}), "quicklist");
}

TEST(Encoding, HasLimitsThatAreConfiguredUnderTwoNames) {
  const Words limit = {"CONFIG",
                       "SET",
                       "hash-max-ziplist-entries",
                       "1",
                       "set-max-intset-entries",
                       "1",
                       "zset-max-listpack-entries",
                       "1"};
  EXPECT_EQ(encoding_after({limit, {"HSET", "k", "f", "1"}}), "listpack");
  EXPECT_EQ(encoding_after({limit, {"HSET", "k", "f", "1", "g", "1"}}), "hashtable");
  EXPECT_EQ(encoding_after({limit, {"SADD", "k", "1", "2"}}), "hashtable");
  EXPECT_EQ(encoding_after({limit, {"ZADD", "k", "1", "a", "2", "b"}}), "skiplist");
}

INSTANTIATE_TEST_SUITE_P(
    Objects, KeyCommands,
    testing::Values(
        Example{"R128", {}, {"OBJECT", "ENCODING", "k"}, "$-1\r\n"},
        Example{"R128", {}, {"OBJECT", "REFCOUNT", "k"}, "$-1\r\n"},
        Example{"R128", {{"SET", "k", "9999"}}, {"OBJECT", "REFCOUNT", "k"}, ":2147483647\r\n"},
        Example{"R128", {{"SET", "k", "10000"}}, {"OBJECT", "REFCOUNT", "k"}, ":1\r\n"},
        Example{"R128", {{"RPUSH", "k", "1"}}, {"OBJECT", "REFCOUNT", "k"}, ":1\r\n"},
        Example{"", {}, {"OBJECT", "ENCODING"}, wrong_arity("object|encoding")},
        Example{"", {}, {"OBJECT"}, wrong_arity("object")}));

INSTANTIATE_TEST_SUITE_P(
    ExistenceAndNames, KeyCommands,
    testing::Values(Example{"R103", kHeld, {"DEL", "k", "k"}, ":1\r\n"},
                    Example{"R103", kHeld, {"UNLINK", "j", "k"}, ":1\r\n"},
                    Example{"R103", kHeld, {"EXISTS", "k", "k", "j"}, ":2\r\n"},
                    Example{"R103", kHeld, {"TOUCH", "k", "k", "j"}, ":2\r\n"},
                    Example{"", {}, {"TYPE", "k"}, "+none\r\n"},
                    Example{"", kHeld, {"TYPE", "k"}, "+string\r\n"},
                    Example{"", {{"HSET", "k", "f", "v"}}, {"TYPE", "k"}, "+hash\r\n"},
                    Example{"", {}, {"RENAME", "k", "j"}, kNoSuchKey},
                    Example{"", {}, {"RENAMENX", "k", "k"}, kNoSuchKey},
                    Example{"", kHeld, {"RENAME", "k", "k"}, kOk},
                    Example{"", kHeld, {"RENAMENX", "k", "k"}, ":0\r\n"},
                    Example{"", kHeld, {"RENAMENX", "k", "j"}, ":1\r\n"},
                    Example{"", {{"MSET", "k", "1", "j", "2"}}, {"RENAMENX", "k", "j"}, ":0\r\n"},
                    Example{"",
                            {{"HSET", "k", "f", "v"}, {"SET", "j", "2"}, {"RENAME", "k", "j"}},
                            {"HGET", "j", "f"},
                            "$1\r\nv\r\n"},
                    Example{"", {kHeld[0], {"RENAME", "k", "j"}}, {"EXISTS", "k"}, ":0\r\n"},
                    Example{"R8", {kLeased[0], {"RENAME", "k", "j"}}, {"TTL", "j"}, ":100\r\n"},
                    Example{"R8",
                            {kHeld[0], {"SET", "j", "v", "EX", "10"}, {"RENAME", "k", "j"}},
                            {"TTL", "j"},
                            ":-1\r\n"}));

const std::vector<Words> kTwoTypes = {{"SET", "k", "v"}, {"HSET", "h", "f", "v"}};
const std::string kBadCursor = "-ERR invalid cursor\r\n";
const std::string kOnlyK = "*2\r\n$1\r\n0\r\n*1\r\n$1\r\nk\r\n";
const std::string kNothing = "*2\r\n$1\r\n0\r\n*0\r\n";

INSTANTIATE_TEST_SUITE_P(
    AllKeys, KeyCommands,
    testing::Values(
        Example{"", kTwoTypes, {"KEYS", "k*"}, "*1\r\n$1\r\nk\r\n"},
        Example{"", {}, {"KEYS", "*"}, "*0\r\n"},
        Example{"", {{"SET", "", "v"}}, {"KEYS", "*"}, "*1\r\n$0\r\n\r\n"},
        Example{"", {{"SET", "", "v"}}, {"KEYS", "**"}, "*0\r\n"},
        Example{"", {}, {"SCAN", "0"}, kNothing}, Example{"", kHeld, {"SCAN", ""}, kOnlyK},
        Example{"", kTwoTypes, {"SCAN", "0", "MATCH", "k"}, kOnlyK},
        Example{"", kTwoTypes, {"SCAN", "0", "type", "STRING", "COUNT", "5"}, kOnlyK},
        Example{"", kTwoTypes, {"SCAN", "0", "TYPE", "foo"}, kNothing},
        Example{"", {}, {"SCAN", "x", "COUNT", "x"}, kBadCursor},
        Example{"", {}, {"SCAN", " 0"}, kBadCursor}, Example{"", {}, {"SCAN", "-"}, kBadCursor},
        Example{"", {}, {"SCAN", "18446744073709551616"}, kBadCursor},
        Example{"", {}, {"SCAN", "0", "COUNT", "0"}, kSyntax},
        Example{"", {}, {"SCAN", "0", "COUNT", "x"}, kNotInteger},
        Example{"", {}, {"SCAN", "0", "COUNT"}, kSyntax},
        Example{"", {}, {"SCAN", "0", "LOUD", "x"}, kSyntax}, Example{"", {}, {"RANDOMKEY"}, kNil},
        Example{"", kHeld, {"RANDOMKEY"}, "$1\r\nk\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Expiry, KeyCommands,
    testing::Values(
        Example{"R9", {}, {"PTTL", "k"}, ":-2\r\n"}, Example{"R9", kHeld, {"PTTL", "k"}, ":-1\r\n"},
        Example{"R9", {}, {"TTL", "k"}, ":-2\r\n"}, Example{"R9", kHeld, {"TTL", "k"}, ":-1\r\n"},
        Example{"R9", {}, {"EXPIRETIME", "k"}, ":-2\r\n"},
        Example{"R9", kHeld, {"EXPIRETIME", "k"}, ":-1\r\n"},
        Example{"R9", {}, {"PEXPIRETIME", "k"}, ":-2\r\n"},
        Example{"R9", kHeld, {"PEXPIRETIME", "k"}, ":-1\r\n"},
        Example{"R9",
                {{"SET", "k", "v", "PXAT", "5000000000499"}},
                {"EXPIRETIME", "k"},
                ":5000000000\r\n"},
        Example{"R9",
                {{"SET", "k", "v", "PXAT", "5000000000500"}},
                {"EXPIRETIME", "k"},
                ":5000000001\r\n"},
        Example{"R9",
                {kHeld[0], {"PEXPIREAT", "k", "9223372036854775807"}},
                {"PEXPIRETIME", "k"},
                ":9223372036854775807\r\n"},
        Example{"R9",
                {kHeld[0], {"PEXPIREAT", "k", "9223372036854775807"}},
                {"EXPIRETIME", "k"},
                ":9223372036854776\r\n"},
        Example{"R10", kHeld, {"PEXPIRE", "k", "0"}, ":1\r\n"},
        Example{"R10", kHeld, {"PEXPIRE", "k", "-9223372036854775808"}, ":1\r\n"},
        Example{"R10", {kHeld[0], {"PEXPIRE", "k", "-1"}}, {"EXISTS", "k"}, ":0\r\n"},
        Example{"R10", {kHeld[0], {"EXPIREAT", "k", "1"}}, {"EXISTS", "k"}, ":0\r\n"},
        Example{"R10", {}, {"PEXPIRE", "k", "1000"}, ":0\r\n"},
        Example{"R10", kHeld, {"PEXPIRE", "k", "9000000000000000000"}, ":1\r\n"},
        Example{"R4", {}, {"PEXPIRE", "k", "9223372036854775807"}, bad_expire("pexpire")},
        Example{"R4", {}, {"EXPIRE", "k", "9223372036854775807"}, bad_expire("expire")},
        Example{"R4", {}, {"EXPIRE", "k", "-9223372036854775807"}, bad_expire("expire")},
        Example{"R4", kHeld, {"EXPIREAT", "k", "9223372036854776"}, bad_expire("expireat")},
        Example{"R5", kHeld, {"PEXPIRE", "k", "1.5"}, kNotInteger},
        Example{"R5", {}, {"PEXPIREAT", "k", ""}, kNotInteger},
        Example{"R12", kHeld, {"PEXPIRE", "k", "1000", "NX"}, ":1\r\n"},
        Example{"R12", kLeased, {"PEXPIRE", "k", "1000", "NX"}, ":0\r\n"},
        Example{"R12", kHeld, {"EXPIRE", "k", "1000", "XX"}, ":0\r\n"},
        Example{"R12", kLeased, {"PEXPIRE", "k", "200000", "xx", "gt"}, ":1\r\n"},
        Example{"R12", kLeased, {"PEXPIRE", "k", "50000", "GT"}, ":0\r\n"},
        Example{"R12", kHeld, {"PEXPIRE", "k", "1000", "GT"}, ":0\r\n"},
        Example{"R12", kHeld, {"PEXPIRE", "k", "1000", "LT"}, ":1\r\n"},
        Example{"R12", kLeased, {"PEXPIRE", "k", "200000", "LT"}, ":0\r\n"},
        Example{"R12", kLeased, {"PEXPIRE", "k", "-1", "LT"}, ":1\r\n"},
        Example{"R12",
                {},
                {"PEXPIRE", "k", "1", "NX", "GT"},
                "-ERR NX and XX, GT or LT options at the same time are not compatible\r\n"},
        Example{"R12",
                {},
                {"EXPIREAT", "k", "1", "GT", "LT"},
                "-ERR GT and LT options at the same time are not compatible\r\n"},
        // The flags are read before the number.
        Example{"R12", {}, {"PEXPIRE", "k", "abc", "ZZ"}, "-ERR Unsupported option ZZ\r\n"},
        Example{"", {}, {"PERSIST", "k"}, ":0\r\n"}, Example{"", kHeld, {"PERSIST", "k"}, ":0\r\n"},
        Example{"", kLeased, {"PERSIST", "k"}, ":1\r\n"},
        Example{"", {kLeased[0], {"PERSIST", "k"}}, {"TTL", "k"}, ":-1\r\n"}));

TEST(Ttl, IsRoundedHalfUp) {  // R9
  LoneServer redis;
  const auto ttl_of = [&](std::string_view milliseconds) {
    redis("SET", "k", "v", "PX", milliseconds);
    return redis("TTL", "k");
  };
  EXPECT_EQ(ttl_of("499"), ":0\r\n");
  EXPECT_EQ(ttl_of("500"), ":1\r\n");
  EXPECT_EQ(ttl_of("1499"), ":1\r\n");
  EXPECT_EQ(ttl_of("1500"), ":2\r\n");
}

TEST(Pttl, IsExact) {  // R9
  LoneServer redis;
  redis("SET", "k", "v", "PX", "1000");
  EXPECT_EQ(redis("pttl", "k"), ":1000\r\n");
}

// R14: a deadline of this very millisecond deletes, though a key lives through its last one.
TEST(Pexpireat, OfThisVeryMillisecondDeletesAtOnce) {
  LoneServer redis;
  redis("SET", "k", "v");
  redis("SET", "j", "v");
  EXPECT_EQ(redis("PEXPIREAT", "k", std::to_string(redis.clock_ms())), ":1\r\n");
  EXPECT_EQ(redis("EXISTS", "k"), ":0\r\n");
  redis("PEXPIREAT", "j", std::to_string(redis.clock_ms() + 1));
  EXPECT_EQ(redis("PTTL", "j"), ":1\r\n");
}

TEST(AbsoluteTimes, AreOfTheServersClock) {
  LoneServer redis(5s);
  redis("SET", "k", "v", "PXAT", std::to_string(redis.clock_ms() + 1500));
  EXPECT_EQ(redis("PTTL", "k"), ":1500\r\n");
  redis("SET", "k", "v", "EXAT", std::to_string(redis.clock_ms() / 1000 + 2));
  EXPECT_EQ(redis("TTL", "k"), ":2\r\n");
  redis("EXPIREAT", "k", std::to_string(redis.clock_ms() / 1000 + 9));
  EXPECT_EQ(redis("TTL", "k"), ":9\r\n");
}

// The cursor that an answer ends with, and the keys in it.
std::string read_page(std::string_view bytes, std::multiset<std::string>& keys) {
  Reply page;
  EXPECT_TRUE(read_reply(bytes, page));
  for (const Reply& key : page.elements.at(1).elements) keys.insert(key.text);
  return page.elements.at(0).text;
}

TEST(Scan, AnswersEveryKeyOnceThatIsThereAllTheTime) {
  LoneServer redis;
  std::multiset<std::string> expected;
  for (int i = 0; i < 50; ++i) {
    redis("SET", "stays-" + std::to_string(i), "v");
    redis("SET", "goes-" + std::to_string(i), "v");
    expected.insert("stays-" + std::to_string(i));
  }
  std::multiset<std::string> found;
  std::string cursor = "0";
  int pages = 0;
  do {
    cursor = read_page(redis("SCAN", cursor, "COUNT", "7", "MATCH", "stays-*"), found);
    redis("DEL", "goes-" + std::to_string(pages), "goes-" + std::to_string(49 - pages));
    redis("SET", "comes-" + std::to_string(pages), "v");
    ++pages;
  } while (cursor != "0");
  EXPECT_GT(pages, 5);
  EXPECT_EQ(found, expected);
}

TEST(RandomKey, MayBeAnyThatLives) {
  LoneServer redis;
  redis("MSET", "a", "1", "b", "1", "c", "1");
  redis("SET", "dead", "1", "PX", "10");
  redis.pass(11ms);
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) seen.insert(redis("RANDOMKEY"));
  EXPECT_THAT(seen, testing::ElementsAre("$1\r\na\r\n", "$1\r\nb\r\n", "$1\r\nc\r\n"));
}

}  // namespace
}  // namespace picklock::redis::key_commands_tests
