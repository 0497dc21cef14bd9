#include "reports/wording.h"
#include "models/servers/verbs.h"
#include "reports/narrator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "scenarios/verbs/kind.h"
#include "testing/sample_run.h"

namespace picklock::reports {
namespace {

using namespace std::chrono_literals;
using sim::Verb;
using testing::at_ms;
using testing::at_us;

sim::Fault plan(Verb verb, const std::string& target, Role role) {
  sim::Fault fault;
  fault.verb = verb;
  fault.target = target;
  fault.trigger.role = role;
  return fault;
}

TEST(Wording, RoundsInstantsToTheMillisecond) {
  EXPECT_EQ(instant(at_us(4003700)), "4.004s");
  EXPECT_EQ(instant(at_us(500)), "0.001s");
  EXPECT_EQ(instant(at_us(12021499)), "12.021s");
  EXPECT_EQ(instant(at_us(999999)), "1.000s");
  EXPECT_EQ(instant(sim::kStart), "0.000s");
  EXPECT_EQ(instant(sim::kNever), "never");
}

TEST(Wording, WritesDurationsAsAScenarioDoes) {
  EXPECT_EQ(duration(8s), "8s");
  EXPECT_EQ(duration(1500ms), "1.5s");
  EXPECT_EQ(duration(100ms), "100ms");
  EXPECT_EQ(duration(500us), "500us");
  EXPECT_EQ(duration(sim::Duration(0)), "0s");
  EXPECT_EQ(duration(-30s), "-30s");
  EXPECT_EQ(duration(-100ms), "-100ms");
  EXPECT_EQ(duration(sim::Duration::min()), "-9223372036.854775808s");
}

TEST(Wording, RoundsWhatWasMeasured) {
  EXPECT_EQ(measured(18'016'500'001ns), "18.0s");
  EXPECT_EQ(measured(1'049'999'999ns), "1.05s");
  EXPECT_EQ(measured(2'345'678ns), "2.35ms");
  EXPECT_EQ(measured(999'600us), "1.00s") << "rounding up may change the unit";
  EXPECT_EQ(measured(9'996ms), "10.0s");
  EXPECT_EQ(measured(99'960ms), "100s");
  EXPECT_EQ(measured(3'600'499ms), "3600s");
  EXPECT_EQ(measured(1ns), "1ns");
  EXPECT_EQ(measured(0ns), "0s");
  EXPECT_EQ(rounded(9'000'000'001ns), "9s");
  EXPECT_EQ(rounded(10'001'499'999ns), "10.001s");
  EXPECT_EQ(rounded(1'500us), "1.5ms");
}

TEST(Wording, WritesSecondsExactly) {
  EXPECT_EQ(seconds(12021500000), "12.0215");
  EXPECT_EQ(seconds(1), "0.000000001");
  EXPECT_EQ(seconds(40'000'000'000), "40");
}

TEST(Wording, SaysAFaultInOnePhrase) {
  sim::Fault pause = plan(Verb::pause, "client-1", Role::release);
  pause.lasts = 8s;
  EXPECT_EQ(fault(pause), "pause client-1 for 8s, before its release is sent");
  pause.trigger.nth = 22;
  pause.trigger.by = "client-2";
  pause.trigger.on = "redis-2";
  pause.trigger.command = "DEL";
  pause.trigger.side = sim::Side::after;
  EXPECT_EQ(fault(pause),
            "pause client-1 for 8s, after client-2's 22nd release (DEL) is sent to redis-2");
  pause.trigger = {};
  pause.trigger.mark = "elapsed-checked";
  EXPECT_EQ(fault(pause), "pause client-1 for 8s, before it passes its mark \"elapsed-checked\"");

  sim::Fault step = plan(Verb::step_clock, "redis-1", Role::none);
  step.trigger.at = at_ms(3200);
  step.step = 30s;
  EXPECT_EQ(fault(step), "step the clock of redis-1 by +30s at 3.2s");
  sim::Fault rate = plan(Verb::set_clock_rate, "redis-1", Role::acquire);
  rate.rate_ppb = -100'000'000;
  EXPECT_EQ(fault(rate), "set the clock rate of redis-1 by -10%, before an acquire is sent");
  sim::Fault partition = plan(Verb::partition, "redis-1", Role::acquire);
  partition.from = {"client-1", "client-2"};
  partition.inbound = false;
  partition.lasts = 4s;
  EXPECT_EQ(fault(partition),
            "partition redis-1 from client-1 and client-2, only what it sends, for 4s, before an "
            "acquire is sent");
  partition.lasts.reset();
  EXPECT_EQ(
      fault(partition),
      "partition redis-1 from client-1 and client-2, only what it sends, before an acquire is "
      "sent");
  sim::Fault crash = plan(Verb::crash, "redis-1", Role::acquire);
  crash.lasts = 5s;
  crash.keeps = sim::Keeps::fsynced;
  EXPECT_EQ(
      fault(crash),
      "crash redis-1 before an acquire is sent, restarted after 5s, keeping what was fsynced");
  sim::Fault delay = plan(Verb::delay, "client-1", Role::write);
  delay.trigger.nth = 2;
  delay.lasts = 12s;
  EXPECT_EQ(fault(delay), "delay client-1's 2nd write by 12s");
  sim::Fault hold = plan(Verb::hold, "client-1", Role::release);
  hold.lasts = 2s;
  EXPECT_EQ(fault(hold), "hold messages from client-1's release on, for 2s");
  sim::Fault drop = plan(Verb::drop, "redis-1", Role::acquire);
  drop.trigger.phase = sim::Phase::applied;
  EXPECT_EQ(fault(drop), "drop the answer to an acquire at redis-1");
}

TEST(Wording, SaysWhoIsToTakeOverAndWhen) {
  sim::Fault over = plan(models::kFailOver, "redis-1", Role::write);
  EXPECT_EQ(fault(over), "fail over redis-1 before a write is sent");
  over.to = "redis-1-replica-2";
  EXPECT_EQ(fault(over), "fail over redis-1 to redis-1-replica-2 before a write is sent");
  over.lasts = 5s;
  over.trigger.at = at_ms(4000);
  EXPECT_EQ(fault(over), "fail over redis-1 to redis-1-replica-2 at 4s, replaced after 5s");
  over.to.clear();
  EXPECT_EQ(fault(over), "fail over redis-1 at 4s, replaced after 5s");
}

TEST(Wording, NamesTargetAndVerbOfEveryFault) {
  for (const verbs::Kind& kind : verbs::kinds()) {
    const std::string words = fault(plan(kind.verb, "redis-1", Role::acquire));
    EXPECT_NE(words.find("redis-1"), std::string::npos) << words;
    EXPECT_EQ(words.find("  "), std::string::npos) << words;
    EXPECT_EQ(words.find(",,"), std::string::npos) << words;
    const std::string verb(kind.name);
    EXPECT_TRUE(words.starts_with(verb.substr(0, verb.find('-')))) << words;
  }
}

TEST(Wording, ListsAsASentenceDoes) {
  EXPECT_EQ(list({}), "");
  EXPECT_EQ(list({"a"}), "a");
  EXPECT_EQ(list({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(times(1), "once");
  EXPECT_EQ(times(57), "57 times");
}

TEST(Narrator, TellsWhoWhenAndAtWhichStep) {
  const scenarios::Run run = testing::blind_delete();
  const Narrator narrator(run);
  const auto first = [&](Property property) {
    return narrator.sentence(property,
                             run.verdicts[static_cast<std::size_t>(property)].witnesses.front());
  };
  EXPECT_EQ(first(Property::mutual_exclusion),
            "client-2 was told at 10.051s that it holds the lock, but client-1 had believed the "
            "same since 0.001s");
  EXPECT_EQ(
      first(Property::own_release),
      "client-1 removed client-2's entry of lock:order-42 on redis-1 at 12.003s, with its release");
  EXPECT_EQ(
      first(Property::loss_noticed),
      "client-1's entry expired at 10.002s; its owner believed that it held the lock until it "
      "began to release at 12.003s and never learned of the loss");
}

TEST(Narrator, TellsTenuresOfOneClientApart) {
  testing::RunBuilder b({"client-1", "redis-1"});
  const auto first = b.client(at_ms(1), history::What::acquire_ok, 0, 1);
  const auto second = b.client(at_ms(2), history::What::acquire_ok, 0, 2);
  const Narrator narrator(b.run);
  EXPECT_EQ(narrator.headline(Property::mutual_exclusion, {second, first}),
            "client-1 (tenure 1) and client-1 (tenure 2) both believe they hold the lock");
}

TEST(Narrator, TellsWhoWasTheVictimOfADeadlockAndWhoWaitedInVain) {
  testing::RunBuilder b({"client-1", "client-2", "mysql-1"});
  b.client(at_ms(0), history::What::acquire_invoked, 1, 2);
  const auto broken = b.happens(
      {.at = at_ms(1), .what = history::What::deadlock_broken, .process = 2, .tenure = 2});
  const auto refused = b.happens(
      {.at = at_ms(2000), .what = history::What::refused_free, .process = 2, .tenure = 2});
  const Narrator narrator(b.run);
  EXPECT_EQ(narrator.headline(Property::no_deadlock, {broken, broken}),
            "client-2 (tenure 2) is the victim of a deadlock");
  EXPECT_EQ(narrator.sentence(Property::no_deadlock, {broken, broken}),
            "mysql-1 found a deadlock at 0.001s, and client-2 (tenure 2) was its victim");
  EXPECT_EQ(narrator.headline(Property::available, {refused, refused}),
            "client-2 (tenure 2) was refused although the lock was available");
}

TEST(Narrator, TellsWhoSleptOnAndWhoFreedTheLock) {
  testing::RunBuilder b({"client-1", "client-2", "redis-1"});
  b.client(at_ms(0), history::What::acquire_ok, 0, 1);
  b.client(at_ms(0), history::What::acquire_invoked, 1, 2);
  const auto sleeps = b.client(at_ms(1000), history::What::wait_begun, 1, 2);
  const auto freed = b.happens({.at = at_ms(4000),
                                .what = history::What::entry_removed,
                                .process = 2,
                                .tenure = 1,
                                .owner = 1});
  const Narrator narrator(b.run);
  EXPECT_EQ(narrator.headline(Property::no_lost_wakeup, {sleeps, freed}),
            "client-2 keeps sleeping while the lock is free");
  EXPECT_EQ(
      narrator.sentence(Property::no_lost_wakeup, {sleeps, freed}),
      "client-2 began to wait for the lock at 1.000s and kept sleeping, although it could have "
      "had it since 4.000s");
  EXPECT_EQ(
      narrator.sentence(Property::no_lost_wakeup, {sleeps, sleeps}),
      "client-2 began to wait for the lock at 1.000s and kept sleeping, although it could have "
      "had it since then");
}

TEST(Narrator, TellsWhoWokeTooMany) {
  testing::RunBuilder b({"client-1", "client-2", "client-3"});
  b.client(at_ms(0), history::What::acquire_ok, 0, 1);
  b.client(at_ms(0), history::What::acquire_invoked, 1, 2);
  b.client(at_ms(0), history::What::acquire_invoked, 2, 3);
  const auto release = b.client(at_ms(2000), history::What::release_invoked, 0, 1);
  const auto wakes = [&b](sim::ProcessId process) {
    return b.happens({.at = at_ms(2001),
                      .what = history::What::wait_ended,
                      .process = process,
                      .thread = process + 1,
                      .tenure = process + 1,
                      .owner = 1});
  };
  const auto first = wakes(1);
  const auto second = wakes(2);
  const Narrator narrator(b.run);
  EXPECT_EQ(narrator.headline(Property::bounded_wakeups, {second, release}),
            "client-1 wakes more waiters than allowed");
  EXPECT_EQ(
      narrator.sentence(Property::bounded_wakeups, {second, release}),
      "client-3 was woken at 2.001s, one waiter more than client-1's release at 2.000s may wake");
  EXPECT_EQ(narrator.sentence(Property::bounded_wakeups, {second, first}),
            "client-3 was woken at 2.001s by client-1, one waiter more than client-1 may wake");
}

TEST(Narrator, TellsOfALostUpdateAndOfAHolderThatIsRefused) {
  testing::RunBuilder b({"client-1", "client-2", "redis-1", "resource"});
  b.client(at_ms(0), history::What::acquire_invoked, 0, 1);
  b.client(at_ms(0), history::What::acquire_invoked, 1, 2);
  const auto grant =
      b.happens({.at = at_ms(1), .what = history::What::entry_created, .process = 2, .tenure = 2});
  const auto at_resource = [&b](int at, history::What what, history::TenureId tenure,
                                std::uint32_t version, std::uint32_t base) {
    return b.happens({.at = at_ms(at),
                      .what = what,
                      .process = 3,
                      .peer = tenure - 1,
                      .tenure = tenure,
                      .version = version,
                      .base = base});
  };
  const auto update = at_resource(2000, history::What::write_accepted, 2, 2, 1);
  const auto write = at_resource(3000, history::What::write_accepted, 1, 3, 1);
  const auto rejected = at_resource(4000, history::What::write_rejected, 2, 3, 2);
  b.run.history[rejected].cause = history::Cause::version;
  const Narrator narrator(b.run);
  EXPECT_EQ(narrator.headline(Property::no_lost_update, {write, update}),
            "client-1's write replaced an update of client-2 that it had not read");
  EXPECT_EQ(narrator.sentence(Property::no_lost_update, {write, update}),
            "resource accepted client-1's write at 3.000s, based on version 1, in place of version "
            "2, which client-2 had written at 2.000s");
  EXPECT_EQ(narrator.headline(Property::no_holder_refused, {rejected, grant}),
            "client-2 holds the lock, but its write was rejected");
  EXPECT_EQ(narrator.sentence(Property::no_holder_refused, {rejected, grant}),
            "resource rejected client-2's write at 4.000s because version 3 was current, although "
            "no grant is newer than client-2's, at 0.001s");
}

TEST(Narrator, TellsWhoOvertookWhom) {
  testing::RunBuilder b({"client-1", "client-2", "redis-1"});
  b.client(at_ms(0), history::What::acquire_invoked, 0, 1);
  b.client(at_ms(0), history::What::acquire_invoked, 1, 2);
  const auto queued =
      b.happens({.at = at_ms(1), .what = history::What::queued, .process = 2, .tenure = 1});
  const auto believed = b.client(at_ms(2000), history::What::acquire_ok, 1, 2);
  const Narrator narrator(b.run);
  EXPECT_EQ(narrator.headline(Property::fair_order, {believed, queued}),
            "client-2 overtakes client-1 once more than allowed");
  EXPECT_EQ(
      narrator.sentence(Property::fair_order, {believed, queued}),
      "client-2 was told at 2.000s that it holds the lock, although client-1 had requested it "
      "earlier, at 0.001s, and had already been overtaken as often as allowed");
  EXPECT_EQ(narrator.concerned(Property::fair_order, {believed, queued}),
            (std::vector<sim::ProcessId>{1, 0}));
}

TEST(Narrator, TellsWhichServerMiscounts) {
  testing::RunBuilder b({"client-1", "redis-1"});
  b.client(at_ms(0), history::What::acquire_invoked, 0, 1);
  const auto set = b.happens({.at = at_ms(1),
                              .what = history::What::entry_altered,
                              .holds = 2,
                              .process = 1,
                              .tenure = 1,
                              .owner = 1});
  const auto told = b.client(at_ms(2), history::What::acquire_ok, 0, 1);
  const auto released = b.client(at_ms(3), history::What::release_ok, 0, 1);
  const Narrator narrator(b.run);
  EXPECT_EQ(narrator.headline(Property::balanced_holds, {told, set}),
            "redis-1 miscounts the holds of client-1");
  EXPECT_EQ(narrator.sentence(Property::balanced_holds, {told, set}),
            "when client-1 was told that it holds the lock at 0.002s, redis-1 counted 2 of "
            "its holds, a number set at 0.001s");
  EXPECT_EQ(
      narrator.sentence(Property::balanced_holds, {released, set}),
      "when client-1 had released the lock at 0.003s, redis-1 counted 2 of its holds, a number "
      "set at 0.001s");
}

TEST(Narrator, TellsWhoseEntryAPromotedServerHas) {
  testing::RunBuilder b({"client-1", "redis-1"});
  b.client(at_ms(0), history::What::acquire_invoked, 0, 1);
  const auto copied = b.happens({.at = at_ms(1),
                                 .what = history::What::entry_created,
                                 .process = 1,
                                 .tenure = 0,
                                 .owner = 1});
  const auto taken = b.happens({.at = at_ms(2),
                                .what = history::What::entry_created,
                                .process = 1,
                                .tenure = 1,
                                .owner = 1});
  const Narrator narrator(b.run);
  const std::string key = narrator.key(0);
  EXPECT_EQ(narrator.event(b.run.history[copied]), "redis-1 has client-1's entry of " + key);
  EXPECT_EQ(narrator.event(b.run.history[taken]), "redis-1: client-1 gets an entry of " + key);
}

TEST(Narrator, TellsOfAMutexThatNoLiveThreadCanRelease) {
  testing::RunBuilder b({"client-1", "redis-1"});
  b.client(at_ms(0), history::What::acquire_invoked, 0, 1);
  const auto mutex =
      b.happens({.at = at_ms(1), .what = history::What::entry_created, .process = 0, .tenure = 1});
  const auto waits = b.client(at_ms(2), history::What::acquire_invoked, 0, 2);
  EXPECT_EQ(
      Narrator(b.run).sentence(Property::not_stuck, {waits, mutex}),
      "client-1 (tenure 2) has waited for the lock since 0.002s, to the end of the run, behind "
      "a mutex of its own process that no live thread can release");
}

TEST(Wording, ShowsARateWithAsManyDigitsAsItNeeds) {
  EXPECT_EQ(rate(0), "0");
  EXPECT_EQ(rate(0.0523), "0.052");
  EXPECT_EQ(rate(0.35), "0.35");
  EXPECT_EQ(rate(4.21), "4.2");
  EXPECT_EQ(rate(12.9), "12");
  EXPECT_EQ(rate(12345), "12,345");
  EXPECT_EQ(rate(1 / 0.0), "0");
}

TEST(Narrator, SurvivesWitnessesThatDoNotFit) {
  const scenarios::Run run = testing::blind_delete();
  const Narrator narrator(run);
  constexpr std::uint32_t kBeyond = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    const auto property = static_cast<Property>(i);
    EXPECT_FALSE(narrator.sentence(property, {kBeyond, 0}).empty());
    EXPECT_TRUE(narrator.headline(property, {kBeyond, 0}).empty());
    for (std::uint32_t event = 0; event < run.history.size(); ++event) {
      EXPECT_FALSE(narrator.sentence(property, {event, kBeyond}).empty());
      EXPECT_FALSE(narrator.headline(property, {event, event}).empty());
      EXPECT_FALSE(narrator.sentence(property, {event, 0}).empty());
    }
  }
}

}  // namespace
}  // namespace picklock::reports
