#include <gtest/gtest.h>

#include "testing/redis/command_example.h"

namespace picklock::redis::pubsub_commands_tests {
namespace {

class PubsubCommands : public Examples {};
TEST_P(PubsubCommands, AnswerAsTheRealServerDoes) { EXPECT_EQ(answer(), GetParam().reply); }

std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}
std::string confirmed(std::string_view word, std::string_view topic, int count, char kind = '*') {
  return kind + std::string("3\r\n") + bulk(word) + bulk(topic) + ":" + std::to_string(count) +
         "\r\n";
}
std::string message(std::string_view channel, std::string_view text, char kind = '*') {
  return kind + std::string("3\r\n") + bulk("message") + bulk(channel) + bulk(text);
}

const std::vector<Words> kListening = {{"SUBSCRIBE", "a"}};

std::string not_here(std::string_view command) {
  return "-ERR Can't execute '" + std::string(command) +
         "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
         "context\r\n";
}

INSTANTIATE_TEST_SUITE_P(
    Frames, PubsubCommands,
    testing::Values(
        Example{"", {}, {"SUBSCRIBE"}, wrong_arity("subscribe")},
        Example{"R86",
                {},
                {"SUBSCRIBE", "a", "a", "b"},
                confirmed("subscribe", "a", 1) + confirmed("subscribe", "a", 1) +
                    confirmed("subscribe", "b", 2)},
        Example{"R86", kListening, {"PSUBSCRIBE", "h*"}, confirmed("psubscribe", "h*", 2)},
        Example{"R86", {}, {"UNSUBSCRIBE"}, "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n"},
        Example{"R86", {}, {"PUNSUBSCRIBE"}, "*3\r\n$12\r\npunsubscribe\r\n$-1\r\n:0\r\n"},
        Example{"R86",
                {},
                {"UNSUBSCRIBE", "q", "r"},
                confirmed("unsubscribe", "q", 0) + confirmed("unsubscribe", "r", 0)},
        Example{"R86",
                {{"SUBSCRIBE", "a", "b"}, {"PSUBSCRIBE", "p"}},
                {"UNSUBSCRIBE"},
                confirmed("unsubscribe", "a", 2) + confirmed("unsubscribe", "b", 1)},
        Example{"R86",
                {{"PSUBSCRIBE", "p"}},
                {"UNSUBSCRIBE"},
                "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:1\r\n"},
        Example{"R86", kListening, {"PING"}, "*2\r\n$4\r\npong\r\n$0\r\n\r\n"},
        Example{"R86", kListening, {"PING", "x"}, "*2\r\n$4\r\npong\r\n$1\r\nx\r\n"},
        Example{"R86", kListening, {"GET", "k"}, not_here("get")},
        Example{"R86", kListening, {"CLIENT", "ID"}, not_here("client|id")},
        Example{"R86", kListening, {"MULTI"}, not_here("multi")},
        Example{"R86",
                kListening,
                {"NOSUCH"},
                "-ERR unknown command 'NOSUCH', with args beginning with: \r\n"},
        Example{"R86", {kListening[0], {"UNSUBSCRIBE"}}, {"GET", "k"}, kNil},
        Example{"R86", kListening, {"RESET"}, "+RESET\r\n"},
        Example{"R86", {kListening[0], {"RESET"}}, {"GET", "k"}, kNil},
        Example{"R86", kListening, {"QUIT"}, kOk},
        // In protocol 3 nothing is forbidden.
        Example{"R89", {}, {"SUBSCRIBE", "a"}, confirmed("subscribe", "a", 1, '>'), 3},
        Example{"R89", {}, {"UNSUBSCRIBE"}, ">3\r\n$11\r\nunsubscribe\r\n_\r\n:0\r\n", 3},
        Example{"R89", kListening, {"GET", "k"}, "_\r\n", 3},
        Example{"R89", kListening, {"PING"}, "+PONG\r\n", 3},
        Example{
            "R86", {{"HELLO", "3"}, kListening[0], {"HELLO", "2"}}, {"GET", "k"}, not_here("get")},
        // The message comes before the reply to its sender.
        Example{"R89", kListening, {"PUBLISH", "a", "m"}, message("a", "m", '>') + ":1\r\n", 3},
        Example{
            "R89",
            kListening,
            {"EVAL", "redis.call('publish','a','1') redis.call('publish','a','2') return 'r'", "0"},
            message("a", "1", '>') + message("a", "2", '>') + "$1\r\nr\r\n",
            3}));

INSTANTIATE_TEST_SUITE_P(
    Sharded, PubsubCommands,
    testing::Values(
        Example{"", {}, {"SSUBSCRIBE", "s"}, confirmed("ssubscribe", "s", 1)},
        Example{"",
                {{"MULTI"}, {"SSUBSCRIBE", "s"}},
                {"EXEC"},
                "*1\r\n-ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client\r\n"},
        Example{"", kListening, {"SSUBSCRIBE", "s"}, confirmed("ssubscribe", "s", 1)},
        Example{"", {{"SSUBSCRIBE", "s"}}, {"GET", "k"}, not_here("get")},
        Example{"", {{"SSUBSCRIBE", "s"}}, {"SUNSUBSCRIBE"}, confirmed("sunsubscribe", "s", 0)},
        Example{"", {{"SSUBSCRIBE", "a"}}, {"PUBLISH", "a", "m"}, ":0\r\n", 3},
        Example{"", {}, {"SPUBLISH", "s", "m"}, ":0\r\n"}));

const std::string kAllChannels = "*2\r\n$1\r\na\r\n$1\r\nb\r\n";
const std::vector<Words> kMany = {{"SUBSCRIBE", "a", "b"}, {"PSUBSCRIBE", "p*", "q"}};

INSTANTIATE_TEST_SUITE_P(
    Pubsub, PubsubCommands,
    testing::Values(
        Example{"", {}, {"PUBSUB"}, wrong_arity("pubsub")},
        Example{
            "R104", {}, {"PUBSUB", "NOPE"}, "-ERR unknown subcommand 'NOPE'. Try PUBSUB HELP.\r\n"},
        Example{"", {}, {"PUBSUB", "CHANNELS"}, "*0\r\n"},
        Example{"", kMany, {"pubsub", "channels"}, kAllChannels, 3},
        Example{"", kMany, {"PUBSUB", "CHANNELS", "a*"}, "*1\r\n$1\r\na\r\n", 3},
        Example{"",
                {},
                {"PUBSUB", "CHANNELS", "a", "b"},
                "-ERR unknown subcommand or wrong number of arguments for 'CHANNELS'. Try PUBSUB "
                "HELP.\r\n"},
        Example{"",
                kMany,
                {"PUBSUB", "NUMSUB", "a", "z"},
                "*4\r\n$1\r\na\r\n:1\r\n$1\r\nz\r\n:0\r\n",
                3},
        Example{"", {}, {"PUBSUB", "NUMSUB"}, "*0\r\n"},
        Example{"", kMany, {"PUBSUB", "NUMPAT"}, ":2\r\n", 3},
        Example{"", {}, {"PUBSUB", "NUMPAT", "x"}, wrong_arity("pubsub|numpat")},
        Example{"", kMany, {"PUBSUB", "SHARDCHANNELS"}, "*0\r\n", 3},
        Example{"", {{"SSUBSCRIBE", "s"}}, {"PUBSUB", "SHARDCHANNELS"}, "*1\r\n$1\r\ns\r\n", 3},
        Example{"",
                {{"SSUBSCRIBE", "s"}},
                {"PUBSUB", "SHARDNUMSUB", "s"},
                "*2\r\n$1\r\ns\r\n:1\r\n",
                3},
        Example{"", {}, {"PUBLISH", "a"}, wrong_arity("publish")},
        Example{"R87", {}, {"PUBLISH", "a", "m"}, ":0\r\n"}));

struct Listeners : testing::Test {
  LoneServer redis;
  Session& one = redis.connect();
  Session& two = redis.connect();
  std::string publish(std::string_view channel, std::string_view text) {
    return redis("PUBLISH", channel, text);
  }
};

TEST_F(Listeners, AllHearAMessage) {  // R87
  redis.send(one, Words{"SUBSCRIBE", "a"});
  redis.send(two, Words{"SUBSCRIBE", "a"});
  EXPECT_EQ(publish("a", "m"), ":2\r\n");
  EXPECT_EQ(LoneServer::pushed(one), message("a", "m"));
  EXPECT_EQ(LoneServer::pushed(two), message("a", "m"));
}

TEST_F(Listeners, HearTwiceByChannelAndByPattern) {  // R87
  redis.send(one, Words{"SUBSCRIBE", "hello"});
  redis.send(one, Words{"PSUBSCRIBE", "h?llo", "x*"});
  EXPECT_EQ(publish("hello", "m"), ":2\r\n");
  EXPECT_EQ(LoneServer::pushed(one), message("hello", "m") + "*4\r\n" + bulk("pmessage") +
                                         bulk("h?llo") + bulk("hello") + bulk("m"));
}

TEST_F(Listeners, HearNothingOfWhatWasSaidBefore) {  // R88
  EXPECT_EQ(publish("a", "m"), ":0\r\n");
  redis.send(one, Words{"SUBSCRIBE", "a"});
  EXPECT_EQ(LoneServer::pushed(one), "");
}

TEST_F(Listeners, HearNothingMoreOnceTheyAreGone) {
  redis.send(one, Words{"SUBSCRIBE", "a"});
  redis.send(two, Words{"SUBSCRIBE", "a"});
  redis.send(two, Words{"UNSUBSCRIBE"});
  redis.disconnect(one);
  EXPECT_EQ(publish("a", "m"), ":0\r\n");
  EXPECT_EQ(redis("PUBSUB", "CHANNELS"), "*0\r\n");
}

TEST_F(Listeners, HearInTheirOwnProtocol) {
  redis.send(one, Words{"HELLO", "3"});
  redis.send(one, Words{"SUBSCRIBE", "a"});
  publish("a", "m");
  EXPECT_EQ(LoneServer::pushed(one), message("a", "m", '>'));
}

TEST_F(Listeners, HearOfShardsByThemselves) {
  redis.send(one, Words{"SSUBSCRIBE", "s"});
  EXPECT_EQ(redis("SPUBLISH", "s", "m"), ":1\r\n");
  EXPECT_EQ(LoneServer::pushed(one), "*3\r\n$8\r\nsmessage\r\n$1\r\ns\r\n$1\r\nm\r\n");
}

}  // namespace
}  // namespace picklock::redis::pubsub_commands_tests
