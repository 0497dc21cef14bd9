// A Redis Cluster of three masters, and the client that finds its way in it (R120-R124).
#include <gmock/gmock.h>

#include "models/client/tenures.h"
#include "models/redis/client_end.h"
#include "models/redis/group.h"
#include "models/redis/server.h"
#include "models/redis/slots.h"
#include "models/redis/wire.h"

namespace picklock::redis::redirection_tests {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Slots, FollowFromTheTextInBracesOrTheWholeKey) {
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of("{foo}bar"), 12182);
  EXPECT_EQ(slot_of("{}x"), 10595);
  EXPECT_EQ(slot_of("a{}{b}"), 15033);
  EXPECT_EQ(slot_of("lock:order-42"), 784);
  EXPECT_EQ(slot_of("lock:order-42:fence"), 9418);
}

// Three masters; client-1 is a process without a program.
class Masters {
 public:
  Masters() {
    simulation.reset(1);
    sim::Processes& processes = simulation.scheduler.processes();
    client = &processes.add("client-1");
    for (std::size_t i = 0; i < 3; ++i) {
      sim::Process& process = processes.add("redis-" + std::to_string(i + 1));
      directory.add({.process = &process, .endpoint = &servers[i]});
    }
    keys.reset();
    tenures.reset(keys.id("lock:order-42"));
    groups.resize(3);
    for (std::uint32_t i = 0; i < 3; ++i) {
      servers[i].reset(simulation, processes.at(i + 1), tenures, keys, &directory);
      groups[i].reset(servers[i].process().name(), servers[i], directory);
    }
    slots.reset(groups, "lock:order-42");
    for (Server& server : servers) server.join_cluster(slots);
    for (std::uint32_t i = 0; i < 4; ++i) processes.start(processes.at(i));
    for (std::size_t i = 0; i < 3; ++i) sessions[i] = &servers[i].connect();
  }

  template <typename... Words>
  std::string at(std::size_t server, const Words&... words) {
    const std::string_view argv[] = {words...};
    sim::Payload bytes;
    servers[server - 1].execute(*sessions[server - 1], argv, bytes);
    return std::string(bytes.view());
  }
  std::string host(std::size_t server) const { return host_of(servers[server - 1].process().id()); }

  history::RecordedSimulation simulation;
  models::Tenures tenures;
  models::Keys keys;
  Directory directory;
  std::array<Server, 3> servers;
  std::vector<Group> groups;
  Slots slots;
  std::array<Session*, 3> sessions{};
  sim::Process* client = nullptr;
};

TEST(Slots, AreSharedEquallyAndTheFirstGroupHasTheLock) {
  Masters redis;
  const std::vector<SlotRange> ranges = redis.slots.ranges();
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[0].first, 0);
  EXPECT_EQ(ranges[0].last, 5460);
  EXPECT_EQ(ranges[1].last, 10922);
  EXPECT_EQ(ranges[2].last, 16383);
  redis.slots.reset(redis.groups, "foo");
  EXPECT_EQ(redis.slots.group_of(12182), 0u);
  EXPECT_EQ(redis.slots.group_of(784), 1u);
}

TEST(Redirection, NamesTheMasterOfAForeignSlot) {
  Masters redis;
  const std::string moved = "-MOVED 784 " + redis.host(1) + ":6379\r\n";
  EXPECT_EQ(redis.at(1, "SET", "lock:order-42", "v"), "+OK\r\n");
  EXPECT_EQ(redis.at(2, "SET", "lock:order-42", "v"), moved);
  EXPECT_EQ(redis.at(2, "GET", "lock:order-42"), moved);
  EXPECT_EQ(redis.at(2, "EVALSHA", std::string(40, 'a'), "1", "lock:order-42"), moved);
  EXPECT_THAT(redis.at(1, "EVALSHA", std::string(40, 'a'), "1", "lock:order-42"),
              StartsWith("-NOSCRIPT"));
  EXPECT_THAT(redis.at(2, "GET"), StartsWith("-ERR wrong number"));
  EXPECT_EQ(redis.at(2, "PING"), "+PONG\r\n");
}

constexpr std::string_view kCrossSlot =
    "-CROSSSLOT Keys in request don't hash to the same slot\r\n";

TEST(Redirection, RefusesKeysOfSeveralSlots) {
  Masters redis;
  EXPECT_EQ(redis.at(3, "DEL", "a", "foo"), kCrossSlot);  // both are here
  EXPECT_EQ(redis.at(1, "DEL", "a", "foo"), kCrossSlot);
  EXPECT_EQ(redis.at(1, "EVAL", "return 1", "2", "lock:order-42", "lock:order-42:fence"),
            kCrossSlot);
  EXPECT_EQ(redis.at(1, "EVAL", "return 1", "2", "lock:order-42", "{lock:order-42}:fence"),
            ":1\r\n");
}

TEST(Redirection, JudgesATransactionAsAWhole) {
  Masters redis;
  redis.at(3, "MULTI");
  EXPECT_EQ(redis.at(3, "SET", "foo", "1"), "+QUEUED\r\n");
  EXPECT_EQ(redis.at(3, "SET", "a", "1"), "+QUEUED\r\n");
  EXPECT_EQ(redis.at(3, "EXEC"), kCrossSlot);
  EXPECT_EQ(redis.at(3, "EXEC"), "-ERR EXEC without MULTI\r\n");
  redis.at(3, "MULTI");
  EXPECT_THAT(redis.at(3, "SET", "lock:order-42", "1"), StartsWith("-MOVED"));
  EXPECT_EQ(redis.at(3, "EXEC"),
            "-EXECABORT Transaction discarded because of previous errors.\r\n");
}

TEST(Redirection, KeepsScriptsToTheKeysOfTheirServer) {
  Masters redis;
  EXPECT_THAT(redis.at(1, "EVAL", "return redis.call('get', 'foo')", "1", "lock:order-42"),
              HasSubstr("ERR Script attempted to access a non local key in a cluster node"));
  EXPECT_THAT(redis.at(3, "EVAL", "return redis.call('mget', 'foo', 'a')", "0"),
              HasSubstr("non local key"));
  EXPECT_EQ(
      redis.at(3, "EVAL", "redis.call('set', 'foo', 1) return redis.call('set', 'a', 2)", "0"),
      "+OK\r\n");
}

TEST(Redirection, KnowsOneDatabase) {
  Masters redis;
  EXPECT_EQ(redis.at(1, "SELECT", "0"), "+OK\r\n");
  EXPECT_EQ(redis.at(1, "SELECT", "1"), "-ERR SELECT is not allowed in cluster mode\r\n");
  EXPECT_EQ(redis.at(1, "CLUSTER", "KEYSLOT", "foo"), ":12182\r\n");
  EXPECT_THAT(redis.at(1, "CLUSTER", "SLOTS"), StartsWith("*3\r\n*3\r\n:0\r\n:5460\r\n*4\r\n"));
}

TEST(Redirection, IsUnknownToAServerAlone) {
  Masters redis;
  Server alone;
  sim::Process& process = redis.simulation.scheduler.processes().add("redis-4");
  alone.reset(redis.simulation, process, redis.tenures, redis.keys);
  redis.simulation.scheduler.processes().start(process);
  Session& session = alone.connect();
  const std::string_view argv[] = {"CLUSTER", "SLOTS"};
  sim::Payload bytes;
  alone.execute(session, argv, bytes);
  EXPECT_EQ(bytes.view(), "-ERR This instance has cluster support disabled\r\n");
}

// The replies to SET and GET of keys of all masters.
std::vector<std::string> values_seen(FirstMap map, std::uint64_t& sent) {
  Masters redis;
  ClientEnd end;
  std::vector<std::string> values;
  end.reset(redis.simulation, *redis.client, redis.slots, map, 1, {});
  redis.simulation.nemesis.reset({}, 0, 1);
  redis.simulation.scheduler.threads().spawn(
      *redis.client,
      [&] {
        for (const std::string_view key : {"lock:order-42", "foo", "lock:order-42:fence"}) {
          EXPECT_TRUE(end.server(0).set(key, key).ok());
          values.push_back(end.server(0).get(key).text);
        }
      },
      true);
  redis.simulation.scheduler.run();
  for (const Server& server : redis.servers) sent += server.stats().commands;
  return values;
}

TEST(ShardedClient, SendsEachCommandToTheServerOfItsKey) {
  std::uint64_t sent = 0;
  EXPECT_THAT(values_seen(FirstMap::whole, sent),
              testing::ElementsAre("lock:order-42", "foo", "lock:order-42:fence"));
  EXPECT_EQ(sent, 6u);
}

TEST(ShardedClient, FollowsRedirectionsAndRemembersThem) {
  std::uint64_t sent = 0;
  EXPECT_THAT(values_seen(FirstMap::none, sent),
              testing::ElementsAre("lock:order-42", "foo", "lock:order-42:fence"));
  EXPECT_EQ(sent, 8u);  // two keys are elsewhere than at redis-2
}

}  // namespace
}  // namespace picklock::redis::redirection_tests
