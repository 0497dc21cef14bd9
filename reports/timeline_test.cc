#include "reports/timeline.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <utility>

#include "models/redis/spec.h"
#include "models/servers/verbs.h"
#include "reports/columns.h"
#include "scenarios/runner.h"
#include "scenarios/shipped.h"
#include "testing/golden.h"
#include "testing/sample_run.h"

namespace picklock::reports {
namespace {

using namespace std::chrono_literals;
using history::What;
using sim::Instant;
using sim::TraceKind;
using testing::at_ms;
using testing::at_us;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunBuilder;

const std::string kRepeat = "picklock run ttl-expiry-blind-delete --seed 1";

std::string told(scenarios::Run run, int width = 100) {
  TextOptions options;
  options.width = width;
  return timeline({.run = std::move(run), .twins = {}}, options);
}

int widest(const std::string& text) {
  std::istringstream lines(text);
  int width = 0;
  for (std::string line; std::getline(lines, line);) width = std::max(width, display_width(line));
  return width;
}

// client-1 acquires at 0 s on redis-1 (process 2); client-2 is process 1.
RunBuilder holder() {
  RunBuilder b({"client-1", "client-2", "redis-1"});
  b.client(at_ms(0), What::acquire_invoked, 0, 1);
  b.exchange(at_ms(0), 0, 2, Role::acquire, 1, "SET k a NX", "OK", [&](Instant then) {
    b.happens({.at = then, .what = What::entry_created, .process = 2, .tenure = 1});
  });
  b.client(at_ms(1), What::acquire_ok, 0, 1);
  return b;
}

sim::Fault plan(sim::Verb verb, const std::string& target, Role role, sim::Duration lasts) {
  sim::Fault fault;
  fault.verb = verb;
  fault.target = target;
  fault.trigger.role = role;
  fault.lasts = lasts;
  return fault;
}

TEST(Timeline, TellsTheEndOfAnotherKeyByItsName) {
  RunBuilder b = holder();
  b.run.keys = {"lock", "lock:fence"};
  b.happens({.at = at_ms(2),
             .what = What::entry_removed,
             .cause = history::Cause::eviction,
             .process = 2,
             .owner = 1,
             .key = 1});
  const std::string text = told(b.run);
  EXPECT_THAT(text, HasSubstr("lock:fence is evicted"));
  EXPECT_THAT(text, Not(HasSubstr("client-1's entry")));
}

TEST(Timeline, TellsTheStoryOfTheBlindDelete) {
  TextOptions options;
  options.repeat_command = kRepeat;
  testing::expect_golden("blind_delete.txt", timeline(testing::blind_delete_and_twin(), options));
}

TEST(Timeline, SaysNothingOfExpectationsWhereNothingWasExpected) {
  TextOptions options;
  options.repeat_command = kRepeat;
  const std::string held = timeline(testing::blind_delete_and_twin(), options);
  options.held_against_file = false;
  std::string without = held;
  const std::string line = "\n✓ as expected\n";
  without.replace(without.rfind(line), line.size(), "\n");
  EXPECT_EQ(timeline(testing::blind_delete_and_twin(), options), without);
}

TEST(Timeline, TellsItInAscii) {
  TextOptions options;
  options.unicode = false;
  options.repeat_command = kRepeat;
  scenarios::Outcome outcome = testing::blind_delete_and_twin();
  outcome.run.scenario.source = "分布式锁";
  const std::string text = timeline(outcome, options);
  EXPECT_TRUE(std::all_of(text.begin(), text.end(),
                          [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  testing::expect_golden("blind_delete_ascii.txt", text);
}

// As it happens in a run.
std::string told_of(const std::string& name, int width = 240) {
  const scenarios::Document document = scenarios::shipped::document(name);
  scenarios::Runner runner;
  const scenarios::Scenario scenario = document.scenario(scenarios::shipped_vocabulary());
  return told(runner.run(scenario, scenario.seed, true), width);
}

TEST(Timeline, KeepsToItsWidth) {
  for (const int width : {40, 60, 72, 80, 100, 132, 200}) {
    scenarios::Outcome outcome = testing::blind_delete_and_twin();
    outcome.run.scenario.title =
        "锁提前释放导致并行：线程 1 获取锁，因业务阻塞未及时释放，直接删除锁";
    outcome.twins.front().surprises = {"own-release was to be violated and holds, here too"};
    TextOptions options;
    options.width = width;
    EXPECT_LE(widest(timeline(outcome, options)), width);
  }
}

// The parent of the lock's nodes is created by a command of upkeep.
TEST(Timeline, TellsAMessageOfNoStepThatAFaultStruck) {
  scenarios::Document document = scenarios::shipped::document("plain/zk-sequential");
  const auto told_now = [&document] {
    const scenarios::Scenario scenario = document.scenario(scenarios::shipped_vocabulary());
    return told(scenarios::Runner().run(scenario, scenario.seed, true), 240);
  };
  EXPECT_THAT(told_now(), Not(HasSubstr("create /lock:order-42 leaves")));
  document.set({"fault", "[{delay = 'client-1', before = 'message.sent', nth = 2, for = '1s'}]"});
  EXPECT_THAT(told_now(), AllOf(HasSubstr("delay client-1's 2nd message of no step by 1s"),
                                HasSubstr("create /lock:order-42 leaves"),
                                HasSubstr("create /lock:order-42 arrives")));
}

// docs/facts/failures.md B-11
TEST(Timeline, TellsWhatACoordinatorDoesInNobodysName) {
  const std::string text = told_of("region-server-zombie-freed-first");
  EXPECT_THAT(text, AllOf(HasSubstr("client-1's entry is freed by the coordinator"),
                          HasSubstr("CLOSE "), HasSubstr("judged: 2 clients;")));
}

TEST(Timeline, KeepsAFaultsLineToItsWidth) {
  const std::string text = told_of("setnx-then-expire-crash-partition", 100);
  EXPECT_LE(widest(text.substr(text.find("\nFaults\n"))), 100);
}

TEST(Timeline, UsesColourOnlyWhenAsked) {
  TextOptions options;
  const std::string plain = timeline(testing::blind_delete_and_twin(), options);
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  options.color = true;
  std::string coloured = timeline(testing::blind_delete_and_twin(), options);
  EXPECT_THAT(coloured, HasSubstr("\x1b[1;31m"));
  for (std::size_t at = 0; (at = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, plain);
}

TEST(Timeline, DoesWithoutATrace) {
  scenarios::Run run = testing::blind_delete();
  run.trace = {};
  const std::string text = told(run);
  EXPECT_THAT(text, Not(HasSubstr("SET")));
  EXPECT_THAT(text, HasSubstr("client-1 removed client-2's entry of lock:order-42 on redis-1"));
  EXPECT_THAT(told(scenarios::Run{}), HasSubstr("as expected"));
}

TEST(Timeline, LetsNoTextMoveTheCursor) {
  scenarios::Run run = testing::blind_delete();
  run.scenario.title = "\x1b[2J";
  run.processes[0] = "client-1\x1b[2J";
  run.trace.bytes[0] = '\x1b';
  run.surprises = {"\x1b[2J"};
  EXPECT_THAT(told(run), Not(HasSubstr("\x1b")));
}

TEST(Timeline, ShowsAnAnswerThatIsLostAndCommandsNeverAnswered) {
  RunBuilder b = holder();
  b.client(at_ms(5000), What::acquire_invoked, 1, 2);
  const auto lost = b.send(at_ms(5000), 1, 2, Role::acquire, 2, "SET k b NX");
  b.message(at_us(5000500), TraceKind::delivered, lost, 1, 2);
  const auto answer = b.answer(at_us(5000500), lost, 2, 1, Role::acquire, 2, "nil");
  b.message(at_us(5000500), TraceKind::lost, answer, 2, 1);
  b.record({.at = at_us(5000500), .kind = TraceKind::reset, .process = 1, .peer = 2});
  b.record({.at = at_us(5000500), .kind = TraceKind::reset, .process = 2, .peer = 1});
  for (int i = 0; i < 5; ++i) {
    const auto sent = b.send(at_ms(6000 + 3000 * i), 1, 2, Role::acquire, 2, "SET k b NX");
    b.record({.at = at_ms(8000 + 3000 * i),
              .kind = TraceKind::timed_out,
              .process = 1,
              .peer = 2,
              .message = sent});
  }
  const std::string text = told(b.run);
  EXPECT_THAT(text, HasSubstr("╳────┫1  nil (answer to SET), lost in transit"));
  EXPECT_THAT(text, HasSubstr("… client-2 retried 5 times, without an answer (until 18.000s)"));
  EXPECT_THAT(text, Not(HasSubstr("waits no longer")));
  const std::size_t breaks = text.find("the connection of client-2 with redis-1 breaks");
  EXPECT_NE(breaks, std::string::npos);
  EXPECT_EQ(text.find("breaks", breaks + 50), std::string::npos);
}

TEST(Timeline, ShowsALateCommandWhereItArrives) {
  RunBuilder b = holder();
  b.run.scenario.faults = {plan(sim::Verb::delay, "client-1", Role::release, 8s)};
  b.client(at_ms(4000), What::release_invoked, 0, 1);
  const auto late = b.send(at_ms(4000), 0, 2, Role::release, 1, "DEL k");
  b.happens({.at = at_ms(10000),
             .what = What::entry_removed,
             .cause = history::Cause::expiry,
             .process = 2,
             .owner = 1});
  b.message(at_ms(12000), TraceKind::delivered, late, 0, 2);
  const std::string text = told(b.run);
  EXPECT_THAT(text, HasSubstr("DEL k leaves"));
  EXPECT_THAT(text, HasSubstr("client-1's entry expires"));
  EXPECT_LT(text.find("client-1's entry expires"), text.find("DEL k arrives"));
}

TEST(Timeline, ShowsCrashAndRestart) {
  RunBuilder b = holder();
  b.process(at_ms(2000), TraceKind::crashed, 2);
  b.happens({.at = at_ms(2000), .what = What::process_crashed, .process = 2});
  b.process(at_ms(3000), TraceKind::started, 2);
  b.happens({.at = at_ms(3000), .what = What::process_started, .process = 2});
  const std::string text = told(b.run);
  EXPECT_THAT(text, HasSubstr("╳   redis-1 crashes"));
  EXPECT_THAT(text, HasSubstr("○1  redis-1 restarts"));
}

TEST(Timeline, SaysAtTheStartOfAServerWhatItStartsWithout) {
  RunBuilder b = holder();
  b.happens({.at = at_ms(2000), .what = What::process_crashed, .process = 2});
  b.happens({.at = at_ms(2000), .what = What::process_started, .process = 2});
  b.happens({.at = at_ms(2000),
             .what = What::entry_removed,
             .cause = history::Cause::restart,
             .process = 2,
             .owner = 1});
  const std::string text = told(b.run);
  EXPECT_THAT(text, HasSubstr("○   redis-1 restarts, without client-1's entry"));
  EXPECT_THAT(text, Not(HasSubstr("is lost in the restart")));
}

TEST(Timeline, SaysWhichMessageGoesOnWhenItsDelayIsOver) {
  RunBuilder b = holder();
  b.run.scenario.faults = {plan(sim::Verb::delay, "client-1", Role::release, 2s)};
  b.run.fired = {{.fault = 0, .at = at_ms(1000)}};
  b.happens({.at = at_ms(1000), .what = What::fault_fired, .process = 0});
  b.happens({.at = at_ms(3000), .what = What::fault_ended, .process = 0});
  EXPECT_THAT(told(b.run), HasSubstr("fault 1 is over: client-1's release continues"));
}

TEST(Timeline, TellsWhatARefusedAcquireWasAnswered) {
  RunBuilder b = holder();
  b.client(at_ms(500), What::acquire_invoked, 1, 2);
  b.exchange(at_ms(500), 1, 2, Role::acquire, 2, "SET k b NX", "nil", [](Instant) {});
  EXPECT_THAT(told(b.run), HasSubstr("SET k b NX → nil, refused"));
}

TEST(Timeline, ShowsWhatAClientBelievesRatherThanItsMutex) {
  RunBuilder b = holder();
  const std::string without = told(b.run);
  b.happens({.at = at_ms(1), .what = What::entry_created, .process = 0, .tenure = 1});
  EXPECT_EQ(told(b.run), without);
}

TEST(Timeline, FoldsRenewalsButNotTheOneThatFails) {
  RunBuilder b = holder();
  for (int i = 1; i <= 6; ++i) {
    b.exchange(at_ms(3000 * i), 0, 2, Role::renew, 1, "PEXPIRE k 10000", i < 6 ? "1" : "0",
               [&](Instant then) {
                 if (i == 6) return;
                 b.happens({.at = then,
                            .what = What::entry_altered,
                            .role = Role::renew,
                            .process = 2,
                            .tenure = 1,
                            .owner = 1});
               });
  }
  const std::string text = told(b.run);
  EXPECT_THAT(text, HasSubstr("PEXPIRE k 10000 → 1\n"));
  EXPECT_THAT(text, HasSubstr("… client-1 renewed its lease 4 times more (until 15.000s)"));
  EXPECT_THAT(text, HasSubstr("PEXPIRE k 10000 → 0\n"));
}

TEST(Timeline, ShowsTheRetryAFaultIsAnchoredTo) {
  RunBuilder b = holder();
  b.run.scenario.faults = {plan(sim::Verb::delay, "client-2", Role::acquire, 1s)};
  b.run.fired = {{.fault = 0, .at = at_ms(6000)}};
  b.client(at_ms(1000), What::acquire_invoked, 1, 2);
  for (int i = 1; i <= 9; ++i) {
    if (i == 6) b.happens({.at = at_ms(6000), .what = What::fault_fired, .process = 1});
    b.exchange(at_ms(1000 * i), 1, 2, Role::acquire, 2, fmt::format("SET k b NX {}", i), "nil",
               [](Instant) {});
  }
  const std::string text = told(b.run);
  EXPECT_THAT(text, HasSubstr("retried 4 times, refused each time (until 5.000s)"));
  EXPECT_THAT(text, HasSubstr("SET k b NX 6 → nil"));
  EXPECT_THAT(text, HasSubstr("retried 3 times, refused each time (until 9.000s)"));
}

TEST(Timeline, HidesConnectionUpkeepAndSaysSo) {
  RunBuilder b = holder();
  b.exchange(at_ms(2000), 0, 2, Role::none, 0, "PING", "PONG", [](Instant) {});
  b.exchange(at_ms(3000), 0, 2, Role::check, 1, "GET k", "a", [](Instant) {});
  const std::string text = told(b.run);
  EXPECT_THAT(text, Not(HasSubstr("PING →")));
  EXPECT_THAT(text, HasSubstr("left out, commands of upkeep: PING\n"));
  EXPECT_THAT(text, HasSubstr("GET k → a"));
  EXPECT_THAT(told_of("nested-calls-reset-lease"),
              HasSubstr("left out, commands of upkeep: DEL, SCRIPT LOAD and UNSUBSCRIBE\n"));
}

TEST(Timeline, LeavesOutClientsThatNothingNamesWhereThereIsNoRoom) {
  std::vector<std::string> processes;
  for (int i = 1; i <= 12; ++i) processes.push_back(fmt::format("client-{}", i));
  processes.emplace_back("redis-1");
  RunBuilder b(processes);
  b.run.scenario.faults = {plan(sim::Verb::pause, "client-3", Role::acquire, 1s)};
  b.run.fired = {{.fault = 0, .at = at_ms(3)}};
  for (std::uint32_t i = 0; i < 12; ++i) {
    b.exchange(at_ms(10 * i), i, 12, Role::acquire, i + 1, fmt::format("SET k t{} NX", i + 1),
               "nil", [](Instant) {});
  }
  const std::string text = told(b.run);
  EXPECT_THAT(text,
              HasSubstr("left out, because no fault or witness names them: client-1, client-2"));
  EXPECT_THAT(text, HasSubstr("SET k t3 NX"));
  EXPECT_THAT(text, Not(HasSubstr("SET k t4 NX")));
  EXPECT_LE(widest(text), 100);
}

TEST(Timeline, TellsALongRunAroundWhatMatters) {
  RunBuilder b({"client-1", "redis-1"});
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    b.exchange(at_ms(1000 * i), 0, 1, Role::acquire, i, fmt::format("SET k t{} NX", i), "OK",
               [](Instant) {});
    b.client(at_ms(1000 * i + 1), What::acquire_ok, 0, i);
    b.client(at_ms(1000 * i + 500), What::release_invoked, 0, i);
    if (i == 500) b.happens({.at = at_ms(1000 * i + 600), .what = What::fault_fired, .process = 0});
  }
  const std::string text = told(b.run);
  EXPECT_THAT(text, HasSubstr("SET k t500 NX"));
  EXPECT_THAT(text, HasSubstr("rows left out"));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 200);
}

TEST(Timeline, SaysOfEachVerdictWhatTheLockPromised) {
  scenarios::Run run = testing::blind_delete();
  std::string text = told(run);
  EXPECT_THAT(text, HasSubstr("own-release         violated twice, not promised under pause\n"));
  EXPECT_THAT(text, HasSubstr("loss-noticed        violated 3 times, never promised\n"));
  EXPECT_THAT(text, HasSubstr("not-stuck           holds\n"));
  EXPECT_THAT(
      text,
      HasSubstr("holds\n      promised on condition: the server is up and the key is free\n"));

  run.promised[static_cast<std::size_t>(Property::own_release)] = {
      .promised = true, .beyond = {}, .premise = "nobody sleeps"};
  text = told(run);
  EXPECT_THAT(
      text,
      HasSubstr("violated twice, although promised\n      promised on condition: nobody sleeps\n"));
}

TEST(Timeline, NamesPropertiesThatHoldUnpromisedInOneLineAtTheEnd) {
  scenarios::Run run = testing::blind_delete();
  const auto at = [&](Property property) -> scenarios::Promised& {
    return run.promised[static_cast<std::size_t>(property)];
  };
  EXPECT_THAT(told(run, 140),
              HasSubstr("  ✓ 3 further properties hold, which this lock does not promise here: "
                        "no-lost-update, no-holder-refused and balanced-holds\n  judged: "));
  at(Property::fair_order).promised = false;
  at(Property::available).premise_kept = false;
  EXPECT_THAT(told(run, 160),
              HasSubstr("  ✓ 5 further properties hold, which this lock does not "
                        "promise here: no-lost-update, no-holder-refused, balanced-holds, "
                        "fair-order and available\n"));
  const std::string text = told(run);
  EXPECT_THAT(text, HasSubstr("  ✓ 5 further properties hold, which this lock does not promise "
                              "here\n  judged: "))
      << "their names only where there is room";
  EXPECT_THAT(text, Not(HasSubstr("fair-order          holds")));
  EXPECT_LT(text.find("loss-noticed        violated"), text.find("not-stuck           holds"));
}

TEST(Timeline, ListsFaultsThatDidNotFireWithTheStepsReached) {
  scenarios::Run run = testing::blind_delete();
  run.fired.clear();
  run.steps_reached = {"client-1 acquire.sent x1", "client-1 write.sent x1"};
  run.surprises = {"fault 1 did not fire"};
  const std::string text = told(run);
  EXPECT_THAT(text,
              HasSubstr("✗ 1  pause client-1 for 9s, before its 2nd write is sent; did not fire"));
  EXPECT_THAT(text,
              HasSubstr("did not fire\n       its step was reached: client-1 write.sent x1\n"));
  EXPECT_THAT(text,
              HasSubstr("all steps reached: client-1 acquire.sent x1 and client-1 write.sent x1"));
  EXPECT_THAT(text, HasSubstr("✗ not as expected\n  fault 1 did not fire\n"));
}

// ---------------------------------------------------------------- servers among themselves

// client-1, client-2, redis-1 and its replica, whose numbers they are.
RunBuilder with_replica() {
  return RunBuilder({"client-1", "client-2", "redis-1", "redis-1-replica-1"});
}

TEST(Timeline, TellsWhatAServerTellsOfItself) {
  RunBuilder b = with_replica();
  b.tell(at_ms(2000), 3, "becomes the primary");
  EXPECT_THAT(told(b.run), HasSubstr("2.000s"));
  EXPECT_THAT(told(b.run), HasSubstr("redis-1-replica-1 becomes the primary\n"));
}

TEST(Timeline, TellsNothingOfConnectionsBetweenServersThatBreak) {
  RunBuilder b = with_replica();
  b.record({.at = at_ms(1000), .kind = TraceKind::reset, .process = 3, .peer = 2});
  b.record({.at = at_ms(1000), .kind = TraceKind::reset, .process = 2, .peer = 3});
  EXPECT_THAT(told(b.run), Not(HasSubstr("breaks")));
  b.record({.at = at_ms(2000), .kind = TraceKind::reset, .process = 0, .peer = 3});
  EXPECT_THAT(told(b.run), HasSubstr("the connection of client-1 with redis-1-replica-1 breaks"));
}

// Five groups of a primary and a replica have no room for all.
TEST(Timeline, ShowsTheLaneOfAServerThatTookAnothersPlace) {
  std::vector<std::string> processes = {"client-1", "client-2"};
  for (int i = 1; i <= 6; ++i) processes.push_back(fmt::format("redis-{}", i));
  for (int i = 1; i <= 6; ++i) processes.push_back(fmt::format("redis-{}-replica-1", i));
  RunBuilder b(processes);
  sim::Fault over = plan(models::kFailOver, "redis-1", Role::release, 0s);
  over.trigger.by = "client-1";
  b.run.scenario.faults = {over};
  b.run.fired = {{.fault = 0, .at = at_ms(2000)}};
  const auto sets = [&b](Instant when, sim::ProcessId client, sim::ProcessId server) {
    b.exchange(when, client, server, Role::acquire, client + 1, "SET k a NX", "OK", [](Instant) {});
  };
  for (sim::ProcessId i = 2; i < 14; ++i) {
    if (i != 8) sets(at_ms(10 * i), 1, i);
  }
  sets(at_ms(1000), 0, 2);
  b.happens({.at = at_ms(2000), .what = What::fault_fired, .process = 2});
  b.tell(at_ms(2001), 8, "becomes the primary");
  sets(at_ms(3000), 0, 8);
  const std::string text = told(b.run);
  const std::string heads = text.substr(0, text.find("SET"));
  EXPECT_THAT(heads, HasSubstr("redis-1-replica"));
  EXPECT_THAT(heads, Not(HasSubstr("redis-2-replica")));
  EXPECT_THAT(text, HasSubstr("redis-1-replica-1 becomes the primary"));
}

TEST(Timeline, LaysWhatAnOperatorDoesAtHisOwnDoor) {
  const std::string text = told_of("late-kill-hits-both");
  EXPECT_THAT(text,
              HasSubstr("operator   client-3, to force open a lock that another client holds\n"));
  EXPECT_THAT(text, HasSubstr("✗ own-release: client-3's forced unlock, meant for client-1, "
                              "removed client-2's entry\n"));
  EXPECT_THAT(text, HasSubstr("client-2's entry was removed by client-3's forced unlock"));
  EXPECT_THAT(text, Not(HasSubstr("client-1 removed")));
}

TEST(Timeline, PointsAtASleeperWhenTheLockIsFree) {
  const std::string text = told_of("pubsub-message-lost");
  const std::size_t released = text.find("1, released\n");
  const std::size_t broken =
      text.find("✗ no-lost-wakeup: client-2 keeps sleeping while the lock is free");
  ASSERT_NE(broken, std::string::npos);
  EXPECT_LT(released, broken);
  EXPECT_EQ(text.find('\n', released), text.rfind('\n', broken));
}

TEST(Timeline, FoldsNoGrantIntoRefusals) {
  const std::string text = told_of("multilock-opposite-order");
  EXPECT_THAT(text, HasSubstr("client-1 retried 55 times, each time granted by redis-1 alone"));
  EXPECT_THAT(text, HasSubstr("client-2 retried 55 times, each time granted by redis-2 alone"));
  EXPECT_THAT(text, Not(HasSubstr("refused each")));
}

TEST(Timeline, CountsNoFirstTryAsARetry) {
  const std::string text = told_of("raft-backed-lock-still-overlaps");
  const std::size_t asked = text.find("ACQUIRE lock:order-42 SESSION s2");
  EXPECT_LT(text.find("1.001s"), asked);
  EXPECT_LT(asked, text.find("6.003s"));
}

TEST(Timeline, ShowsWhoIsWokenAndDoesNotFoldWhatItThenTries) {
  const std::string text = told_of("pubsub-wakes-everyone");
  for (const char* client : {"client-2", "client-3", "client-4", "client-5"})
    EXPECT_THAT(text, HasSubstr(fmt::format("\"0\"], {} wakes\n", client)));
  EXPECT_THAT(text, Not(HasSubstr("retried")));
}

TEST(Timeline, SaysOfRenewalsThatWereHeldUpWhenTheyArrived) {
  const std::string text = told_of("watchdog-pass-outlasts-lease");
  const std::size_t at = text.find(
      "client-1 sent its renewal 4 times more, without an answer (until "
      "37.483s); arrives at 41.007s\n");
  ASSERT_NE(at, std::string::npos);
  const std::string row = text.substr(text.rfind('\n', at) + 1, at - text.rfind('\n', at));
  EXPECT_THAT(row, Not(HasSubstr("►")));
}

TEST(Timeline, TellsTheFirstRenewalBeforeThoseThatAreMore) {
  const std::string text = told_of("watchdog-renewal-spacing");
  EXPECT_LT(text.find("→ [1]"), text.find("renewed its lease"));
}

TEST(Timeline, SaysOfAReleaseThatEndsInAnErrorThatItFails) {
  const std::string text = told_of("wrongtype-release");
  EXPECT_THAT(text, HasSubstr("error: WRONGTYPE"));
  EXPECT_THAT(text, HasSubstr(", the release fails\n"));
  EXPECT_THAT(text, Not(HasSubstr("nothing of its own")));
}

TEST(Timeline, CountsNestedHolds) {
  const std::string text = told_of("nested-calls-reset-lease");
  EXPECT_THAT(text, HasSubstr("again, 2 holds by its count\n"));
  EXPECT_THAT(text, HasSubstr("→ 0, one hold released, 1 left by its count\n"));
  EXPECT_THAT(text, HasSubstr("→ 1, released\n"));
}

TEST(Timeline, SaysWhatTheAnswersOfRedissonsScriptsMean) {
  const std::string text = told_of("nested-calls-reset-lease");
  EXPECT_THAT(text, HasSubstr("→ 9002, refused, 9.002s left\n"));
  EXPECT_THAT(told_of("failover-with-watchdog"),
              HasSubstr("→ [0], the entry is gone: nothing renewed\n"));
  EXPECT_THAT(told_of("fair-lock-dead-waiters", 100),
              HasSubstr("→ 16802, refused, 16.802s to wait\n"));
  const std::string many = told_of("multilock-opposite-order");
  EXPECT_THAT(many, HasSubstr("→ nil, granted\n"));
  EXPECT_THAT(many, Not(HasSubstr("→ 1, ")));  // the answer to what undoes it
}

TEST(Timeline, LosesAnEntryOnce) {
  const std::string text = told_of("failover-with-watchdog");
  EXPECT_THAT(text, HasSubstr("client-1's entry is lost in the failover\n"));
  EXPECT_THAT(text,
              HasSubstr("client-1's entry was lost in the failover at 0.003s; its owner believed"));
  EXPECT_THAT(text, Not(HasSubstr("expire")));
}

TEST(Timeline, PassesAMarkAfterThePauseBeforeIt) {
  const std::string text = told_of("redlock-pause-after-elapsed-check");
  const std::size_t again = text.find("client-1 runs again");
  ASSERT_NE(again, std::string::npos);
  EXPECT_LT(again, text.find("client-1 passes its mark \"elapsed-checked\""));
}

TEST(Timeline, NamesTheBoundOfNotStuckAsABound) {
  EXPECT_THAT(told_of("nested-calls-reset-lease"), HasSubstr("with no live holder\n"));
  EXPECT_THAT(told_of("pubsub-wakes-everyone"), HasSubstr("after the last client has arrived"));
}

TEST(Timeline, LaysAClassAtTheDoorOfAFaultOrOfTheSettings) {
  scenarios::Run run = testing::blind_delete();
  run.scenario.servers.of<redis::Spec>().nodes.push_back({});
  run.scenario.servers.of<redis::Spec>().nodes.back().clock_offset = -200ms;
  run.met.add(FaultClass::server_clock);
  EXPECT_THAT(told(run, 140),
              HasSubstr("; 1 fault (pause); server-clock by the scenario's settings; "));
  run.grants = 0;
  EXPECT_THAT(told(run), HasSubstr("; no client learned that it had the lock; "));
}

TEST(Timeline, HasOneNameForTheLock) {
  const std::string text = told_of("late-kill-hits-both");
  EXPECT_THAT(text, HasSubstr("client-1 holds the lock\n"));
  EXPECT_THAT(text, Not(HasSubstr("holds lock:")));
}

TEST(Timeline, GivesWhatBreaksTheTimeThatItsWitnessGives) {
  const std::string text = told_of("ttl-expiry-blind-delete");
  EXPECT_THAT(text, ::testing::ContainsRegex("\n  12\\.004s  [^\n]*own-release: client-1 removed"));
  EXPECT_THAT(text, HasSubstr("entry of lock:order-42 on redis-1 at 12.004s"));
}

TEST(Timeline, NamesTheCommandThatAFaultHitsWhereItIsNotTheUsualOne) {
  const std::string text = told_of("multilock-rollback-lost");
  EXPECT_THAT(text, HasSubstr("drop client-1's 4th acquire at redis-2 (here a different command: "
                              "EVALSHA 1121..) "));
  EXPECT_THAT(told_of("ttl-expiry-blind-delete"), Not(HasSubstr("another command")));
}

// A command that a server forwards to one without a lane is an event at a server, not at a client.
TEST(Timeline, MarksAServersLaneWhereTheOtherEndHasNone) {
  const std::string text = told_of("sentinel-split-brain-double-grant", 100);
  const std::size_t at = text.find("to redis-1-replica-2: SET");
  ASSERT_NE(at, std::string::npos);
  const std::string row = text.substr(text.rfind('\n', at) + 1, at - text.rfind('\n', at));
  EXPECT_THAT(row, HasSubstr("○"));
  EXPECT_THAT(row, Not(HasSubstr("●")));
}

TEST(Timeline, TellsOfAFailoverByAnOperator) {
  const std::string text = told_of("released-lock-reappears");
  EXPECT_THAT(text, HasSubstr("redis-1-replica-1 becomes the primary"));
  EXPECT_THAT(text, Not(HasSubstr("elected")));
  EXPECT_THAT(text, Not(HasSubstr("the connection of redis")));
}

TEST(Timeline, TellsOfAFailoverBySentinels) {
  const std::string text = told_of("sentinel-split-brain-double-grant");
  EXPECT_THAT(text, HasSubstr("is elected to replace redis-1\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("redis-1-replica-[0-9] becomes the primary"));
  EXPECT_THAT(text, ::testing::ContainsRegex("redis-1 becomes a replica of redis-1-replica-[0-9]"));
  EXPECT_THAT(text, Not(HasSubstr("the connection of redis")));
}

}  // namespace
}  // namespace picklock::reports
