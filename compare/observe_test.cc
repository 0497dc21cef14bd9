#include "compare/observe.h"

#include <gtest/gtest.h>

#include "testing/history_builder.h"

namespace picklock::compare {
namespace {

using namespace std::chrono_literals;
using properties::client;
using properties::HistoryBuilder;

const auto kFirst = client(1, 1);
const auto kSecond = client(2, 2);
const auto kThird = client(3, 3);

bool is_about(std::optional<sim::Duration> length, sim::Duration wanted) {
  return length && *length >= wanted && *length <= wanted + wanted / 30;
}

TEST(Observe, TellsAnAcquireOfAFreeLockFromOneThatWaited) {
  HistoryBuilder run;
  run.at(0s).asks(kFirst).at(2ms).believes(kFirst);
  run.at(1s).asks(kSecond).at(4s).lets_go(kFirst).has_let_go(kFirst);
  run.at(4s + 50ms).believes(kSecond);
  Measures measures;
  observe(run.history, true, false, measures);
  EXPECT_EQ(measures.price.latency.size(), 2U);
  ASSERT_EQ(measures.price.free.size(), 1U);
  EXPECT_TRUE(is_about(measures.price.free.quantile(50), 2ms));
  ASSERT_EQ(measures.price.handover.size(), 1U);
  EXPECT_TRUE(is_about(measures.price.handover.quantile(50), 50ms));
}

TEST(Observe, CountsNoHandOverToOneWhoCameLater) {
  HistoryBuilder run;
  run.at(0s).asks(kFirst).believes(kFirst).at(1s).asks(kSecond);
  run.at(4s).lets_go(kFirst).has_let_go(kFirst).at(5s).asks(kThird).believes(kThird);
  Measures measures;
  observe(run.history, true, false, measures);
  EXPECT_EQ(measures.price.handover.size(), 0U);
}

TEST(Observe, CountsHowOftenAWaiterIsOvertaken) {
  HistoryBuilder run;
  run.at(0s).asks(kFirst).queues(kFirst).at(1s).asks(kSecond).queues(kSecond);
  run.at(2s).asks(kThird).queues(kThird).believes(kThird).lets_go(kThird).has_let_go(kThird);
  run.at(3s).believes(kFirst).lets_go(kFirst).has_let_go(kFirst).believes(kSecond);
  Measures measures;
  observe(run.history, true, false, measures);
  EXPECT_EQ(measures.price.overtaking, 1U);
}

TEST(Observe, AsksOnlyThoseWhoLiveToHearOfIt) {
  HistoryBuilder run;
  run.at(0s).asks(kFirst).believes(kFirst).at(1s).asks(kSecond).at(2s).crashes(2);
  run.at(3s).asks(kThird).is_refused(kThird);
  Measures measures;
  observe(run.history, false, false, measures);
  EXPECT_EQ(measures.asked, 2U);
  EXPECT_EQ(measures.granted, 1U);
}

TEST(Observe, MeasuresRecoveryFromTheCrashOfAHolderToTheGrantOfOneWhoWaits) {
  HistoryBuilder run;
  run.at(0s).asks(kFirst).believes(kFirst).at(1s).asks(kSecond).at(2s).crashes(1);
  run.at(9s).believes(kSecond);
  Measures measures;
  observe(run.history, false, true, measures);
  ASSERT_EQ(measures.recovery.size(), 1U);
  EXPECT_TRUE(is_about(measures.recovery.quantile(100), 7s));
  EXPECT_EQ(measures.never_recovered, 0U);
}

TEST(Observe, NobodyRecoversWhereTheOneWhoWaitsIsNeverGranted) {
  HistoryBuilder run;
  run.at(0s).asks(kFirst).believes(kFirst).at(1s).asks(kSecond).at(2s).crashes(1);
  Measures waits;
  observe(run.history, false, true, waits);
  EXPECT_EQ(waits.never_recovered, 1U);
  run.at(5s).is_refused(kSecond);
  Measures gives_up;
  observe(run.history, false, true, gives_up);
  EXPECT_EQ(gives_up.never_recovered, 0U);
}

}  // namespace
}  // namespace picklock::compare
