// Scripts that take time: the behavior of their server meanwhile, and every way in which they end.
#include <gmock/gmock.h>

#include "models/redis/lone_server.h"
#include "picklock/redis.h"
#include "testing/small_world.h"

namespace picklock::redis::script_time_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using World = models::SmallWorld::Setup;

Reply eval(Client& client, std::string_view script) { return client.eval(Script(script), {}, {}); }

// ---------------------------------------------------------------- how long

std::int64_t milliseconds_of(std::string_view script) {
  models::SmallWorld world{World{.command_timeout = 100s}};
  std::int64_t took = 0;
  world.client(1, [&](models::SmallWorld& all, auto& self) {
    eval(redis::server(self), script);
    took = all.milliseconds() - 1;  // the request and the answer take half of one each
  });
  world.run();
  return took;
}

TEST(ScriptTime, IsNoneForAScriptAsShortAsALocks) {
  EXPECT_EQ(milliseconds_of("for i=1,90 do redis.call('set','k',i) end return 1"), 0);
}

TEST(ScriptTime, PassesWithTheInstructions) {
  EXPECT_EQ(milliseconds_of("for i=1,1e6 do end"), 100);
  EXPECT_EQ(milliseconds_of("for i=1,1e6 do local x = i + 1 end"), 200);
}

TEST(ScriptTime, PassesInCoroutinesToo) {
  EXPECT_EQ(milliseconds_of("coroutine.wrap(function() for i=1,1e6 do end end)()"), 100);
}

TEST(ScriptTime, IsWaitedForByWhoComesMeanwhile) {
  models::SmallWorld world{World{.clients = 2}};
  std::int64_t answered = 0;
  world.client(
      1, [](models::SmallWorld&, auto& self) { eval(redis::server(self), "for i=1,1e7 do end"); });
  world.client(2, [&](models::SmallWorld& all, auto& self) {
    self.sleep(500ms);
    redis::server(self).get("k");
    answered = all.milliseconds();
  });
  world.run();
  EXPECT_EQ(answered, 1001);
}

// ---------------------------------------------------------------- which time it sees

// Some 80 ms.
constexpr std::string_view kSpin = "for i=1,8e5 do end ";

std::string after_spinning(std::string_view calls) {
  LoneServer redis;
  redis("SET", "lock", "v", "PX", "20");
  return redis("EVAL", std::string(kSpin) + std::string(calls), "0");
}

TEST(ThreeClocks, JudgeExpiryByTheScriptsBeginning) {  // R25
  EXPECT_EQ(after_spinning("return redis.call('exists','lock')"), ":1\r\n");
  EXPECT_EQ(after_spinning("return redis.call('set','lock','w','nx')"), "$-1\r\n");
  EXPECT_EQ(after_spinning("return redis.call('get','lock')"), "$1\r\nv\r\n");
}

TEST(ThreeClocks, CountWhatIsLeftByTheRunningClock) {  // R25
  EXPECT_EQ(after_spinning("return redis.call('pttl','lock')"), ":0\r\n");
  EXPECT_EQ(after_spinning("redis.call('pexpire','lock','10') return redis.call('pttl','lock')"),
            ":10\r\n");
}

TEST(ThreeClocks, ReviveAKeyByGivingItANewDeadline) {  // R25
  models::SmallWorld world;
  world.client(1, [](models::SmallWorld&, auto& self) {
    redis::server(self).set("lock", "v", {.px = 20ms});
    eval(redis::server(self), std::string(kSpin) + "redis.call('pexpire','lock','10')");
    self.sleep(1s);
  });
  world.run();
  EXPECT_THAT(world.effects(), ElementsAre("0.0005 entry created command by 1 of 0 until 0.021",
                                           "0.021 entry removed expiry by 0 of 1",
                                           "0.0815 entry created command by 1 of 1 until 0.092",
                                           "0.092 entry removed expiry by 0 of 1"));
}

// ---------------------------------------------------------------- how it ends

// Client 1 runs the script; after a second client 2 sends SCRIPT KILL.
Reply killed(std::string_view script) {
  models::SmallWorld world{World{.clients = 2}};
  Reply reply;
  world.client(1, [&](models::SmallWorld&, auto& self) {
    reply = eval(redis::server(self), script);
    EXPECT_TRUE(eval(redis::server(self), "return 5").is_integer(5));
  });
  world.client(2, [](models::SmallWorld& all, auto& self) {
    self.sleep(1s);
    EXPECT_TRUE(all.server().scripts().running());
    EXPECT_FALSE(all.server().scripts().wrote());
    all.server().scripts().kill();
  });
  world.run();
  return reply;
}

std::string killed_at(std::string_view script, int line) {
  return "ERR Script killed by user with SCRIPT KILL... script: " + sha1_hex(script) +
         ", on @user_script:" + std::to_string(line) + ".";
}

TEST(KilledScript, TellsItsCallerWhereItWas) {  // R84
  for (std::string_view script :
       {"while true do end", "while true do pcall(function() while true do end end) end",
        "coroutine.wrap(function() while true do end end)()",
        "while true do redis.call('get','n') end",
        "for i=1,10 do pcall(function() while true do end end) end return 7"}) {
    EXPECT_EQ(killed(script).text, killed_at(script, 1)) << script;
  }
  const std::string_view lines =
      "\n\nlocal function f()\nwhile true do\n local x = 1\nend end\nf()";
  EXPECT_EQ(killed(lines).text, killed_at(lines, 5));
}

// A kill acts at the next line, as on the real server; a script without a next line escapes it.
TEST(KilledScript, MayCatchTheErrorButNotGoOn) {  // R84
  constexpr std::string_view kCaught =
      "local ok,e = pcall(function() while true do end end) return {tostring(ok),e}";
  const Reply reply = killed(kCaught);
  ASSERT_EQ(reply.elements.size(), 2u);
  EXPECT_EQ(reply.elements[0].text, "false");
  EXPECT_EQ(reply.elements[1].text, "ERR Script killed by user with SCRIPT KILL...");
  constexpr std::string_view kNextLine =
      "local ok,e = pcall(function() while true do end end)\nreturn {tostring(ok),e}";
  EXPECT_EQ(killed(kNextLine).text, killed_at(kNextLine, 2));
  constexpr std::string_view kResumed =
      "local c = coroutine.create(function() while true do end end)\n"
      "coroutine.resume(c) while true do end";
  EXPECT_EQ(killed(kResumed).text, killed_at(kResumed, 2));
}

// Each script would run for ever and tries to catch the error that ends it.
const std::vector<std::string_view> kStubborn = {
    "while true do end",
    "while true do pcall(function() while true do end end) end",
    "while true do xpcall(function() while true do end end, function() while true do end end) end",
    "local c = coroutine.wrap(function() while true do end end) "
    "while true do xpcall(c, function() redis.call('set','late','1') end) end",
    "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
    "while true do load(function() while true do end end) end",
    "while true do local s = ('a'):gsub('a', function() while true do end end) end",
    "while true do table.sort({3,2,1}, function() while true do end end) end",
    "setmetatable({}, {__index = function() while true do end end}).x = 1 "
    "return setmetatable({}, {__index = function() while true do end end}).x",
    "while true do local ok = pcall(redis.call, 'get', 'k') "
    "if not ok then redis.call('set','late','1') end end",
    "while true do table.foreach({1}, function() while true do end end) end",
};

class StubbornScript : public testing::TestWithParam<std::string_view> {};

INSTANTIATE_TEST_SUITE_P(All, StubbornScript, testing::ValuesIn(kStubborn));

TEST_P(StubbornScript, EndsWithItsServer) {
  models::SmallWorld world{
      World{.clients = 2, .command_timeout = 2s, .configuration = {"appendonly", "yes"}}};
  Reply::Kind kind{};
  Reply after;
  world.client(1, [&](models::SmallWorld&, auto& self) {
    kind = eval(redis::server(self), GetParam()).kind;
    self.sleep(5s);
    after = eval(redis::server(self), "return redis.call('exists','late')");
  });
  sim::Fault crash = models::fault_at(1s, sim::Verb::crash, "redis-1", 1s);
  crash.keeps = sim::Keeps::all;
  world.run({crash});
  EXPECT_EQ(kind, Reply::Kind::unknown);
  EXPECT_TRUE(after.is_integer(0)) << after.text;
}

TEST_P(StubbornScript, EndsWithTheRun) {
  models::SmallWorld world;
  for (int run = 0; run < 2; ++run) {
    world.reset({.command_timeout = 1s});
    Reply::Kind kind{};
    world.client(1, [&](models::SmallWorld&, auto& self) {
      kind = eval(redis::server(self), GetParam()).kind;
    });
    world.run();
    EXPECT_EQ(kind, Reply::Kind::unknown);
  }
  world.reset({});
  Reply after;
  world.client(
      1, [&](models::SmallWorld&, auto& self) { after = eval(redis::server(self), "return 5"); });
  world.run();
  EXPECT_TRUE(after.is_integer(5));
}

TEST(CrashedScript, KeepsWhatItWroteAndWritesNoMore) {
  models::SmallWorld world{World{.command_timeout = 2s}};
  world.client(1, [](models::SmallWorld&, auto& self) {
    eval(redis::server(self),
         "for i=1,1e9 do if i%1e6 == 1 then redis.call('set','lock',i) end end");
  });
  sim::Fault crash = models::fault_at(450ms, sim::Verb::crash, "redis-1");
  world.run({crash});
  EXPECT_EQ(world.effects().size(), 3u) << "twice written, and lost with the server's memory";
}

TEST(PausedServer, StopsItsScriptToo) {
  models::SmallWorld world{World{.command_timeout = 10s}};
  std::int64_t answered = 0;
  world.client(1, [&](models::SmallWorld& all, auto& self) {
    eval(redis::server(self), "for i=1,1e7 do end");
    answered = all.milliseconds();
  });
  world.run({models::fault_at(500ms, sim::Verb::pause, "redis-1", 3s)});
  EXPECT_GE(answered, 3500);
}

}  // namespace
}  // namespace picklock::redis::script_time_tests
