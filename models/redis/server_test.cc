#include "models/redis/server.h"

#include <gmock/gmock.h>

#include "models/servers/verbs.h"
#include "testing/small_world.h"

namespace picklock::redis::server_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::StartsWith;
using World = models::SmallWorld::Setup;

// Takes the lock for 10 s and looks on for 20 s. Requests take half a millisecond each way.
void take_and_watch(models::SmallWorld&, picklock::Client& self) {
  redis::server(self).set("lock", "token", {.nx = true, .px = 10s});
  self.sleep(20s);
}

sim::Fault at(Duration when, sim::Verb verb) { return models::fault_at(when, verb, "redis-1"); }
sim::Fault step_clock(Duration when, Duration step) {
  sim::Fault fault = at(when, sim::Verb::step_clock);
  fault.step = step;
  return fault;
}

std::vector<std::string> effects(const World& setup, const sim::Plan& plan) {
  models::SmallWorld world(setup);
  world.client(1, take_and_watch);
  world.run(plan);
  return world.effects();
}

// ---------------------------------------------------------------- expiry by the server's clock

// R13: the request comes when the clock shows 0 ms and a half, and the deadline is in whole ones.
TEST(Expiry, IsInTheHistoryWhenTheClockShowsOneMillisecondMore) {
  EXPECT_THAT(effects({}, {}), ElementsAre("0.0005 entry created command by 1 of 0 until 10.001",
                                           "10.001 entry removed expiry by 0 of 1"));
}

TEST(Expiry, CountsTheMillisecondsOfAClockThatIsOffByAFraction) {
  EXPECT_THAT(effects({.server_offset = 700us}, {}),
              ElementsAre("0.0005 entry created command by 1 of 0 until 10.0013",
                          "10.0013 entry removed expiry by 0 of 1"));
}

TEST(Expiry, ComesSoonerByAClockThatRunsFast) {
  EXPECT_THAT(effects({.server_rate_ppb = 500'000'000}, {}),
              ElementsAre("0.0005 entry created command by 1 of 0 until 6.667333334",
                          "6.667333334 entry removed expiry by 0 of 1"));
}

TEST(Expiry, FollowsAChangeOfRate) {
  sim::Fault slow = at(1s, sim::Verb::set_clock_rate);
  slow.rate_ppb = -500'000'000;
  slow.lasts = 4s;
  EXPECT_THAT(effects({}, {slow}).back(), "12.001 entry removed expiry by 0 of 1");
}

TEST(Expiry, FollowsStepsOfTheClock) {
  EXPECT_THAT(effects({}, {step_clock(1s, 4s)}).back(), "6.001 entry removed expiry by 0 of 1");
  EXPECT_THAT(effects({}, {step_clock(1s, -4s)}).back(), "14.001 entry removed expiry by 0 of 1");
  EXPECT_THAT(effects({}, {step_clock(3s, 20s)}).back(), "3.0 entry removed expiry by 0 of 1");
}

// Neither a command nor the server's own cycle.
TEST(Expiry, IsUndoneByAClockSetBackBeforeAnybodyLooked) {
  EXPECT_THAT(effects({}, {step_clock(10'002ms, -4s)}),
              ElementsAre("0.0005 entry created command by 1 of 0 until 10.001",
                          "10.001 entry removed expiry by 0 of 1",
                          "10.002 entry created command by 0 of 1 until 14.001",
                          "14.001 entry removed expiry by 0 of 1"));
}

TEST(Expiry, GoesOnWhileTheServerIsPaused) {  // R116
  sim::Fault pause = at(1s, sim::Verb::pause);
  pause.lasts = 15s;
  EXPECT_THAT(effects({}, {pause}).back(), "10.001 entry removed expiry by 0 of 1");
}

TEST(Expiry, IsForgottenByTheNextCommandWithoutASecondEvent) {  // R23
  models::SmallWorld world;
  std::string left;
  world.client(1, [&](models::SmallWorld&, auto& self) {
    redis::server(self).set("lock", "a", {.px = 1s});
    self.sleep(2s);
    if (redis::server(self).set("lock", "b", {.nx = true}).ok())
      left = redis::server(self).get("lock").text;
  });
  world.run();
  EXPECT_EQ(left, "b");
  EXPECT_THAT(world.effects(), ElementsAre("0.0005 entry created command by 1 of 0 until 1.001",
                                           "1.001 entry removed expiry by 0 of 1",
                                           "2.0015 entry created command by 1 of 0"));
}

// R11: stored although dead; it is not in the way of anybody.
TEST(Expiry, OfADeadlineInThePastIsAtOnce) {
  models::SmallWorld world;
  world.client(1, [](models::SmallWorld&, auto& self) {
    const std::string_view argv[] = {"SET", "lock", "a", "PXAT", "1"};
    redis::server(self).call(Role::none, argv);
  });
  world.run();
  EXPECT_THAT(world.effects(), ElementsAre("0.0005 entry created command by 1 of 0 until 0.0005",
                                           "0.0005 entry removed expiry by 0 of 1"));
}

// ---------------------------------------------------------------- other ends of an entry

TEST(Entries, AreAlteredByRenewalAndOverwriting) {
  models::SmallWorld world{World{.clients = 2}};
  world.client(1, [](models::SmallWorld&, auto& self) {
    redis::server(self).set("lock", "a", {.px = 10s});
    redis::server(self).pexpire("lock", 20s);
    self.sleep(2s);
    redis::server(self).del("lock");
    redis::server(self).del("lock");
  });
  world.client(2, [](models::SmallWorld&, auto& self) {
    self.sleep(1s);
    redis::server(self).set("lock", "b");
  });
  world.run();
  EXPECT_THAT(world.effects(), ElementsAre("0.0005 entry created command by 1 of 0 until 10.001",
                                           "0.0015 entry altered command by 1 of 1 until 20.002",
                                           "1.0005 entry altered command by 2 of 1",
                                           "2.0025 entry removed command by 1 of 2"));
}

TEST(Entries, AreEvictedForNobody) {
  sim::Fault evict = at(2s, models::kEvict);
  EXPECT_THAT(effects({}, {evict}).back(), "2.0 entry removed eviction by 0 of 1");
}

TEST(Entries, OutliveARestartOfAServerThatKeepsALog) {
  sim::Fault restart = at(2s, sim::Verb::restart);
  restart.keeps = sim::Keeps::all;
  EXPECT_THAT(effects({.configuration = {"appendonly", "yes"}}, {restart}),
              ElementsAre("0.0005 entry created command by 1 of 0 until 10.001",
                          "10.001 entry removed expiry by 0 of 1"));
}

TEST(Entries, OfAServerWithoutADiskAreLostInItsCrash) {
  for (const sim::Verb verb : {sim::Verb::restart, sim::Verb::crash}) {
    sim::Fault crash = at(2s, verb);
    if (verb == sim::Verb::restart) crash.lasts = 1s;
    EXPECT_THAT(effects({}, {crash}),
                ElementsAre("0.0005 entry created command by 1 of 0 until 10.001",
                            "2.0 entry removed crash by 0 of 1"));
  }
}

TEST(Entries, ThatAreOnADiskAreLostWhereTheServerStartsWithoutIt) {
  sim::Fault restart = at(2s, sim::Verb::restart);
  restart.lasts = 1s;
  restart.keeps = sim::Keeps::none;
  EXPECT_THAT(effects({.configuration = {"appendonly", "yes"}}, {restart}),
              ElementsAre("0.0005 entry created command by 1 of 0 until 10.001",
                          "3.0 entry removed restart by 0 of 1"));
}

// ---------------------------------------------------------------- scripts

const Script& compare_and_delete() {
  static const Script script(
      "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) end return 0");
  return script;
}

TEST(ScriptCache, IsLostInARestartThatKeepsTheData) {  // R81
  models::SmallWorld world(World{.configuration = {"appendonly", "yes"}});
  std::vector<bool> known;
  world.client(1, [&](models::SmallWorld&, auto& self) {
    const auto ask = [&] {
      known.push_back(
          !redis::server(self).evalsha(compare_and_delete(), {"lock"}, {"a"}).is_error());
    };
    ask();
    redis::server(self).eval(compare_and_delete(), {"lock"}, {"a"});
    ask();
    self.sleep(3s);
    redis::server(self).get("lock");  // the connection is broken
    ask();
  });
  sim::Fault restart = at(1s, sim::Verb::restart);
  restart.keeps = sim::Keeps::all;
  world.run({restart});
  EXPECT_THAT(known, ElementsAre(false, true, false));
}

struct Told {
  Reply::Kind kind{};
  std::int64_t at_ms = 0;
};

// Client 1 takes the lock and gives it back by a script; the fault strikes there.
Told release_under(sim::Side side, sim::Verb verb, Duration lasts,
                   std::vector<std::string>& effects) {
  models::SmallWorld world(World{.configuration = {"appendonly", "yes"}});
  Told told;
  world.client(1, [&](models::SmallWorld& all, auto& self) {
    redis::server(self).set("lock", "a", {.px = 10s});
    all.play(Role::release);
    told.kind = redis::server(self).eval(compare_and_delete(), {"lock"}, {"a"}).kind;
    told.at_ms = all.milliseconds();
    self.sleep(5s);
  });
  world.run({models::fault_where_applied(side, Role::release, verb, lasts)});
  effects = world.effects();
  return told;
}

TEST(ScriptPath, ACrashJustBeforeLeavesTheEntry) {
  std::vector<std::string> effects;
  const Told told = release_under(sim::Side::before, sim::Verb::crash, 1s, effects);
  EXPECT_EQ(told.kind, Reply::Kind::unknown);
  EXPECT_THAT(effects, ElementsAre("0.0005 entry created command by 1 of 0 until 10.001"));
}

TEST(ScriptPath, ACrashJustAfterLosesOnlyTheAnswer) {
  std::vector<std::string> effects;
  const Told told = release_under(sim::Side::after, sim::Verb::crash, 1s, effects);
  EXPECT_EQ(told.kind, Reply::Kind::unknown);
  EXPECT_EQ(effects.back(), "0.0015 entry removed command by 1 of 1");
}

TEST(ScriptPath, APauseJustBeforeDelaysTheEffect) {
  std::vector<std::string> effects;
  const Told told = release_under(sim::Side::before, sim::Verb::pause, 2s, effects);
  EXPECT_EQ(told.kind, Reply::Kind::integer);
  EXPECT_EQ(told.at_ms, 2002);
  EXPECT_EQ(effects.back(), "2.0015 entry removed command by 1 of 1");
}

TEST(ScriptPath, APauseJustAfterDelaysTheAnswer) {
  std::vector<std::string> effects;
  const Told told = release_under(sim::Side::after, sim::Verb::pause, 2s, effects);
  EXPECT_EQ(told.kind, Reply::Kind::integer);
  EXPECT_EQ(told.at_ms, 2002);
  EXPECT_EQ(effects.back(), "0.0015 entry removed command by 1 of 1");
}

// Two scripts arrive at one instant; the first one's end stops the server before the second.
TEST(ScriptPath, APauseAfterOneScriptHoldsUpTheNext) {
  models::SmallWorld world{World{.clients = 2}};
  static const Script first("return redis.call('set','a','1')");
  static const Script second("return redis.call('set','b','1')");
  for (std::uint32_t i : {1u, 2u}) {
    world.client(i, [i](models::SmallWorld& all, auto& self) {
      all.play(Role::release);
      redis::server(self).eval(i == 1 ? first : second, {}, {});
    });
  }
  world.run({models::fault_where_applied(sim::Side::after, Role::release, sim::Verb::pause, 2s)});
  EXPECT_THAT(world.effects(),
              ElementsAre("0.0005 entry created command by 1 of 0", StartsWith("2.0005")));
}

// A server answers in the order of arrival (R15), though a script runs on a stack of its own.
TEST(ScriptPath, IsNotOvertakenByWhatArrivesAtTheSameInstant) {
  models::SmallWorld world{World{.clients = 2}};
  static const Script take("return redis.call('set','lock','script','nx')");
  bool second = true;
  world.client(1, [](models::SmallWorld&, auto& self) { redis::server(self).eval(take, {}, {}); });
  world.client(2, [&](models::SmallWorld&, auto& self) {
    second = redis::server(self).set("lock", "plain", {.nx = true}).ok();
  });
  world.run();
  EXPECT_FALSE(second);
  EXPECT_THAT(world.effects(), ElementsAre("0.0005 entry created command by 1 of 0"));
}

std::uint64_t digest_of_scripts(models::SmallWorld& world, std::uint64_t seed) {
  world.reset({.seed = seed, .clients = 3});
  for (std::uint32_t i = 1; i <= 3; ++i) {
    world.client(i, [](models::SmallWorld&, auto& self) {
      static const Script draw(
          "redis.call('set','k',math.random(1000)) return {tostring({}),redis.call('get','k')}");
      for (int round = 0; round < 5; ++round) {
        redis::server(self).eval(draw, {}, {});
        redis::server(self).eval(compare_and_delete(), {"lock"}, {self.name()});
        self.sleep(self.random_between(0s, 10ms));
      }
    });
  }
  world.run();
  return world.digest();
}

TEST(ScriptPath, HasOneDigestInAFreshWorldAndInAUsedOne) {
  models::SmallWorld fresh;
  const std::uint64_t digest = digest_of_scripts(fresh, 7);
  models::SmallWorld used;
  EXPECT_NE(digest_of_scripts(used, 8), digest);
  EXPECT_EQ(digest_of_scripts(used, 7), digest);
  EXPECT_EQ(digest_of_scripts(used, 7), digest);
}

// Earlier scripts in the same interpreter change nothing, however they ended.
TEST(ScriptPath, ShowsNothingOfWhatItsInterpreterRanBefore) {
  const auto looks_around = [](models::SmallWorld& world) {
    world.reset({.seed = 7});
    std::string seen;
    world.client(1, [&](models::SmallWorld&, auto& self) {
      for (std::string_view script :
           {"local s='' for k in pairs(_G) do s=s..k..' ' end return s",
            "local s='' for k in pairs(redis) do s=s..k..' ' end return s",
            "KEYS.x=1 KEYS.y=2 ARGV.z=3 local s='' for k in pairs(KEYS) do s=s..k..' ' end return "
            "s",
            "local t={} for i=1,50 do t['k'..i%37]=i t[i*3]=i end local s='' "
            "for k in pairs(t) do s=s..k..' ' end return s",
            "return tostring({})..tostring(print == nil)..math.random(1000)",
            "return cjson.encode({a=1,b={1,2,3},c='x',d=1/3})", "return collectgarbage('count')",
            "error({err='E x'})", "return nil + 1"}) {
        seen += redis::server(self).eval(Script(script), {"lock"}, {"a"}).text + "\n";
      }
    });
    world.run();
    return std::pair(seen, world.digest());
  };
  models::SmallWorld fresh;
  const auto expected = looks_around(fresh);
  for (std::string_view before :
       {"error('failed')", "local function f() return 1+f() end return f()",
        "local s='x' while true do s=s..s end", "while true do end", "return return",
        "KEYS.x=1 KEYS.x=nil setmetatable(KEYS,{__index=error}) ARGV[9]=1 return tostring({})",
        "cjson.encode_number_precision(3) math.randomseed(5) return math.random()",
        "coroutine.wrap(function() redis.call('nope') end)()",
        "local t={} for i=1,5000 do t[i]='key'..i t[t[i]]={} end return #t"}) {
    models::SmallWorld used;
    for (int round = 0; round < 2; ++round) {
      used.reset({.seed = 8, .command_timeout = 1s});
      used.client(1, [&](models::SmallWorld&, auto& self) {
        redis::server(self).eval(Script(before), {"k"}, {});
      });
      used.run();
    }
    EXPECT_EQ(looks_around(used), expected) << before;
  }
}

// Everything that Lua's own limits let pass must fit on the 1 MiB that the server runs scripts on.
TEST(ScriptStack, HoldsTheDeepestThatLuaAllows) {
  const std::vector<std::string> scripts = {
      "return loadstring('return '..string.rep('(',5000)..'1'..string.rep(')',5000))",
      "return loadstring('return '..string.rep('{',5000)..string.rep('}',5000))",
      "return loadstring(string.rep('return function() ',5000))",
      "return " + std::string(5000, '('),
      "return " + std::string(190, '(') + "1" + std::string(190, ')'),
      "local function p(n) if n==0 then return 1 end local ok,v=pcall(p,n-1) return v end "
      "return p(190)",
      "local function p(n) if n==0 then return 1 end local ok,v=pcall(p,n-1) return v end "
      "return p(5000)",
      "local function g(n) if n==0 then return 'x' end return (('a'):gsub('a',function() return "
      "g(n-1) end)) end return g(50)",
      "local function g(n) return (('a'):gsub('a',function() return g(n-1) end)) end return g(0)",
      "local function c(n) return coroutine.wrap(c)(n-1) end return c(0)",
      "local function m(n) return setmetatable({},{__index=function(t,k) return m(n-1)[k] end}) "
      "end "
      "return m(0).x",
      // Raises again what it failed of: else each level would call the next one twice, and the real
      // server be busy for ever too.
      "local function l() local f,e = load(function() l() end) if not f then error(e,0) end end "
      "return l()",
      "local function s() table.sort({2,1},function(a,b) s() return a<b end) end s()",
      "local function f(n) return 1+f(n+1) end return f(1)",
      "return string.find(string.rep('a',5000), string.rep('a?',5000))",
      "return string.find(string.rep('a',900), string.rep('a?',499))",
      "local t={} for i=1,100000 do t={t} end return t",
  };
  std::vector<Reply::Kind> kinds;
  models::SmallWorld world;
  world.client(1, [&](models::SmallWorld&, auto& self) {
    for (const std::string& script : scripts)
      kinds.push_back(redis::server(self).eval(Script(script), {}, {}).kind);
    kinds.push_back(redis::server(self).eval(Script("return 1"), {}, {}).kind);
  });
  world.run();
  ASSERT_EQ(kinds.size(), scripts.size() + 1);
  EXPECT_THAT(kinds, testing::Not(testing::Contains(Reply::Kind::unknown)));
  EXPECT_EQ(kinds.back(), Reply::Kind::integer);
  EXPECT_EQ(kinds[5], Reply::Kind::integer);  // 190 nested calls of pcall are within the limits
}

TEST(Protocol, ThatCannotBeReadIsAnsweredByAnError) {
  models::SmallWorld world;
  Reply reply;
  world.client(1, [&](models::SmallWorld&, auto& self) {
    reply = redis::server(self).call(Role::none, {});
  });
  world.run();
  EXPECT_EQ(reply.text, "ERR Protocol error: the request is empty or not whole");
}

}  // namespace
}  // namespace picklock::redis::server_tests
