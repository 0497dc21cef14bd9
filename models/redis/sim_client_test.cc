#include "models/redis/sim_client.h"

#include <gmock/gmock.h>

#include "models/redis/group_world.h"
#include "models/redis/wire.h"
#include "models/small_world.h"

namespace picklock::models::redis {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using Kind = Reply::Kind;

std::vector<Kind> three_commands(sim::Fault fault) {
  SmallWorld world;
  std::vector<Kind> kinds;
  world.client(1, [&](SmallWorld&, auto& self) {
    for (int i = 0; i < 3; ++i) {
      kinds.push_back(self.redis().set("lock", "a").kind);
      self.sleep(1s);
    }
  });
  world.run({fault});
  return kinds;
}

TEST(SimClient, KnowsAnAnswer) {
  SmallWorld world;
  Reply reply;
  world.client(1, [&](SmallWorld&, auto& self) { reply = self.redis().get("lock"); });
  world.run();
  EXPECT_TRUE(reply.is_nil());
  EXPECT_EQ(world.milliseconds(), 1);
}

// The command may have been applied; the next one does not even leave.
TEST(SimClient, TellsUnknownFromUnsentAcrossAPartition) {
  const sim::Fault cut = fault_at(500ms, sim::Verb::partition, "redis-1", 20s);
  EXPECT_THAT(three_commands(cut), ElementsAre(Kind::status, Kind::unknown, Kind::unsent));
}

TEST(SimClient, TakesABrokenConnectionForUnknownAndDialsAnew) {
  const sim::Fault crash = fault_at(1001200us, sim::Verb::crash, "redis-1", 500ms);
  EXPECT_THAT(three_commands(crash), ElementsAre(Kind::status, Kind::unknown, Kind::status));
}

TEST(SimClient, WaitsForItsPatienceAndNoLonger) {
  SmallWorld world{SmallWorld::Setup{.command_timeout = 250ms}};
  std::int64_t waited = 0;
  Kind kind{};
  world.client(1, [&](SmallWorld& all, auto& self) {
    kind = self.redis().get("lock").kind;
    waited = all.milliseconds();
  });
  world.run({fault_at(0s, sim::Verb::pause, "redis-1", 10s)});
  EXPECT_EQ(kind, Kind::unknown);
  EXPECT_EQ(waited, 250);
}

// The same operation, with as many effects as copies arrive (architecture 8.3).
Reply taken(const sim::Plan& plan, std::uint32_t resend) {
  SmallWorld world{SmallWorld::Setup{.command_timeout = 250ms, .resend = resend}};
  Reply reply;
  world.client(1, [&](SmallWorld& all, auto& self) {
    all.play(Role::acquire);
    reply = self.redis().set("lock", "a", {.nx = true});
  });
  world.run(plan);
  return reply;
}

TEST(SimClient, SendsACommandAgainWhoseAnswerWasLost) {
  const sim::Plan lost = {
      fault_where_applied(sim::Side::after, Role::acquire, sim::Verb::drop, {})};
  EXPECT_EQ(taken(lost, 0).kind, Kind::unknown);
  const Reply again = taken(lost, 1);
  EXPECT_TRUE(again.is_nil());
  EXPECT_TRUE(again.resent);
}

TEST(SimClient, SendsACommandAgainThatTookTooLong) {
  const Reply again = taken({fault_at(0s, sim::Verb::pause, "redis-1", 300ms)}, 1);
  EXPECT_TRUE(again.is_nil());
  EXPECT_TRUE(again.resent);
}

TEST(SimClient, LeavesACommandUnknownOnceACopyHasLeft) {
  EXPECT_EQ(taken({fault_at(0s, sim::Verb::partition, "redis-1", 20s)}, 2).kind, Kind::unknown);
}

TEST(SimClient, SendsNothingAgainThatWasAnswered) {
  const Reply first = taken({}, 2);
  EXPECT_TRUE(first.ok());
  EXPECT_FALSE(first.resent);
}

TEST(SimClient, SendsEveryVerbAsTheCommandItIs) {
  SmallWorld world{SmallWorld::Setup{.tracing = true}};
  static const Script script("return 1");
  world.client(1, [](SmallWorld&, auto& self) {
    redis::Client& redis = self.redis();
    redis.set("k", "v");
    redis.set("k", "v", {.nx = true});
    redis.set("k", "v", {.px = 1500ms});
    redis.set("k", "v", {.nx = true, .px = 1500ms});
    redis.set("k", "v", {.nx = true, .ex = 1500ms});
    redis.set("k", "v", {.keepttl = true});
    redis.setnx("k", "v");
    redis.getset("k", "v");
    redis.incr("k");
    redis.get("k");
    redis.exists("k");
    redis.pttl("k");
    redis.pexpire("k", 2s);
    redis.del("k");
    redis.eval(script, {"k"}, {"a", "b"});
    redis.evalsha(script, {}, {});
  });
  world.run();
  const sim::Trace& trace = world.simulation.scheduler.recorder().trace();
  std::vector<std::string> sent;
  for (const sim::TraceRecord& record : trace.records) {
    if (record.kind == sim::TraceKind::sent && !record.reply)
      sent.push_back(protocol().describe(trace.payload(record), false));
  }
  EXPECT_THAT(sent, ElementsAre("SET k v", "SET k v NX", "SET k v PX 1500", "SET k v NX PX 1500",
                                "SET k v NX EX 2", "SET k v KEEPTTL", "SETNX k v", "GETSET k v",
                                "INCR k", "GET k", "EXISTS k", "PTTL k", "PEXPIRE k 2000", "DEL k",
                                "EVAL {script} 1 k a b",
                                "EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0"));
}

// ---------------------------------------------------------------- whoever leads

// One SET after each of these times: to whom it went, and what came of it.
std::vector<Kind> sets_after(GroupWorld& world, std::vector<Duration> waits) {
  std::vector<Kind> kinds;
  world.thread([&kinds, &world, waits] {
    for (const Duration wait : waits) {
      world.sleep(wait);
      kinds.push_back(world.redis.set("lock", "a").kind);
    }
  });
  world.run();
  return kinds;
}

GroupWorld::Setup at_address() { return {.sentinels = 0, .find_by = FindBy::address}; }

TEST(SimClient, DialsWhoeverIsAtTheAddressOnceItsConnectionIsLost) {
  GroupWorld world(at_address());
  world.at(2s, [&] {
    world.kill("redis-1");
    world.server(1).fail_over(nullptr);
  });
  EXPECT_THAT(sets_after(world, {1s, 2s}), ElementsAre(Kind::status, Kind::status));
  EXPECT_THAT(world.asked(), ElementsAre("redis-1", "redis-2"));
}

TEST(SimClient, StaysWithTheServerOfItsConnectionWhereTheAddressMoves) {
  GroupWorld world(at_address());
  world.at(2s, [&] { world.server(1).fail_over(nullptr); });
  EXPECT_THAT(sets_after(world, {1s, 2s}), ElementsAre(Kind::status, Kind::status));
  EXPECT_THAT(world.asked(), ElementsAre("redis-1", "redis-1"));
}

TEST(SimClient, AsksNoSentinelWhileItHasAConnection) {
  GroupWorld world;
  EXPECT_THAT(sets_after(world, {1s, 1s}), ElementsAre(Kind::status, Kind::status));
  EXPECT_THAT(world.asked(), ElementsAre("redis-1", "redis-1"));
}

TEST(SimClient, SendsNothingWhereNoSentinelAnswers) {
  GroupWorld world;
  world.at(1s, [&] {
    for (const char* name : {"redis-1", "sentinel-1", "sentinel-2", "sentinel-3"}) world.kill(name);
  });
  EXPECT_THAT(sets_after(world, {2s}), ElementsAre(Kind::unsent));
  EXPECT_THAT(world.asked(), ElementsAre());
}

// A Sentinel names the dead primary until another is promoted.
TEST(SimClient, SendsNothingToADeadPrimaryAndAsksAgain) {
  GroupWorld world;
  world.at(1s, [&] { world.kill("redis-1"); });
  EXPECT_THAT(sets_after(world, {1500ms, 10s}), ElementsAre(Kind::unsent, Kind::status));
  EXPECT_THAT(world.asked(), ElementsAre("sentinel-1", "sentinel-1", "redis-2"));
}

TEST(SimClient, AsksWhoLeadsAfterAServerHasSaidThatItDoesNot) {
  GroupWorld world({.down_after = 30s});
  world.at(2s, [&] {
    world.say(2, {"REPLICAOF", "NO", "ONE"});
    world.say(1, {"REPLICAOF", host_of(world.process("redis-2").id()), "6379"});
  });
  EXPECT_THAT(sets_after(world, {1s, 2s, 1ms}),
              ElementsAre(Kind::status, Kind::error, Kind::error));
  EXPECT_THAT(world.asked(), ElementsAre("redis-1", "redis-1", "sentinel-1", "redis-1"));
}

// The Sentinels that have told the old one to follow have cut off its clients.
TEST(SimClient, ReachesThePromotedOneOnceTheOldPrimaryFollows) {
  GroupWorld world;
  world.at(2s, [&] { world.pause("redis-1"); });
  world.at(20s, [&] { world.resume("redis-1"); });
  EXPECT_THAT(sets_after(world, {1s, 39s}), ElementsAre(Kind::status, Kind::status));
  EXPECT_THAT(world.asked(), ElementsAre("redis-1", "sentinel-1", "redis-2"));
}

// The address tells it nothing new.
TEST(SimClient, StaysWithAServerThatDoesNotLeadWhereItKnowsTheAddressAlone) {
  GroupWorld world(at_address());
  world.at(500ms, [&] {
    world.say(1, {"REPLICAOF", host_of(world.process("redis-2").id()), "6379"});
  });
  EXPECT_THAT(sets_after(world, {1s, 1s}), ElementsAre(Kind::error, Kind::error));
  EXPECT_THAT(world.asked(), ElementsAre("redis-1", "redis-1"));
}

// The second command waits behind the first, on the connection that is given up.
TEST(SimClient, TellsTheOtherThreadsAtOnceThatTheConnectionIsGone) {
  GroupWorld world({.patience = 10s, .down_after = 30s});
  world.process("redis-1").set_service(1s);
  world.say(1, {"REPLICAOF", host_of(world.process("redis-2").id()), "6379"});
  std::vector<std::pair<Kind, Duration>> told;
  world.thread([&] {
    const Kind kind = world.redis.set("lock", "a").kind;
    told.emplace_back(kind, world.now());
  });
  world.thread([&] {
    world.sleep(100ms);
    const Kind kind = world.redis.get("lock").kind;
    told.emplace_back(kind, world.now());
  });
  world.run();
  constexpr Duration kAnswered = 1s + 2 * GroupWorld::kWay;
  EXPECT_THAT(told,
              ElementsAre(std::pair(Kind::error, kAnswered), std::pair(Kind::unknown, kAnswered)));
}

}  // namespace
}  // namespace picklock::models::redis
