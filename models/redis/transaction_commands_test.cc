#include <gtest/gtest.h>

#include "testing/redis/command_example.h"

namespace picklock::redis::transaction_commands_tests {
namespace {

using namespace std::chrono_literals;

class TransactionCommands : public Examples {};
TEST_P(TransactionCommands, AnswerAsTheRealServerDoes) { EXPECT_EQ(answer(), GetParam().reply); }

const std::string kQueued = "+QUEUED\r\n";
const std::string kAborted = "-EXECABORT Transaction discarded because of previous errors.\r\n";

INSTANTIATE_TEST_SUITE_P(
    Multi, TransactionCommands,
    testing::Values(
        Example{"", {}, {"MULTI"}, kOk}, Example{"", {}, {"MULTI", "x"}, wrong_arity("multi")},
        Example{"", {{"MULTI"}}, {"MULTI"}, "-ERR MULTI calls can not be nested\r\n"},
        Example{"", {{"MULTI"}, {"MULTI"}}, {"EXEC"}, "*0\r\n"},
        Example{"", {{"MULTI"}}, {"GET", "k"}, kQueued},
        Example{"R105", {}, {"EXEC"}, "-ERR EXEC without MULTI\r\n"},
        Example{"R105", {}, {"DISCARD"}, "-ERR DISCARD without MULTI\r\n"},
        Example{"", {{"MULTI"}}, {"DISCARD"}, kOk},
        Example{"", {{"MULTI"}, {"SET", "k", "v"}, {"DISCARD"}}, {"GET", "k"}, kNil},
        Example{"", {{"MULTI"}}, {"EXEC"}, "*0\r\n"},
        Example{
            "", {{"MULTI"}, {"SET", "k", "v"}, {"GET", "k"}}, {"EXEC"}, "*2\r\n+OK\r\n$1\r\nv\r\n"},
        Example{"",
                {{"MULTI"}, {"SELECT", "3"}, {"CLIENT", "ID"}, {"PING"}},
                {"EXEC"},
                "*3\r\n+OK\r\n:1\r\n+PONG\r\n"},
        Example{"R105", {{"MULTI"}, {"NOSUCH"}}, {"EXEC"}, kAborted},
        Example{"R105", {{"MULTI"}, {"GET"}, {"SET", "k", "v"}}, {"EXEC"}, kAborted},
        Example{"R105", {{"MULTI"}, {"CLIENT", "NOPE"}}, {"EXEC"}, kAborted},
        Example{"R105", {{"MULTI"}, {"GET"}, {"SET", "k", "v"}, {"EXEC"}}, {"GET", "k"}, kNil},
        Example{"R105", {{"MULTI"}, {"GET"}, {"EXEC"}}, {"EXEC"}, "-ERR EXEC without MULTI\r\n"},
        Example{"",
                {{"MULTI"}, {"GET", "k"}},
                {"EXEC", "x"},
                "-EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' "
                "command\r\n"},
        Example{
            "", {{"MULTI"}, {"GET", "k"}, {"EXEC", "x"}}, {"EXEC"}, "-ERR EXEC without MULTI\r\n"},
        // An error that occurs only during EXEC undoes nothing.
        Example{"R105",
                {{"HSET", "h", "f", "1"}, {"MULTI"}, {"GET", "h"}, {"SET", "k", "v"}},
                {"EXEC"},
                "*2\r\n-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"
                "+OK\r\n"},
        Example{"", {{"MULTI"}}, {"RESET"}, "+RESET\r\n"},
        Example{"", {{"MULTI"}, {"RESET"}}, {"EXEC"}, "-ERR EXEC without MULTI\r\n"},
        Example{"", {{"MULTI"}, {"UNWATCH"}}, {"EXEC"}, "*1\r\n+OK\r\n"},
        Example{"", {{"MULTI"}, {"EVAL", "return 7", "0"}}, {"EXEC"}, "*1\r\n:7\r\n"},
        Example{"", {{"MULTI"}, {"HELLO", "3"}, {"GET", "k"}, {"EXEC"}}, {"GET", "k"}, "_\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Watch, TransactionCommands,
    testing::Values(
        Example{"", {}, {"WATCH", "k", "k"}, kOk}, Example{"", {}, {"WATCH"}, wrong_arity("watch")},
        Example{"", {}, {"UNWATCH"}, kOk},
        Example{"", {}, {"UNWATCH", "x"}, wrong_arity("unwatch")},
        Example{"", {{"MULTI"}}, {"WATCH", "k"}, "-ERR WATCH inside MULTI is not allowed\r\n"},
        Example{"", {{"MULTI"}, {"WATCH", "k"}, {"PING"}}, {"EXEC"}, "*1\r\n+PONG\r\n"},
        Example{"R27", {{"WATCH", "k"}, {"SET", "k", "v"}, {"MULTI"}}, {"EXEC"}, "*-1\r\n"},
        Example{"R27",
                {{"HELLO", "3"}, {"WATCH", "k"}, {"SET", "k", "v"}, {"MULTI"}},
                {"EXEC"},
                "_\r\n"},
        // A queueing error takes precedence over a changed key.
        Example{"", {{"WATCH", "k"}, {"SET", "k", "v"}, {"MULTI"}, {"GET"}}, {"EXEC"}, kAborted},
        Example{"R27", {{"WATCH", "k"}, {"SET", "j", "v"}, {"MULTI"}}, {"EXEC"}, "*0\r\n"},
        Example{"R27", {{"WATCH", "k"}, {"DEL", "k"}, {"MULTI"}}, {"EXEC"}, "*0\r\n"},
        Example{
            "", {{"WATCH", "k"}, {"SET", "k", "v"}, {"UNWATCH"}, {"MULTI"}}, {"EXEC"}, "*0\r\n"},
        Example{"",
                {{"WATCH", "k"}, {"SET", "k", "v"}, {"MULTI"}, {"DISCARD"}, {"MULTI"}},
                {"EXEC"},
                "*0\r\n"},
        Example{"",
                {{"SET", "k", "v"}, {"WATCH", "k"}, {"SET", "k", "w", "NX"}, {"MULTI"}},
                {"EXEC"},
                "*0\r\n"},
        Example{"",
                {{"SET", "k", "v"}, {"WATCH", "k"}, {"SET", "k", "v"}, {"MULTI"}},
                {"EXEC"},
                "*-1\r\n"},
        Example{"",
                {{"SET", "k", "v"}, {"WATCH", "k"}, {"PEXPIRE", "k", "1000"}, {"MULTI"}},
                {"EXEC"},
                "*-1\r\n"},
        Example{
            "", {{"SET", "k", "v"}, {"WATCH", "k"}, {"FLUSHALL"}, {"MULTI"}}, {"EXEC"}, "*-1\r\n"},
        Example{"", {{"WATCH", "k"}, {"FLUSHALL"}, {"MULTI"}}, {"EXEC"}, "*0\r\n"},
        Example{"",
                {{"SET", "k", "v"}, {"WATCH", "j"}, {"RENAME", "k", "j"}, {"MULTI"}},
                {"EXEC"},
                "*-1\r\n"},
        Example{"",
                {{"SET", "k", "v"}, {"WATCH", "k"}, {"RENAME", "k", "j"}, {"MULTI"}},
                {"EXEC"},
                "*-1\r\n"},
        // The same name in another database is another key.
        Example{"",
                {{"WATCH", "k"}, {"SELECT", "1"}, {"SET", "k", "v"}, {"MULTI"}},
                {"EXEC"},
                "*0\r\n"},
        Example{"",
                {{"SET", "k", "v"}, {"WATCH", "k"}, {"SWAPDB", "0", "1"}, {"MULTI"}},
                {"EXEC"},
                "*-1\r\n"},
        Example{"",
                {{"SELECT", "1"},
                 {"SET", "k", "v"},
                 {"SELECT", "0"},
                 {"WATCH", "k"},
                 {"SWAPDB", "0", "1"},
                 {"MULTI"}},
                {"EXEC"},
                "*-1\r\n"},
        Example{"", {{"WATCH", "k"}, {"SWAPDB", "0", "1"}, {"MULTI"}}, {"EXEC"}, "*0\r\n"},
        Example{"",
                {{"WATCH", "k"}, {"SWAPDB", "0", "1"}, {"SET", "k", "v"}, {"MULTI"}},
                {"EXEC"},
                "*-1\r\n"}));

// R26: the sleep does not age the key.
TEST(Exec, JudgesExpiryByTheInstantAtWhichItBegan) {
  LoneServer redis;
  redis("SET", "k", "v", "PX", "30");
  redis("MULTI");
  redis("EXISTS", "k");
  redis("DEBUG", "SLEEP", "0.08");
  redis("EXISTS", "k");
  EXPECT_EQ(redis("EXEC"), "*3\r\n:1\r\n+OK\r\n:1\r\n");
  EXPECT_EQ(redis("EXISTS", "k"), ":0\r\n");
}

// A script inside uses the time of its own beginning, later commands that of the transaction.
TEST(Exec, LetsAScriptJudgeExpiryByItsOwnBeginning) {
  LoneServer redis;
  redis("SET", "k", "v", "PX", "30");
  redis("MULTI");
  redis("DEBUG", "SLEEP", "0.08");
  redis("EVAL", "return redis.call('exists',KEYS[1])", "1", "j");
  redis("EXISTS", "k");
  redis("EVAL", "return redis.call('exists',KEYS[1])", "1", "k");
  EXPECT_EQ(redis("EXEC"), "*4\r\n+OK\r\n:0\r\n:1\r\n:0\r\n");
}

struct WatchOfALease : testing::Test {
  LoneServer redis;
  Session& other = redis.connect();
  std::string outcome() {
    redis("MULTI");
    return redis("EXEC");
  }
};

TEST_F(WatchOfALease, BreaksWhenTheKeyHasDiedSince) {  // R27
  redis("SET", "k", "v", "PX", "100");
  redis("WATCH", "k");
  redis.pass(101ms);
  EXPECT_EQ(outcome(), "*-1\r\n");
}

TEST_F(WatchOfALease, BreaksWhenTheDeadKeyHasBeenForgotten) {  // R27
  redis("SET", "k", "v", "PX", "100");
  redis("WATCH", "k");
  redis.pass(101ms);
  redis("GET", "k");
  EXPECT_EQ(outcome(), "*-1\r\n");
}

TEST_F(WatchOfALease, HoldsWhileTheKeyLives) {
  redis("SET", "k", "v", "PX", "100");
  redis("WATCH", "k");
  redis.pass(100ms);
  EXPECT_EQ(outcome(), "*0\r\n");
}

TEST_F(WatchOfALease, DoesNotBreakOverAKeyThatWasDeadBefore) {
  redis("SET", "k", "v", "PX", "100");
  redis.pass(101ms);
  redis("WATCH", "k");
  EXPECT_EQ(outcome(), "*0\r\n");
  redis("WATCH", "k");
  redis("GET", "k");  // which forgets it
  EXPECT_EQ(outcome(), "*0\r\n");
}

TEST_F(WatchOfALease, DoesNotBreakWhenADeadKeyIsFlushed) {
  redis("SET", "k", "v", "PX", "100");
  redis.pass(101ms);
  redis("WATCH", "k");
  redis("FLUSHALL");
  EXPECT_EQ(outcome(), "*0\r\n");
}

TEST_F(WatchOfALease, BreaksWhenADeadKeyIsSetAnew) {
  redis("SET", "k", "v", "PX", "100");
  redis.pass(101ms);
  redis("WATCH", "k");
  redis.send(other, Words{"SET", "k", "w"});
  EXPECT_EQ(outcome(), "*-1\r\n");
}

// R89: in protocol 3 a connection may subscribe and publish; a message to itself is inside the
// array.
TEST(Exec, TakesUpWhatIsPushedToItsOwnConnection) {
  LoneServer redis;
  redis("HELLO", "3");
  redis("MULTI");
  redis("SUBSCRIBE", "c", "d");
  redis("PUBLISH", "c", "m");
  redis("SET", "k", "v");
  EXPECT_EQ(redis("EXEC"),
            "*3\r\n"
            ">3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"
            ">3\r\n$9\r\nsubscribe\r\n$1\r\nd\r\n:2\r\n"
            ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n:1\r\n"
            "+OK\r\n");
}

TEST(Exec, ChangesTheProtocolOfTheRepliesBehindHello) {
  LoneServer redis;
  redis("MULTI");
  redis("GET", "k");
  redis("HELLO", "3");
  redis("GET", "k");
  const std::string reply = redis("EXEC");
  EXPECT_TRUE(reply.starts_with("*3\r\n$-1\r\n%7\r\n")) << reply;
  EXPECT_TRUE(reply.ends_with("\r\n_\r\n")) << reply;
}

}  // namespace
}  // namespace picklock::redis::transaction_commands_tests
