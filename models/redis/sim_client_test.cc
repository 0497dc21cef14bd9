#include "models/redis/sim_client.h"

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace picklock::models::redis
