#include "models/redis/sim_client.h"

#include <gmock/gmock.h>

#include <array>
#include <map>

#include "models/redis/wire.h"
#include "testing/redis/group_world.h"
#include "testing/small_world.h"

namespace picklock::redis::sim_client_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using Kind = Reply::Kind;

std::vector<Kind> three_commands(sim::Fault fault) {
  models::SmallWorld world;
  std::vector<Kind> kinds;
  world.client(1, [&](models::SmallWorld&, auto& self) {
    for (int i = 0; i < 3; ++i) {
      kinds.push_back(redis::server(self).set("lock", "a").kind);
      self.sleep(1s);
    }
  });
  world.run({fault});
  return kinds;
}

TEST(SimClient, KnowsAnAnswer) {
  models::SmallWorld world;
  Reply reply;
  world.client(1,
               [&](models::SmallWorld&, auto& self) { reply = redis::server(self).get("lock"); });
  world.run();
  EXPECT_TRUE(reply.is_nil());
  EXPECT_EQ(world.milliseconds(), 1);
}

// The command may have been applied; the next one does not even leave.
TEST(SimClient, TellsUnknownFromUnsentAcrossAPartition) {
  const sim::Fault cut = models::fault_at(500ms, sim::Verb::partition, "redis-1", 20s);
  EXPECT_THAT(three_commands(cut), ElementsAre(Kind::status, Kind::unknown, Kind::unsent));
}

TEST(SimClient, TakesABrokenConnectionForUnknownAndDialsAnew) {
  const sim::Fault crash = models::fault_at(1001200us, sim::Verb::crash, "redis-1", 500ms);
  EXPECT_THAT(three_commands(crash), ElementsAre(Kind::status, Kind::unknown, Kind::status));
}

TEST(SimClient, WaitsForItsPatienceAndNoLonger) {
  models::SmallWorld world{models::SmallWorld::Setup{.command_timeout = 250ms}};
  std::int64_t waited = 0;
  Kind kind{};
  world.client(1, [&](models::SmallWorld& all, auto& self) {
    kind = redis::server(self).get("lock").kind;
    waited = all.milliseconds();
  });
  world.run({models::fault_at(0s, sim::Verb::pause, "redis-1", 10s)});
  EXPECT_EQ(kind, Kind::unknown);
  EXPECT_EQ(waited, 250);
}

// A resend is the same operation, with one effect for each copy that arrives (architecture
// "Unknown").
Reply taken(const sim::Plan& plan, std::uint32_t resend) {
  models::SmallWorld world{models::SmallWorld::Setup{.command_timeout = 250ms, .resend = resend}};
  Reply reply;
  world.client(1, [&](models::SmallWorld& all, auto& self) {
    all.play(Role::acquire);
    reply = redis::server(self).set("lock", "a", {.nx = true});
  });
  world.run(plan);
  return reply;
}

TEST(SimClient, SendsACommandAgainWhoseAnswerWasLost) {
  const sim::Plan lost = {
      models::fault_where_applied(sim::Side::after, Role::acquire, sim::Verb::drop, {})};
  EXPECT_EQ(taken(lost, 0).kind, Kind::unknown);
  const Reply again = taken(lost, 1);
  EXPECT_TRUE(again.is_nil());
  EXPECT_TRUE(again.resent);
}

TEST(SimClient, SendsACommandAgainThatTookTooLong) {
  const Reply again = taken({models::fault_at(0s, sim::Verb::pause, "redis-1", 300ms)}, 1);
  EXPECT_TRUE(again.is_nil());
  EXPECT_TRUE(again.resent);
}

TEST(SimClient, LeavesACommandUnknownOnceACopyHasLeft) {
  EXPECT_EQ(taken({models::fault_at(0s, sim::Verb::partition, "redis-1", 20s)}, 2).kind,
            Kind::unknown);
}

TEST(SimClient, SendsNothingAgainThatWasAnswered) {
  const Reply first = taken({}, 2);
  EXPECT_TRUE(first.ok());
  EXPECT_FALSE(first.resent);
}

TEST(SimClient, SendsEveryVerbAsTheCommandItIs) {
  models::SmallWorld world{models::SmallWorld::Setup{.tracing = true}};
  static const Script script("return 1");
  world.client(1, [](models::SmallWorld&, auto& self) {
    redis::Client& redis = redis::server(self);
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
  const sim::Trace& trace = world.simulation.scheduler.record().tracer().trace();
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

// ---------------------------------------------------------------- connections

// Threads of client 1, each of which sends one GET of its number at its time to a server that needs
// a second for each request.
class PoolTest : public testing::Test {
 protected:
  explicit PoolTest(models::LockOptions options = {.connections = 2})
      : world({.tracing = true, .options = options}) {
    world.server().process().set_service(1s);
  }
  sim::Thread& get(int number, Duration when) {
    return world.client(1, [this, number, when](models::SmallWorld&, picklock::Client& self) {
      self.sleep(when);
      kinds[number] = redis::server(self).get(std::to_string(number)).kind;
    });
  }
  void get_one_after_the_other(int count) {
    for (int i = 1; i <= count; ++i) get(i, i * 10ms);
  }

  models::SmallWorld world;
  std::map<int, Kind> kinds;
};

TEST_F(PoolTest, HasAConnectionForEachCommandAndQueuesTheRest) {
  get_one_after_the_other(5);
  world.run();
  // The second connection is dialed first.
  EXPECT_THAT(world.sent(),
              ElementsAre("0.01 redis-1 GET 1", "0.021 redis-1 GET 2", "1.011 redis-1 GET 3",
                          "2.011 redis-1 GET 4", "3.011 redis-1 GET 5"));
}

TEST_F(PoolTest, LeavesNobodyBehindOneWhoIsKilledInTheQueue) {
  get(1, 10ms);
  get(2, 20ms);
  sim::Thread& third = get(3, 30ms);
  get(4, 40ms);
  world.client(1, [&](models::SmallWorld& all, picklock::Client& self) {
    self.sleep(500ms);
    all.simulation.scheduler.threads().kill(third);
  });
  world.run();
  EXPECT_EQ(world.sent()[2], "1.011 redis-1 GET 4");
}

// The thread that is woken for the first one's connection is killed before it takes it.
TEST_F(PoolTest, LeavesNobodyBehindOneWhoIsKilledWhenJustWoken) {
  sim::Thread* third = nullptr;
  world.client(1, [&](models::SmallWorld& all, picklock::Client& self) {
    self.sleep(10ms);
    redis::server(self).get("1");
    all.simulation.scheduler.threads().kill(*third);
  });
  get(2, 20ms);
  third = &get(3, 30ms);
  get(4, 40ms);
  world.run();
  EXPECT_EQ(world.sent()[2], "1.011 redis-1 GET 4");
}

class KeptPoolTest : public PoolTest {
 protected:
  KeptPoolTest() : PoolTest({.connections = 2, .keep_timed_out = true}) {}
};

TEST_F(KeptPoolTest, SendsNothingForOneWhoHasWaitedTooLongForAConnection) {
  get_one_after_the_other(5);
  world.run({models::fault_at(0s, sim::Verb::pause, "redis-1", 60s)});
  EXPECT_EQ(kinds[4], Kind::unknown);
  EXPECT_EQ(kinds[5], Kind::unsent);
}

// Both waiting threads get a connection at once.
TEST_F(KeptPoolTest, LeavesNobodyWaitingWhereTwoConnectionsBecomeFreeTogether) {
  world.server().process().set_service(0s);
  get(1, 0s);
  get(2, 0s);
  get(3, 1s);
  get(4, 1s);
  get(5, 1001ms);
  get(6, 1001ms);
  world.run({models::fault_at(500ms, sim::Verb::pause, "redis-1", 3550ms)});
  EXPECT_EQ(kinds[5], Kind::nil);
  EXPECT_EQ(kinds[6], Kind::nil);
}

class OneConnectionTest : public PoolTest {
 protected:
  OneConnectionTest() : PoolTest(models::LockOptions{}) {}
};

TEST_F(OneConnectionTest, IsSharedByTheThreadsOfAProcess) {
  get_one_after_the_other(3);
  world.run();
  EXPECT_THAT(world.sent(),
              ElementsAre("0.01 redis-1 GET 1", "0.02 redis-1 GET 2", "0.03 redis-1 GET 3"));
}

// No command takes the late answer as its own.
TEST(SimClient, KeepsAConnectionOnWhichACommandHasTimedOutOrDialsAnew) {
  for (const bool keeps : {true, false}) {
    models::SmallWorld world({.command_timeout = 250ms, .options = {.keep_timed_out = keeps}});
    std::vector<Kind> kinds;
    world.client(1, [&](models::SmallWorld& all, auto& self) {
      kinds.push_back(redis::server(self).get("lock").kind);
      self.sleep(750ms);
      kinds.push_back(redis::server(self).incr("count").kind);
      EXPECT_EQ(all.milliseconds(), keeps ? 1001 : 1002);
    });
    world.run({models::fault_at(0s, sim::Verb::pause, "redis-1", 500ms)});
    EXPECT_THAT(kinds, ElementsAre(Kind::unknown, Kind::integer));
  }
}

// ---------------------------------------------------------------- sending again

TEST(SimClient, PausesTwiceAsLongBeforeEachCopyUpToAMost) {
  models::SmallWorld world(
      {.command_timeout = 250ms,
       .resend = 4,
       .tracing = true,
       .options = {.resend_delay = 1s, .resend_delay_most = 3s, .keep_timed_out = true}});
  world.client(1, [](models::SmallWorld&, auto& self) { redis::server(self).get("lock"); });
  world.run({models::fault_at(0s, sim::Verb::pause, "redis-1", 60s)});
  std::vector<double> at;
  for (const std::string& line : world.sent()) at.push_back(std::stod(line));
  ASSERT_EQ(at.size(), 5U);
  const std::array<double, 4> whole = {1, 2, 3, 3};
  for (std::size_t i = 0; i < 4; ++i) {
    const double pause = at[i + 1] - at[i] - 0.25;
    EXPECT_GE(pause, whole[i] / 2);
    EXPECT_LE(pause, whole[i]);
    EXPECT_NE(pause, whole[i] / 2);  // half of it is drawn
  }
}

Reply unless_it_has_left(const sim::Fault& fault, models::SmallWorld& world) {
  world.reset(
      {.command_timeout = 250ms, .resend = 3, .tracing = true, .options = {.resend_delay = 400ms}});
  Reply reply;
  world.client(1, [&](models::SmallWorld&, auto& self) {
    self.sleep(1s);
    const std::string_view argv[] = {"INCR", "count"};
    reply = redis::server(self).call_interruptibly(Role::none, argv, Resend::unsent, {});
  });
  world.run({fault});
  return reply;
}

TEST(SimClient, SendsNothingAgainThatHasLeftIfToldSo) {  // algorithms.md 1.3
  models::SmallWorld world;
  const Reply reply =
      unless_it_has_left(models::fault_at(500ms, sim::Verb::pause, "redis-1", 800ms), world);
  EXPECT_EQ(reply.kind, Kind::unknown);
  EXPECT_EQ(world.sent().size(), 1U);
}

TEST(SimClient, SendsAgainWhatNeverLeftAllTheSame) {
  models::SmallWorld world;
  const Reply reply =
      unless_it_has_left(models::fault_at(500ms, sim::Verb::crash, "redis-1", 900ms), world);
  EXPECT_TRUE(reply.is_integer(1));
  EXPECT_FALSE(reply.resent);
}

TEST(SimClient, SendsTwoCommandsAtOnceOnOneConnection) {
  models::SmallWorld world({.tracing = true, .options = {.connections = 4}});
  std::array<Reply, 2> replies;
  world.client(1, [&](models::SmallWorld& all, auto& self) {
    const std::string_view set[] = {"SET", "k", "v"};
    const std::string_view get[] = {"GET", "k"};
    replies = redis::server(self).call_both(Role::none, set, get, Resend::unanswered);
    EXPECT_EQ(all.milliseconds(), 1);
  });
  world.run();
  EXPECT_TRUE(replies[0].ok());
  EXPECT_TRUE(replies[1].is_bulk("v"));
  EXPECT_THAT(world.sent(), ElementsAre("0.0 redis-1 SET k v", "0.0 redis-1 GET k"));
}

TEST(SimClient, KnowsNothingOfTwoCommandsWithoutAnswer) {
  models::SmallWorld world({.command_timeout = 250ms});
  std::array<Reply, 2> replies;
  world.client(1, [&](models::SmallWorld&, auto& self) {
    const std::string_view ping[] = {"PING"};
    replies = redis::server(self).call_both(Role::none, ping, ping, Resend::unanswered);
  });
  world.run({models::fault_at(0s, sim::Verb::pause, "redis-1", 10s)});
  EXPECT_EQ(replies[0].kind, Kind::unknown);
  EXPECT_EQ(replies[1].kind, Kind::unknown);
}

TEST(SimClient, PostsWithoutWaiting) {
  models::SmallWorld world({.tracing = true});
  world.client(1, [](models::SmallWorld& all, auto& self) {
    const std::string_view argv[] = {"INCR", "count"};
    redis::server(self).post(Role::none, argv);
    EXPECT_EQ(all.milliseconds(), 0);
    EXPECT_TRUE(redis::server(self).get("count").is_bulk("1"));
  });
  world.run();
}

TEST(SimClient, PostsFromAThreadOfItsOwnWhereNoConnectionStands) {
  models::SmallWorld world;
  world.client(1, [](models::SmallWorld& all, auto& self) {
    self.sleep(1s);
    const std::string_view argv[] = {"INCR", "count"};
    redis::server(self).post(Role::none, argv);
    EXPECT_EQ(all.milliseconds(), 1000);
    self.sleep(1s);
    EXPECT_TRUE(redis::server(self).get("count").is_bulk("1"));
  });
  world.run({models::fault_at(500ms, sim::Verb::restart, "redis-1")});
}

// ---------------------------------------------------------------- the leader of a group

// Sends one SET after each of these times and collects the kinds of the replies.
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

GroupWorld::Setup at_address() { return {.sentinels = 0, .find_by = servers::FindBy::address}; }

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

TEST(SimClient, FollowsThePromotedOneAtOnceWhenItIsToldToLook) {
  GroupWorld world(at_address());
  world.at(2s, [&] { world.server(1).fail_over(nullptr); });
  world.thread([&] {
    world.sleep(1s);
    world.redis.refresh();
    world.redis.set("lock", "a");
    world.sleep(2s);
    world.redis.refresh();
    world.redis.set("lock", "a");
  });
  world.run();
  EXPECT_THAT(world.asked(), ElementsAre("redis-1", "redis-2"));
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

// The address still names the same server.
TEST(SimClient, StaysWithAServerThatDoesNotLeadWhereItKnowsTheAddressAlone) {
  GroupWorld world(at_address());
  world.at(500ms, [&] {
    world.say(1, {"REPLICAOF", host_of(world.process("redis-2").id()), "6379"});
  });
  EXPECT_THAT(sets_after(world, {1s, 1s}), ElementsAre(Kind::error, Kind::error));
  EXPECT_THAT(world.asked(), ElementsAre("redis-1", "redis-1"));
}

// The second command waits for the first on the same connection, which is given up.
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
}  // namespace picklock::redis::sim_client_tests
