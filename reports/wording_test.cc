#include "reports/wording.h"

#include <gtest/gtest.h>

#include <chrono>

#include "models/servers/verbs.h"
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

TEST(Wording, SaysWhichMessageBelongsToNoStep) {
  sim::Fault late = plan(Verb::delay, "redis-1", Role::none);
  late.lasts = 12ms;
  EXPECT_EQ(fault(late), "delay redis-1's message of no step by 12ms");
  late.trigger.nth = 3;
  late.trigger.on = "redis-1-replica-1";
  EXPECT_EQ(fault(late), "delay redis-1's 3rd message to redis-1-replica-1 by 12ms");
  late.trigger.on = "client-2";
  EXPECT_EQ(fault(late), "delay redis-1's 3rd message of no step to client-2 by 12ms");
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

TEST(Wording, ShowsARateWithAsManyDigitsAsItNeeds) {
  EXPECT_EQ(rate(0), "0");
  EXPECT_EQ(rate(0.0523), "0.052");
  EXPECT_EQ(rate(0.35), "0.35");
  EXPECT_EQ(rate(4.21), "4.2");
  EXPECT_EQ(rate(12.9), "12");
  EXPECT_EQ(rate(12345), "12,345");
  EXPECT_EQ(rate(1 / 0.0), "0");
}

}  // namespace
}  // namespace picklock::reports
