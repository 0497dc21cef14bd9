#include <gmock/gmock.h>

#include "testing/redis/command_example.h"

namespace picklock::redis::connection_commands_tests {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ConnectionCommands : public Examples {};
TEST_P(ConnectionCommands, AnswerAsTheRealServerDoes) { EXPECT_EQ(answer(), GetParam().reply); }

const std::string kBadName =
    "-ERR Client names cannot contain spaces, newlines or special characters.\r\n";
const std::string kWrongPassword =
    "-WRONGPASS invalid username-password pair or user is disabled.\r\n";
const std::string kNoSuchClient = "-ERR No such client\r\n";

INSTANTIATE_TEST_SUITE_P(
    Plain, ConnectionCommands,
    testing::Values(
        Example{"", {}, {"PING"}, "+PONG\r\n"}, Example{"", {}, {"PING", "a"}, "$1\r\na\r\n"},
        Example{"", {}, {"PING", "a", "b"}, wrong_arity("ping")},
        Example{"", {}, {"ECHO", "a"}, "$1\r\na\r\n"},
        Example{"", {}, {"ECHO"}, wrong_arity("echo")}, Example{"", {}, {"SELECT", "15"}, kOk},
        Example{"", {}, {"SELECT", "16"}, "-ERR DB index is out of range\r\n"},
        Example{"", {}, {"SELECT", "-1"}, "-ERR DB index is out of range\r\n"},
        Example{"", {}, {"SELECT", "abc"}, kNotInteger},
        Example{"",
                {},
                {"SELECT", "9999999999"},
                "-ERR value is out of range, value must between -2147483648 and "
                "2147483647\r\n"},
        Example{"", {{"SET", "k", "v"}, {"SELECT", "1"}}, {"GET", "k"}, kNil},
        Example{"", {}, {"QUIT"}, kOk}, Example{"", {}, {"RESET"}, "+RESET\r\n"},
        Example{"", {}, {"RESET", "x"}, wrong_arity("reset")},
        Example{"", {{"SELECT", "1"}, {"SET", "k", "v"}, {"RESET"}}, {"GET", "k"}, kNil},
        Example{"", {{"HELLO", "3"}, {"RESET"}}, {"GET", "k"}, kNil},
        Example{"", {{"CLIENT", "SETNAME", "a"}, {"RESET"}}, {"CLIENT", "GETNAME"}, kNil}));

const std::string kGreeting2 =
    "*14\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:2\r\n"
    "$2\r\nid\r\n:1\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"
    "$7\r\nmodules\r\n*0\r\n";
const std::string kGreeting3 =
    "%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:3\r\n"
    "$2\r\nid\r\n:1\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"
    "$7\r\nmodules\r\n*0\r\n";
const std::vector<Words> kLocked = {{"CONFIG", "SET", "requirepass", "pw"}, {"RESET"}};

INSTANTIATE_TEST_SUITE_P(
    HelloAndAuth, ConnectionCommands,
    testing::Values(
        Example{"", {}, {"HELLO"}, kGreeting2}, Example{"", {}, {"HELLO", "3"}, kGreeting3},
        Example{"", {{"HELLO", "3"}}, {"HELLO"}, kGreeting3},
        Example{"", {{"HELLO", "3"}}, {"HELLO", "2"}, kGreeting2},
        Example{"", {}, {"HELLO", "1"}, "-NOPROTO unsupported protocol version\r\n"},
        Example{"", {}, {"HELLO", "4"}, "-NOPROTO unsupported protocol version\r\n"},
        Example{"",
                {},
                {"HELLO", "abc"},
                "-ERR Protocol version is not an integer or out of range\r\n"},
        Example{"", {}, {"HELLO", "3", "FOO"}, "-ERR Syntax error in HELLO option 'FOO'\r\n"},
        Example{
            "", {}, {"HELLO", "3", "AUTH", "u"}, "-ERR Syntax error in HELLO option 'AUTH'\r\n"},
        Example{"", {}, {"HELLO", "3", "AUTH", "u", "p"}, kWrongPassword},
        Example{"", {}, {"HELLO", "2", "SETNAME", "a b"}, kBadName},
        Example{"",
                {{"HELLO", "2", "AUTH", "default", "p", "SETNAME", "zz"}},
                {"CLIENT", "GETNAME"},
                "$2\r\nzz\r\n"},
        Example{"",
                {},
                {"AUTH", "x"},
                "-ERR AUTH <password> called without any password configured for the default user. "
                "Are you sure your configuration is correct?\r\n"},
        Example{"", {}, {"AUTH"}, wrong_arity("auth")},
        Example{"", {}, {"AUTH", "u", "p"}, kWrongPassword},
        Example{"", {}, {"AUTH", "default", "p"}, kOk},
        Example{"", {}, {"AUTH", "a", "b", "c"}, kSyntax},
        Example{"", kLocked, {"PING"}, "-NOAUTH Authentication required.\r\n"},
        Example{"", kLocked, {"MULTI"}, "-NOAUTH Authentication required.\r\n"},
        // An error of the command itself comes before the missing password.
        Example{"", kLocked, {"GET"}, wrong_arity("get")},
        Example{"", kLocked, {"AUTH", "bad"}, kWrongPassword},
        Example{"", kLocked, {"AUTH", "pw"}, kOk},
        Example{"", {kLocked[0], kLocked[1], {"AUTH", "default", "pw"}}, {"PING"}, "+PONG\r\n"},
        Example{"", kLocked, {"HELLO", "3", "AUTH", "default", "pw"}, kGreeting3},
        Example{"", kLocked, {"QUIT"}, kOk},
        Example{"",
                kLocked,
                {"HELLO", "3"},
                "-NOAUTH HELLO must be called with the client already authenticated, otherwise the "
                "HELLO AUTH <user> <pass> option can be used to authenticate the client and select "
                "the RESP protocol version at the same time\r\n"}));

INSTANTIATE_TEST_SUITE_P(
    Client, ConnectionCommands,
    testing::Values(
        Example{
            "R104", {}, {"CLIENT", "NOPE"}, "-ERR unknown subcommand 'NOPE'. Try CLIENT HELP.\r\n"},
        Example{"R104",
                {},
                {"client", "setinfo", "lib-name", "x"},
                "-ERR unknown subcommand 'setinfo'. Try CLIENT HELP.\r\n"},
        Example{"", {}, {"CLIENT"}, wrong_arity("client")},
        Example{"", {}, {"CLIENT", "getname", "a"}, wrong_arity("client|getname")},
        Example{"", {}, {"CLIENT", "GETNAME"}, kNil},
        Example{"", {{"CLIENT", "SETNAME", "abc"}}, {"CLIENT", "GETNAME"}, "$3\r\nabc\r\n"},
        Example{"",
                {{"CLIENT", "SETNAME", "abc"}, {"CLIENT", "SETNAME", ""}},
                {"CLIENT", "GETNAME"},
                kNil},
        Example{"", {}, {"CLIENT", "SETNAME", "a b"}, kBadName},
        Example{"", {}, {"CLIENT", "SETNAME"}, wrong_arity("client|setname")},
        Example{"", {}, {"CLIENT", "ID"}, ":1\r\n"},
        Example{"", {}, {"CLIENT", "INFO", "x"}, wrong_arity("client|info")},
        Example{"", {}, {"CLIENT", "LIST", "foo"}, kSyntax},
        Example{"", {}, {"CLIENT", "LIST", "ID"}, kSyntax},
        Example{"", {}, {"CLIENT", "LIST", "ID", "abc"}, "-ERR Invalid client ID\r\n"},
        Example{"", {}, {"CLIENT", "LIST", "ID", "7"}, "$0\r\n\r\n"},
        Example{"", {}, {"CLIENT", "LIST", "TYPE", "foo"}, "-ERR Unknown client type 'foo'\r\n"},
        Example{"", {}, {"CLIENT", "LIST", "TYPE", "replica"}, "$0\r\n\r\n"},
        Example{"", {}, {"CLIENT", "KILL"}, wrong_arity("client|kill")},
        Example{"", {}, {"CLIENT", "KILL", "127.0.0.1:1"}, kNoSuchClient},
        Example{"", {}, {"CLIENT", "KILL", "ID", "77"}, ":0\r\n"},
        Example{
            "", {}, {"CLIENT", "KILL", "ID", "0"}, "-ERR client-id should be greater than 0\r\n"},
        Example{
            "", {}, {"CLIENT", "KILL", "ID", "abc"}, "-ERR client-id should be greater than 0\r\n"},
        Example{"", {}, {"CLIENT", "KILL", "FOO", "bar"}, kSyntax},
        Example{"", {}, {"CLIENT", "KILL", "ID", "5", "ADDR"}, kSyntax},
        Example{"", {}, {"CLIENT", "KILL", "TYPE", "foo"}, "-ERR Unknown client type 'foo'\r\n"},
        Example{"", {}, {"CLIENT", "KILL", "USER", "nobody"}, "-ERR No such user 'nobody'\r\n"},
        Example{"", {}, {"CLIENT", "KILL", "USER", "default"}, ":0\r\n"},
        Example{"", {}, {"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "foo"}, kSyntax},
        Example{"", {}, {"CLIENT", "KILL", "MAXAGE", "5"}, kSyntax},
        Example{"", {}, {"CLIENT", "KILL", "LADDR", "1.2.3.4:5"}, ":0\r\n"},
        Example{"", {}, {"CLIENT", "PAUSE"}, wrong_arity("client|pause")},
        Example{"",
                {},
                {"CLIENT", "PAUSE", "9", "foo"},
                "-ERR CLIENT PAUSE mode must be WRITE or ALL\r\n"},
        Example{"",
                {},
                {"CLIENT", "PAUSE", "abc"},
                "-ERR timeout is not an integer or out of range\r\n"},
        Example{"", {}, {"CLIENT", "PAUSE", "-1"}, "-ERR timeout is negative\r\n"},
        Example{"", {{"CLIENT", "PAUSE", "0"}}, {"PING"}, "+PONG\r\n"},
        Example{"", {}, {"CLIENT", "UNPAUSE"}, kOk},
        Example{"", {}, {"CLIENT", "UNPAUSE", "x"}, wrong_arity("client|unpause")},
        Example{"", {}, {"CLIENT", "REPLY", "foo"}, kSyntax},
        Example{"", {}, {"CLIENT", "REPLY", "ON"}, kOk},
        Example{"", {}, {"CLIENT", "NO-EVICT", "on"}, kOk},
        Example{"", {}, {"CLIENT", "NO-EVICT", "foo"}, kSyntax},
        Example{"", {}, {"CLIENT", "GETREDIR"}, ":-1\r\n"},
        Example{
            "",
            {},
            {"CLIENT", "TRACKINGINFO"},
            "%3\r\n$5\r\nflags\r\n~1\r\n$3\r\noff\r\n$8\r\nredirect\r\n:-1\r\n$8\r\nprefixes\r\n"
            "*0\r\n",
            3},
        Example{"", {}, {"CLIENT", "UNBLOCK", "1"}, ":0\r\n"},
        Example{"", {}, {"CLIENT", "UNBLOCK", "abc"}, kNotInteger},
        Example{"",
                {},
                {"CLIENT", "UNBLOCK", "1", "foo"},
                "-ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR\r\n"}));

TEST(Quit, EndsTheConnection) {
  LoneServer redis;
  Session& session = redis.connect();
  EXPECT_EQ(redis.send(session, Words{"QUIT", "whatever"}), kOk);
  EXPECT_FALSE(LoneServer::open(session));
}

TEST(ClientReply, IsSilencedForOneCommandOrForAll) {
  LoneServer redis;
  EXPECT_EQ(redis("CLIENT", "REPLY", "SKIP"), "");
  EXPECT_EQ(redis("SET", "k", "v"), "");
  EXPECT_EQ(redis("GET", "k"), "$1\r\nv\r\n");
  EXPECT_EQ(redis("CLIENT", "REPLY", "OFF"), "");
  EXPECT_EQ(redis("GET", "k"), "");
  EXPECT_EQ(redis("GET", "k"), "");
  EXPECT_EQ(redis("CLIENT", "REPLY", "ON"), kOk);
  EXPECT_EQ(redis("GET", "k"), "$1\r\nv\r\n");
}

TEST(ClientReply, DoesNotSilenceWhatIsPushed) {
  LoneServer redis;
  redis("CLIENT", "REPLY", "OFF");
  const std::string confirmed = redis("SUBSCRIBE", "c");
  EXPECT_EQ(confirmed, "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
  EXPECT_EQ(redis("SUBSCRIBE"), "");
  redis.send(redis.connect(), Words{"PUBLISH", "c", "m"});
  EXPECT_EQ(LoneServer::pushed(*redis.first), "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n");
}

TEST(ClientReply, IsSilencedInTheMiddleOfATransaction) {
  LoneServer redis;
  redis("MULTI");
  redis("PING");
  redis("CLIENT", "REPLY", "OFF");
  redis("PING");
  EXPECT_EQ(redis("EXEC"), "*3\r\n+PONG\r\n");
  EXPECT_EQ(redis("PING"), "");
}

// QUIT closes a connection after its answer, so a connection without replies is never closed.
TEST(Quit, LeavesASilencedConnectionOpenAndDeaf) {
  LoneServer redis;
  Session& silent = redis.connect();
  redis.send(silent, Words{"CLIENT", "REPLY", "OFF"});
  EXPECT_EQ(redis.send(silent, Words{"QUIT"}), "");
  EXPECT_EQ(redis.send(silent, Words{"SET", "k", "v"}), "");
  EXPECT_TRUE(LoneServer::open(silent));
  EXPECT_EQ(redis("GET", "k"), kNil);
  EXPECT_THAT(redis("CLIENT", "LIST"), HasSubstr("flags=c "));
}

TEST(Quit, EndsADeafConnectionOnceItIsSentSomething) {
  LoneServer redis;
  Session& deaf = redis.connect();
  redis.send(deaf, Words{"CLIENT", "REPLY", "OFF"});
  redis.send(deaf, Words{"SUBSCRIBE", "c"});
  redis.send(deaf, Words{"QUIT"});
  EXPECT_TRUE(LoneServer::open(deaf));
  EXPECT_EQ(redis("PUBLISH", "c", "m"), ":1\r\n");
  EXPECT_FALSE(LoneServer::open(deaf));
}

TEST(ClientReply, IsOnAgainAfterAReset) {
  LoneServer redis;
  redis("CLIENT", "REPLY", "OFF");
  EXPECT_EQ(redis("RESET"), "+RESET\r\n");
}

TEST(ClientList, HasALineForEveryConnection) {
  LoneServer redis;
  Session& listener = redis.connect();
  redis.send(listener, Words{"SUBSCRIBE", "a", "b"});
  redis("CLIENT", "SETNAME", "me");
  redis("SELECT", "2");
  const std::string list = redis("CLIENT", "LIST");
  EXPECT_THAT(list, HasSubstr("id=1 addr=127.0.0.1:32769 laddr=127.0.0.1:6379 fd=8 name=me age=0 "
                              "idle=0 flags=N db=2 sub=0 psub=0 ssub=0 multi=-1 "));
  EXPECT_THAT(list, HasSubstr("cmd=client|list user=default redir=-1 resp=2\n"));
  EXPECT_THAT(list, HasSubstr("id=2 addr=127.0.0.1:32770 laddr=127.0.0.1:6379 fd=9 name= age=0 "
                              "idle=0 flags=P db=0 sub=2 psub=0 ssub=0 multi=-1 "));
  EXPECT_THAT(list, EndsWith("cmd=subscribe user=default redir=-1 resp=2\n\r\n"));
  EXPECT_THAT(redis("CLIENT", "LIST", "TYPE", "pubsub"), Not(HasSubstr("id=1 ")));
  EXPECT_THAT(redis("CLIENT", "LIST", "ID", "1", "9"), Not(HasSubstr("id=2 ")));
  EXPECT_THAT(redis("CLIENT", "INFO"), HasSubstr("id=1 "));
}

TEST(ClientList, ShowsTransactionsAndWhatHasBecomeOfThem) {
  LoneServer redis;
  Session& other = redis.connect();
  redis.send(other, Words{"WATCH", "k"});
  redis.send(other, Words{"MULTI"});
  redis.send(other, Words{"GET", "k"});
  EXPECT_THAT(redis("CLIENT", "LIST"), HasSubstr("flags=x db=0 sub=0 psub=0 ssub=0 multi=1 "));
  redis("SET", "k", "v");
  EXPECT_THAT(redis("CLIENT", "LIST"), HasSubstr("flags=xd "));
}

TEST(ClientList, ShowsThatAWatchedKeyHasDied) {
  LoneServer redis;
  redis("SET", "k", "v", "PX", "5");
  redis("WATCH", "k");
  redis.pass(std::chrono::milliseconds(6));
  EXPECT_THAT(redis("CLIENT", "LIST"), HasSubstr(" flags=N "));
  redis("GET", "k");
  EXPECT_THAT(redis("CLIENT", "LIST"), HasSubstr(" flags=d "));
}

TEST(ClientList, NamesExecInsideATransaction) {
  LoneServer redis;
  redis("MULTI");
  redis("CLIENT", "LIST");
  EXPECT_THAT(redis("EXEC"), HasSubstr(" cmd=exec "));
}

TEST(ClientList, IsTextToProtocol3) {
  LoneServer redis;
  redis("HELLO", "3");
  EXPECT_THAT(redis("CLIENT", "INFO"), StartsWith("="));
  EXPECT_THAT(redis("CLIENT", "INFO"), HasSubstr("\r\ntxt:id=1 "));
}

struct ClientKill : testing::Test {
  LoneServer redis;
  Session& one = redis.connect();
  Session& two = redis.connect();
};

TEST_F(ClientKill, EndsConnectionsByNumberTypeAndAddress) {
  EXPECT_EQ(redis("CLIENT", "KILL", "ID", std::to_string(one.id)), ":1\r\n");
  EXPECT_FALSE(LoneServer::open(one));
  redis.send(two, Words{"SUBSCRIBE", "a"});
  EXPECT_EQ(redis("CLIENT", "KILL", "TYPE", "PUBSUB"), ":1\r\n");
  EXPECT_FALSE(LoneServer::open(two));
  EXPECT_EQ(redis("PUBLISH", "a", "m"), ":0\r\n");
  Session& three = redis.connect();
  EXPECT_EQ(redis("CLIENT", "KILL", "127.0.0.1:" + std::to_string(32768 + three.id)), kOk);
  EXPECT_FALSE(LoneServer::open(three));
}

TEST_F(ClientKill, SparesItselfUnlessAskedOtherwise) {
  EXPECT_EQ(redis("CLIENT", "KILL", "TYPE", "normal"), ":2\r\n");
  EXPECT_TRUE(LoneServer::open(*redis.first));
  EXPECT_EQ(redis("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no"), ":1\r\n");
  EXPECT_FALSE(LoneServer::open(*redis.first));
}

TEST_F(ClientKill, InsideATransactionLetsItsAnswerOut) {
  redis("MULTI");
  redis("CLIENT", "KILL", "ID", "1", "SKIPME", "no");
  redis("PING");
  EXPECT_EQ(redis("EXEC"), "*2\r\n:1\r\n");  // and nothing after it
  EXPECT_FALSE(LoneServer::open(*redis.first));
}

// ---------------------------------------------------------------- CLIENT PAUSE (R107)

struct ClientPause : testing::Test {
  LoneServer redis;
  Session& other = redis.connect();
};

TEST_F(ClientPause, HoldsCommandsBackInTheirOrder) {
  redis("CLIENT", "PAUSE", "300");
  EXPECT_EQ(redis.send(other, Words{"SET", "k", "1"}), "");
  EXPECT_EQ(redis.send(other, Words{"GET", "k"}), "");
  redis.pass(std::chrono::milliseconds(300));
  EXPECT_EQ(LoneServer::pushed(other), "");
  redis.pass(std::chrono::milliseconds(1));
  EXPECT_EQ(LoneServer::pushed(other), "+OK\r\n$1\r\n1\r\n");
}

TEST_F(ClientPause, ReleasesConnectionsInTheOrderInWhichTheyWereStopped) {
  redis("CLIENT", "PAUSE", "300", "WRITE");
  EXPECT_EQ(redis.send(other, Words{"RPUSHX", "k", "1"}), "");
  EXPECT_EQ(redis("LPUSH", "k", "1"), "");
  redis.pass(std::chrono::milliseconds(301));
  EXPECT_EQ(LoneServer::pushed(other), ":0\r\n");
  EXPECT_EQ(LoneServer::pushed(*redis.first), ":1\r\n");
}

TEST_F(ClientPause, ReleasesAllOfOneConnectionBeforeTheNext) {
  redis("MULTI");
  redis("CLIENT", "PAUSE", "300");
  redis("EXEC");
  EXPECT_EQ(redis.send(other, Words{"PING"}), "");
  EXPECT_EQ(redis("PUBLISH", "c", "x"), "");
  EXPECT_EQ(redis.send(other, Words{"SUBSCRIBE", "c"}), "");
  redis.pass(std::chrono::milliseconds(301));
  EXPECT_EQ(LoneServer::pushed(*redis.first), ":1\r\n");
  EXPECT_EQ(LoneServer::pushed(other),
            "+PONG\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"
            "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n");
}

TEST_F(ClientPause, StopsAgainBehindAPauseAmongWhatItReleases) {
  Session& third = redis.connect();
  redis("CLIENT", "PAUSE", "300");
  EXPECT_EQ(redis.send(other, Words{"CLIENT", "PAUSE", "300", "WRITE"}), "");
  EXPECT_EQ(redis.send(other, Words{"RPUSHX", "k", "1"}), "");
  EXPECT_EQ(redis.send(third, Words{"GET", "s"}), "");
  EXPECT_EQ(redis.send(third, Words{"LPUSH", "k", "1"}), "");
  redis.pass(std::chrono::milliseconds(301));
  EXPECT_EQ(LoneServer::pushed(other), kOk);
  EXPECT_EQ(LoneServer::pushed(third), kNil);
  redis.pass(std::chrono::milliseconds(301));
  EXPECT_EQ(LoneServer::pushed(other), ":0\r\n");
  EXPECT_EQ(LoneServer::pushed(third), ":1\r\n");
}

TEST_F(ClientPause, ForgetsWhatAClosedConnectionWaitedFor) {
  redis("CLIENT", "PAUSE", "300", "WRITE");
  EXPECT_EQ(redis.send(other, Words{"SET", "k", "1"}), "");
  redis.disconnect(other);
  EXPECT_EQ(&redis.connect(), &other);
  redis.pass(std::chrono::milliseconds(301));
  EXPECT_EQ(redis("GET", "k"), kNil);
}

TEST_F(ClientPause, OfWritesLetsReadsPass) {
  redis("SET", "k", "v");
  redis("CLIENT", "PAUSE", "300", "WRITE");
  EXPECT_EQ(redis.send(other, Words{"GET", "k"}), "$1\r\nv\r\n");
  for (const Words& write :
       {Words{"SET", "k", "w"}, Words{"PUBLISH", "a", "b"}, Words{"EVAL", "return 1", "0"}}) {
    Session& writer = redis.connect();
    EXPECT_EQ(redis.send(writer, write), "") << write[0];
  }
  EXPECT_EQ(redis.send(other, Words{"EVAL_RO", "return 1", "0"}), ":1\r\n");
  EXPECT_EQ(redis.send(other, Words{"EVAL", "#!lua flags=no-writes\nreturn 1", "0"}), ":1\r\n");
}

TEST_F(ClientPause, HoldsATransactionBackWhereItsFirstWriteIsQueued) {
  redis("CLIENT", "PAUSE", "300", "WRITE");
  EXPECT_EQ(redis.send(other, Words{"MULTI"}), kOk);
  EXPECT_EQ(redis.send(other, Words{"GET", "k"}), "+QUEUED\r\n");
  EXPECT_EQ(redis.send(other, Words{"SET", "k", "v"}), "");
  EXPECT_EQ(redis.send(other, Words{"EXEC"}), "");
  redis("CLIENT", "UNPAUSE");
  EXPECT_EQ(LoneServer::pushed(other), "+QUEUED\r\n*2\r\n$-1\r\n+OK\r\n");
}

TEST_F(ClientPause, LastsAsLongAsTheLongestAndIsAsStrictAsTheStrictest) {
  redis("CLIENT", "PAUSE", "300", "WRITE");
  redis("CLIENT", "PAUSE", "10", "ALL");
  EXPECT_EQ(redis.send(other, Words{"PING"}), "");
  redis.pass(std::chrono::milliseconds(200));
  EXPECT_EQ(LoneServer::pushed(other), "");
  redis.pass(std::chrono::milliseconds(101));
  EXPECT_EQ(LoneServer::pushed(other), "+PONG\r\n");
}

TEST_F(ClientPause, KeepsDeadKeysInMemory) {  // R107
  redis("SET", "k", "v", "PX", "100");
  redis("CLIENT", "PAUSE", "300", "WRITE");
  redis.pass(std::chrono::milliseconds(200));
  EXPECT_EQ(redis("GET", "k"), kNil);
  EXPECT_EQ(redis("DBSIZE"), ":1\r\n");
  redis.pass(std::chrono::milliseconds(200));
  EXPECT_EQ(redis("GET", "k"), kNil);
  EXPECT_EQ(redis("DBSIZE"), ":0\r\n");
}

}  // namespace
}  // namespace picklock::redis::connection_commands_tests
