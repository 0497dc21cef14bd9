#include "testing/redis/fake_world.h"

namespace picklock::redis::answers_tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> answers(
    std::initializer_list<std::initializer_list<std::string_view>> commands) {
  FakeWorld world({});
  Asker asker;
  world.at(5s, [&] {
    for (const auto& argv : commands) world.ask(asker, world.sentinel(1), argv);
  });
  world.run(6s);
  return asker.replies;
}

std::string answer(std::initializer_list<std::string_view> argv) {
  const std::vector<std::string> all = answers({argv});
  return all.size() == 1 ? all.front() : std::to_string(all.size()) + " answers";
}

TEST(SentinelCommand, TellsTheAddressOfTheMaster) {
  EXPECT_EQ(answer({"sentinel", "GET-MASTER-ADDR-BY-NAME", "redis-1"}),
            "*2\r\n$8\r\n10.0.0.1\r\n$4\r\n6379\r\n");
}

TEST(SentinelCommand, TellsANullArrayOfAnUnknownMaster) {  // R70
  EXPECT_EQ(answer({"SENTINEL", "get-master-addr-by-name", "other"}), "*-1\r\n");
}

TEST(SentinelCommand, DescribesWhatItWatches) {
  EXPECT_THAT(
      answer({"SENTINEL", "MASTER", "redis-1"}),
      AllOf(StartsWith("*"), HasSubstr("$5\r\nflags\r\n$6\r\nmaster\r\n"),
            HasSubstr("$6\r\nquorum\r\n$1\r\n2\r\n"), HasSubstr("$10\r\nnum-slaves\r\n$1\r\n2\r\n"),
            HasSubstr("$19\r\nnum-other-sentinels\r\n$1\r\n2\r\n")));
  EXPECT_THAT(answer({"SENTINEL", "MASTERS"}), StartsWith("*1\r\n*"));
  EXPECT_THAT(answer({"SENTINEL", "REPLICAS", "redis-1"}),
              AllOf(StartsWith("*2\r\n*"), HasSubstr("$13\r\n10.0.0.2:6379\r\n"),
                    HasSubstr("master-link-status\r\n$2\r\nok\r\n")));
  EXPECT_THAT(answer({"SENTINEL", "SLAVES", "redis-1"}), StartsWith("*2\r\n*"));
  EXPECT_THAT(answer({"SENTINEL", "SENTINELS", "redis-1"}),
              AllOf(StartsWith("*2\r\n*"), HasSubstr("voted-leader\r\n$1\r\n?\r\n")));
}

TEST(SentinelCommand, TellsWhetherTheQuorumCanBeReached) {
  EXPECT_EQ(answer({"SENTINEL", "CKQUORUM", "redis-1"}),
            "+OK 3 usable Sentinels. Quorum and failover authorization can be reached\r\n");
  FakeWorld world({.sentinels = 5, .quorum = 3});
  Asker asker;
  world.at(5s, [&] {
    for (std::size_t i = 3; i <= 5; ++i) world.kill(world.sentinel(i));
  });
  world.at(10s, [&] { world.ask(asker, world.sentinel(1), {"SENTINEL", "CKQUORUM", "redis-1"}); });
  world.run(11s);
  EXPECT_THAT(
      asker.replies,
      ElementsAre("-NOQUORUM 2 usable Sentinels. Not enough available Sentinels to reach the "
                  "specified quorum for this master. Not enough available Sentinels to "
                  "reach the majority and authorize a failover\r\n"));
}

TEST(SentinelCommand, RefusesWhatMakesNoSense) {
  EXPECT_EQ(answer({"SENTINEL", "MASTER", "x"}), "-ERR No such master with that name\r\n");
  EXPECT_EQ(answer({"SENTINEL", "MASTER"}),
            "-ERR wrong number of arguments for 'sentinel|master' command\r\n");
  EXPECT_EQ(answer({"SENTINEL", "NOPE"}), "-ERR unknown subcommand 'NOPE'. Try SENTINEL HELP.\r\n");
  EXPECT_EQ(answer({"GET", "k"}), "-ERR unknown command 'GET', with args beginning with: 'k' \r\n");
  EXPECT_EQ(answer({"PUBLISH", "c", "m"}),
            "-ERR Only HELLO messages are accepted by Sentinel instances.\r\n");
  EXPECT_EQ(answer({"SENTINEL", "is-master-down-by-addr", "10.0.0.1", "x", "0", "*"}),
            "-ERR value is not an integer or out of range\r\n");
}

TEST(SentinelCommand, RefusesAFailoverThatCannotBe) {
  FakeWorld world({.servers = 1});
  Asker asker;
  world.at(5s, [&] { world.ask(asker, world.sentinel(1), {"SENTINEL", "FAILOVER", "redis-1"}); });
  world.run(6s);
  EXPECT_THAT(asker.replies, ElementsAre("-NOGOODSLAVE No suitable replica to promote\r\n"));
  EXPECT_THAT(answers({{"SENTINEL", "FAILOVER", "redis-1"}, {"SENTINEL", "FAILOVER", "redis-1"}}),
              ElementsAre("+OK\r\n", "-INPROG Failover already in progress\r\n"));
}

TEST(Sentinel, AnswersAsAServerDoes) {
  EXPECT_EQ(answer({"PING"}), "+PONG\r\n");
  EXPECT_EQ(answer({"ping", "a"}), "$1\r\na\r\n");
  EXPECT_EQ(answer({"ROLE"}), "*2\r\n$8\r\nsentinel\r\n*1\r\n$7\r\nredis-1\r\n");
  EXPECT_THAT(answers({{"CLIENT", "SETNAME", "me"}, {"CLIENT", "GETNAME"}}),
              ElementsAre("+OK\r\n", "$2\r\nme\r\n"));
  EXPECT_THAT(answer({"HELLO", "2"}), HasSubstr("$4\r\nmode\r\n$8\r\nsentinel\r\n"));
  EXPECT_THAT(answer({"INFO", "sentinel"}),
              HasSubstr("master0:name=redis-1,status=ok,address=10.0.0.1:6379,slaves=2,"
                        "sentinels=3\r\n"));
}

TEST(Sentinel, TakesTheOptionsOfHello) {
  EXPECT_THAT(answers({{"HELLO", "2", "SETNAME", "me"}, {"CLIENT", "GETNAME"}}),
              ElementsAre(HasSubstr("sentinel"), "$2\r\nme\r\n"));
  EXPECT_EQ(answer({"HELLO", "2", "NOPE"}), "-ERR Syntax error in HELLO option 'NOPE'\r\n");
  EXPECT_THAT(answer({"AUTH", "x"}), StartsWith("-ERR AUTH <password> called without any"));
}

TEST(Sentinel, ClosesAConnectionThatQuits) {
  FakeWorld world({});
  Asker asker;
  world.at(5s, [&] { world.ask(asker, world.sentinel(1), {"QUIT"}); });
  world.run(6s);
  EXPECT_THAT(asker.replies, ElementsAre("+OK\r\n"));
  EXPECT_TRUE(asker.lost);
}

TEST(Subscriber, HearsOfTheSwitch) {
  FakeWorld world({});
  Asker channel;
  Asker pattern;
  Asker gone;
  world.at(5s, [&] {
    world.ask(channel, world.sentinel(1), {"SUBSCRIBE", "+switch-master"});
    world.ask(channel, world.sentinel(1), {"INFO"});
    world.ask(pattern, world.sentinel(1), {"PSUBSCRIBE", "+s*n"});
    world.ask(gone, world.sentinel(1), {"SUBSCRIBE", "+switch-master"});
    world.ask(gone, world.sentinel(1), {"UNSUBSCRIBE"});
  });
  world.at(30s, [&] { world.kill(world.server(1)); });
  world.run(33s);
  EXPECT_THAT(channel.replies,
              ElementsAre("*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n",
                          StartsWith("-ERR Can't execute 'info'")));
  EXPECT_THAT(channel.pushed,
              ElementsAre("*3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$35\r\nredis-1 10.0.0.1 "
                          "6379 10.0.0.2 6379\r\n"));
  EXPECT_THAT(pattern.pushed,
              ElementsAre("*4\r\n$8\r\npmessage\r\n$4\r\n+s*n\r\n$6\r\n+sdown\r\n$28\r\nmaster "
                          "redis-1 10.0.0.1 6379\r\n"));
  EXPECT_THAT(gone.pushed, ElementsAre());
}

}  // namespace
}  // namespace picklock::redis::answers_tests
