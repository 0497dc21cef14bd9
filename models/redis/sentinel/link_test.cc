#include "models/redis/sentinel/link.h"

#include "models/redis/sentinel/info.h"
#include "testing/redis/fake_world.h"

namespace picklock::redis::link_tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Tagged final : LinkListener {
  void on_reply(Link&, std::uint64_t tag, std::string_view reply) override {
    heard.push_back(std::to_string(tag) + std::string(reply.substr(0, 5)));
  }
  void on_pushed(Link&, std::string_view) override { heard.emplace_back("pushed"); }
  void on_lost(Link&) override { heard.emplace_back("lost"); }

  Link link{*this};
  std::vector<std::string> heard;
};

struct Dialled {
  FakeWorld world{{.sentinels = 0}};
  Tagged client;

  void dial(const Node& node) { client.link.dial(world.simulation, *world.client, &node, 1); }
};

TEST(Link, MatchesRepliesToTheirTags) {
  Dialled it;
  it.world.at(1s, [&] {
    it.dial(it.world.server(1).node());
    it.client.link.send({"PING"}, 7);
    it.client.link.send({"SLAVEOF", "NO", "ONE"}, 8);
    EXPECT_EQ(it.client.link.pending(), 2u);
  });
  it.world.run(2s);
  EXPECT_THAT(it.client.heard, ElementsAre("7+PONG", "8+OK\r\n"));
  EXPECT_EQ(it.client.link.pending(), 0u);
}

TEST(Link, TellsMessagesFromReplies) {
  Dialled it;
  it.world.at(1s, [&] {
    it.dial(it.world.server(1).node());
    it.client.link.send({"SUBSCRIBE", "c"}, 1);
    it.client.link.send({"PUBLISH", "c", "m"}, 2);
    it.client.link.send({"PING"}, 3);
  });
  it.world.run(2s);
  EXPECT_THAT(it.client.heard,
              testing::UnorderedElementsAre("1*3\r\n$", "2:1\r\n", "pushed", "3+PONG"));
}

TEST(Link, IsLostWhenTheServerIsDown) {
  Dialled it;
  it.world.at(1s, [&] {
    it.world.kill(it.world.server(1));
    it.dial(it.world.server(1).node());
    it.client.link.send({"PING"});
  });
  it.world.run(2s);
  EXPECT_THAT(it.client.heard, ElementsAre("lost"));
  EXPECT_FALSE(it.client.link.dialled());
}

TEST(Link, ToNobodyStaysSilent) {
  Dialled it;
  it.world.at(1s, [&] {
    it.client.link.dial(it.world.simulation, *it.world.client, nullptr, 1);
    it.client.link.send({"PING"});
  });
  it.world.run(20s);
  EXPECT_THAT(it.client.heard, IsEmpty());
  EXPECT_EQ(it.client.link.pending(), 1u);
  EXPECT_TRUE(it.client.link.dialled());
}

TEST(Link, ThatIsClosedHearsNothingMore) {
  Dialled it;
  it.world.at(1s, [&] {
    it.dial(it.world.server(1).node());
    it.client.link.send({"PING"});
    it.client.link.close();
  });
  it.world.run(2s);
  EXPECT_THAT(it.client.heard, IsEmpty());
}

TEST(ReplySize, IsThatOfTheFirstWholeReply) {
  EXPECT_EQ(reply_size("+OK\r\n+OK\r\n"), 5u);
  EXPECT_EQ(reply_size("$3\r\na\r\n\r\nx"), 9u);
  EXPECT_EQ(reply_size("*2\r\n*1\r\n:1\r\n$-1\r\n"), 17u);
  EXPECT_EQ(reply_size("%1\r\n+a\r\n*-1\r\n"), 13u);
  for (const std::string_view broken : {"+OK", "$3\r\na\r\n", "*2\r\n:1\r\n", "*x\r\n", ""})
    EXPECT_EQ(reply_size(broken), 0u) << broken;
}

TEST(ServerInfo, IsReadFromTheTextOfAReplica) {
  ServerInfo info;
  read_info(
      "# Server\r\nrun_id:0123456789012345678901234567890123456789\r\n\r\n# Replication\r\n"
      "role:slave\r\nmaster_host:10.0.0.4\r\nmaster_port:6380\r\nmaster_link_status:down\r\n"
      "master_link_down_since_seconds:3\r\nslave_repl_offset:55\r\nslave_priority:10\r\n",
      info);
  EXPECT_EQ(info.run_id, "0123456789012345678901234567890123456789");
  EXPECT_TRUE(info.tells_role && info.is_replica);
  EXPECT_EQ(*info.master_host, "10.0.0.4");
  EXPECT_EQ(*info.master_port, 6380);
  EXPECT_FALSE(*info.link_up);
  EXPECT_EQ(info.link_down_ms, 3000);
  EXPECT_EQ(*info.offset, 55u);
  EXPECT_EQ(*info.priority, 10);
}

TEST(ServerInfo, IsReadFromTheTextOfAMaster) {
  ServerInfo info;
  read_info(
      "role:master\r\nconnected_slaves:2\r\n"
      "slave0:ip=10.0.0.2,port=6379,state=online,offset=1,lag=0\r\n"
      "slave1:ip=10.0.0.3,port=6381,state=wait_bgsave,offset=0,lag=0\r\n",
      info);
  EXPECT_TRUE(info.tells_role && !info.is_replica);
  ASSERT_EQ(info.replicas.size(), 2u);
  EXPECT_EQ(info.replicas[0].host, "10.0.0.2");
  EXPECT_EQ(info.replicas[1].port, 6381);
  EXPECT_FALSE(info.master_host || info.link_up);
}

}  // namespace
}  // namespace picklock::redis::link_tests
