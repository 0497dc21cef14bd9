#include "compare/budget.h"

#include <gtest/gtest.h>

namespace picklock::compare {
namespace {

constexpr Seconds kLength{100};

TEST(Budget, LeavesNearlyAllTimeToRunsThatShowNothing) {
  Budget budget(kLength, 2);
  budget.ran(Seconds(80), 8'000);
  EXPECT_TRUE(budget.has_time_for_runs(Seconds(95), 0, 0));
  EXPECT_FALSE(budget.has_time_for_runs(Seconds(99), 0, 0));
}

TEST(Budget, KeepsTimeBackForWhatTheRunsShow) {
  Budget budget(kLength, 2);
  budget.ran(Seconds(20), 2'000);  // 10 ms a run, so 1.5 s a story
  EXPECT_TRUE(budget.has_time_for_runs(Seconds(70), 20, 20));
  EXPECT_FALSE(budget.has_time_for_runs(Seconds(90), 20, 20));
}

TEST(Budget, KnowsWhatStoriesCostOnceSomeAreMade) {
  Budget budget(kLength, 2);
  budget.ran(Seconds(20), 2'000);
  for (int i = 0; i < 20; ++i) budget.told(Seconds(0.1), Seconds(0.01));
  EXPECT_TRUE(budget.has_time_for_runs(Seconds(90), 20, 20));
  EXPECT_LT(budget.pages(20), Seconds(1));
}

TEST(Budget, NeverKeepsSoMuchThatNoRunIsMade) {
  Budget budget(kLength, 2);
  budget.ran(Seconds(2), 2);
  EXPECT_TRUE(budget.has_time_for_runs(Seconds(30), 1'000, 1'000));
}

// Otherwise a comparison of few locks would end long before its time.
TEST(Budget, BeginsAnotherTurnIfThereIsTimeForOne) {
  Budget budget(kLength, 2);
  budget.ran(Seconds(20), 2'000);
  for (int i = 0; i < 20; ++i) budget.told(Seconds(0.1), Seconds(0.01));
  EXPECT_TRUE(budget.has_time_for_more(Seconds(60), 20));
  EXPECT_FALSE(budget.has_time_for_more(Seconds(95), 20));
  EXPECT_TRUE(budget.has_time_for_runs(Seconds(60), 0, 20)) << "else such a turn makes no run";
}

TEST(Budget, SharesTheTimeBeforeThePagesAmongTheStories) {
  Budget budget(kLength, 2);
  for (int i = 0; i < 100; ++i) budget.told(Seconds(1), Seconds(0.05));
  EXPECT_NEAR(budget.end_of_stories(100).count(), 94, 1e-9);
  EXPECT_NEAR(budget.share_of_a_story(Seconds(80), 10, 100).count(), 2.8, 1e-9);
  EXPECT_EQ(budget.share_of_a_story(Seconds(97), 10, 100), Seconds::zero());
}

}  // namespace
}  // namespace picklock::compare
