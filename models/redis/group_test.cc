#include "models/redis/group.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "testing/redis/replicated_servers.h"

namespace picklock::redis::group_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr const char* kOk = "+OK\r\n";
constexpr const char* kNil = "$-1\r\n";

class GroupTest : public testing::Test {
 protected:
  // Fails over as the fault does after it has stopped the host.
  void fail_over(std::size_t lost, std::size_t to = 0) {
    if (!redis.process(lost).down()) redis.kill(lost);
    redis.server(lost).fail_over(to > 0 ? &redis.process(to) : nullptr);
  }
  void cut(std::size_t from, std::size_t to) {
    redis.simulation.network.block(redis.process(from), redis.process(to));
  }
  const Server* leader() { return &redis.group.at_address(); }
  std::string host(std::size_t number) { return host_of(redis.process(number).id()); }

  // "redis-2 entry created failover", in order.
  std::vector<std::string> entries() {
    std::vector<std::string> lines;
    for (const history::HistoryEvent& event : redis.simulation.recorder.history()) {
      if (event.what < history::What::entry_created || event.what > history::What::entry_removed)
        continue;
      lines.push_back("redis-" + std::to_string(event.process + 1) + " " +
                      std::string(history::name(event.what)) + " " +
                      std::string(history::name(event.cause)));
    }
    return lines;
  }

  ReplicatedServers redis{{.count = 3, .grouped = true}};
};

TEST_F(GroupTest, HasTheAddressOfItsPrimaryAtFirst) {
  EXPECT_EQ(leader(), &redis.server(1));
  EXPECT_EQ(redis.group.replicas(), 2U);
  EXPECT_EQ(&redis.group.replica(1), &redis.server(3));
}

TEST_F(GroupTest, PromotesTheReplicaThatHasReceivedMost) {
  redis.at(1s, [&] {
    cut(1, 2);
    redis.say(1, "SET", "lock", "a");
  });
  redis.at(2s, [&] { fail_over(1); });
  redis.run(3s);
  EXPECT_EQ(leader(), &redis.server(3));
  EXPECT_EQ(redis.field(3, "role"), "master");
}

TEST_F(GroupTest, PromotesTheFirstOfEquals) {
  redis.at(1s, [&] { redis.say(1, "SET", "lock", "a"); });
  redis.at(2s, [&] { fail_over(1); });
  redis.run(3s);
  EXPECT_EQ(leader(), &redis.server(2));
}

TEST_F(GroupTest, PromotesTheOneNamedThoughItHasLess) {
  redis.at(1s, [&] {
    cut(1, 3);
    redis.say(1, "SET", "lock", "a");
  });
  redis.at(2s, [&] { fail_over(1, 3); });
  redis.run(3s);
  EXPECT_EQ(leader(), &redis.server(3));
  EXPECT_EQ(redis.say(3, "GET", "lock"), kNil);
}

TEST_F(GroupTest, PassesOverAReplicaThatIsDown) {
  redis.at(1s, [&] {
    redis.kill(2);
    fail_over(1);
  });
  redis.run(2s);
  EXPECT_EQ(leader(), &redis.server(3));
}

TEST_F(GroupTest, HasTheOthersFollowWhoeverIsPromoted) {
  redis.at(1s, [&] { fail_over(1, 3); });
  redis.at(5s, [&] { EXPECT_EQ(redis.say(3, "SET", "lock", "b"), kOk); });
  redis.run(6s);
  EXPECT_EQ(redis.field(2, "master_host"), host(3));
  EXPECT_EQ(redis.say(2, "GET", "lock"), "$1\r\nb\r\n");
}

TEST_F(GroupTest, HasOneThatWasDownFollowWhenItStartsAgain) {
  redis.at(1s, [&] {
    redis.kill(3);
    fail_over(1);
  });
  redis.at(2s, [&] { redis.restart(3); });
  redis.run(6s);
  EXPECT_EQ(redis.field(3, "master_host"), host(2));
  EXPECT_EQ(redis.field(3, "master_link_status"), "up");
}

// Otherwise it would wait for a dead primary for ever.
TEST_F(GroupTest, HasThePromotedOneStartAgainAsAPrimary) {
  redis.at(1s, [&] { fail_over(1); });
  redis.at(2s, [&] { redis.restart(2); });
  redis.run(20s);
  EXPECT_EQ(redis.field(2, "role"), "master");
  EXPECT_EQ(redis.field(3, "master_link_status"), "up");
}

TEST_F(GroupTest, LeavesThePrimaryInPlaceWhenAReplicaIsLost) {
  redis.at(1s, [&] { fail_over(2); });
  redis.run(2s);
  EXPECT_EQ(leader(), &redis.server(1));
  EXPECT_EQ(redis.field(3, "role"), "slave");
}

TEST_F(GroupTest, LeavesAllAsItIsWhenNobodyIsLeft) {
  redis.at(1s, [&] {
    redis.kill(2);
    redis.kill(3);
    fail_over(1);
  });
  redis.run(2s);
  EXPECT_EQ(leader(), &redis.server(1));
}

TEST_F(GroupTest, PromotesNobodyInPlaceOfTheOneNamed) {
  redis.at(1s, [&] {
    redis.kill(3);
    fail_over(1, 3);
  });
  redis.run(2s);
  EXPECT_EQ(leader(), &redis.server(1));
  EXPECT_EQ(redis.field(2, "role"), "slave");
}

TEST_F(GroupTest, ReplacesTheOneThatWasPromotedToo) {
  redis.at(1s, [&] { fail_over(1); });
  redis.at(2s, [&] { fail_over(1); });  // leads no more
  redis.at(3s, [&] { EXPECT_EQ(leader(), &redis.server(2)); });
  redis.at(4s, [&] { fail_over(2); });
  redis.run(5s);
  EXPECT_EQ(leader(), &redis.server(3));
  EXPECT_EQ(redis.field(3, "role"), "master");
}

// ---------------------------------------------------------------- the history

// Otherwise the history would show a loss of the lock, although the copy still has it.
TEST_F(GroupTest, TellsOfTheCopyBeforeTheLostEntryGoes) {
  redis.at(1s, [&] { redis.say(1, "SET", "lock", "a", "PX", "10000"); });
  redis.at(2s, [&] { fail_over(1); });
  redis.run(3s);
  EXPECT_THAT(entries(),
              ElementsAre("redis-1 entry created command", "redis-2 entry created failover",
                          "redis-1 entry removed failover"));
}

TEST_F(GroupTest, TellsThatWhatNoReplicaHasIsGone) {
  redis.at(1s, [&] {
    cut(1, 2);
    cut(1, 3);
    redis.say(1, "SET", "lock", "a", "PX", "10000");
    fail_over(1);
  });
  redis.run(2s);
  EXPECT_THAT(entries(),
              ElementsAre("redis-1 entry created command", "redis-1 entry removed failover"));
}

// The entries of a dead server count until another server serves in its place.
TEST_F(GroupTest, TellsNothingOfALostEntryWhileNobodyIsPromoted) {
  redis.at(1s, [&] {
    redis.say(1, "SET", "lock", "a", "PX", "10000");
    redis.kill(1);
  });
  redis.run(3s);
  EXPECT_THAT(entries(), ElementsAre("redis-1 entry created command"));
}

// The history never had the entry of the replica, because it was only a copy of the primary's.
TEST_F(GroupTest, TellsNothingOfTheCopyOfADeadReplica) {
  redis.at(1s, [&] { redis.say(1, "SET", "lock", "a", "PX", "10000"); });
  redis.at(1500ms, [&] { redis.kill(2); });
  redis.at(2s, [&] { fail_over(1); });
  redis.run(3s);
  EXPECT_THAT(entries(),
              ElementsAre("redis-1 entry created command", "redis-3 entry created failover",
                          "redis-1 entry removed failover"));
}

// The first entry is not lost a second time when its server returns without data.
TEST_F(GroupTest, TellsOfALostEntryOnce) {
  redis.at(1s, [&] { redis.say(1, "SET", "lock", "a", "PX", "10000"); });
  redis.at(2s, [&] { fail_over(1); });
  redis.at(3s, [&] { redis.restart(1, sim::Keeps::none); });
  redis.run(4s);
  EXPECT_THAT(entries(),
              ElementsAre("redis-1 entry created command", "redis-2 entry created failover",
                          "redis-1 entry removed failover"));
}

TEST(Group, TellsWhatAReplacedServerServesAgainThatHasALog) {
  ReplicatedServers redis({.count = 2, .grouped = true, .configuration = {"appendonly", "yes"}});
  redis.at(1s, [&] { redis.say(1, "SET", "lock", "a", "PX", "10000"); });
  redis.at(2s, [&] {
    redis.kill(1);
    redis.server(1).fail_over(nullptr);
  });
  redis.at(3s, [&] { redis.restart(1, sim::Keeps::all); });
  redis.run(4s);
  const history::HistoryEvent& last = redis.simulation.recorder.history().back();
  EXPECT_EQ(last.what, history::What::entry_created);
  EXPECT_EQ(last.cause, history::Cause::restart);
  EXPECT_EQ(last.process, redis.process(1).id());
  EXPECT_EQ(last.until - sim::kStart, 11s + 1ms);
}

}  // namespace
}  // namespace picklock::redis::group_tests
