#include "testing/judging.h"

namespace picklock::properties {
namespace {

Verdict judged(const HistoryBuilder& built) {
  return verdict_of(Property::mutual_exclusion, built.history);
}

TEST(MutualExclusion, HoldsWhenTenuresFollowEachOther) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1)).at(4s).releases(client(1, 1));
  h.at(5s).acquires(client(2, 2)).at(8s).releases(client(2, 2)).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(MutualExclusion, CatchesABeliefThatOutlivesItsLease) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1));
  const auto earlier = h.last();
  h.at(10s).expires(client(1, 1)).acquires(client(2, 2));
  const auto later = h.last();
  h.at(11s).lets_go(client(1, 1)).at(14s).releases(client(2, 2)).horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(later, earlier));
}

TEST(MutualExclusion, CatchesADoubleGrantThatNobodyEverGivesBack) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1));
  const auto earlier = h.last();
  h.at(1s).acquires(client(2, 2));
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), earlier));
}

TEST(MutualExclusion, CountsEveryTenureThatBeganBesideAnother) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1)).at(1s).acquires(client(2, 2)).at(2s).acquires(client(3, 3));
  h.at(3s).releases(client(2, 2)).at(4s).acquires(client(2, 4)).horizon();
  const Verdict verdict = judged(h);
  EXPECT_EQ(verdict.count, 3U);
  EXPECT_EQ(verdict.witnesses.size(), 3U);
}

TEST(MutualExclusion, KeepsTheEarliestWitnessesOfMany) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1));
  for (history::TenureId i = 2; i < 30; ++i) h.at(i * 1s).acquires(client(2, i));
  const Verdict verdict = judged(h);
  EXPECT_EQ(verdict.count, 28U);
  ASSERT_EQ(verdict.witnesses.size(), kWitnesses);
  EXPECT_EQ(verdict.witnesses.front().event, 5U);
  EXPECT_EQ(verdict.witnesses.back().event, 26U);
}

TEST(MutualExclusion, LetsABeliefBeginInTheInstantInWhichAnotherEnds) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1)).at(4s).asks(client(2, 2)).creates(client(2, 2));
  h.believes(client(2, 2)).lets_go(client(1, 1)).at(5s).lets_go(client(2, 2)).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(MutualExclusion, LetsABeliefOfNoLengthFallInsideAnother) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1)).at(4s).acquires(client(2, 2)).lets_go(client(2, 2));
  h.at(5s).lets_go(client(1, 1)).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(MutualExclusion, EndsABeliefByEachOfTheFiveWays) {
  const auto ended_by = [](auto end) {
    HistoryBuilder h;
    h.at(0s).acquires(client(1, 1)).at(5s);
    end(h);
    h.at(6s).acquires(client(2, 2)).at(8s).releases(client(2, 2)).horizon();
    return judged(h);
  };
  EXPECT_THAT(ended_by([](auto& h) { h.lets_go(client(1, 1)); }), Holds());
  EXPECT_THAT(ended_by([](auto& h) { h.learns_of_loss(client(1, 1)); }), Holds());
  EXPECT_THAT(ended_by([](auto& h) { h.passes_deadline(client(1, 1)); }), Holds());
  EXPECT_THAT(ended_by([](auto& h) { h.crashes(1); }), Holds());
  EXPECT_THAT(ended_by([](auto& h) { h.thread_ends(client(1, 1)); }), Holds());
  EXPECT_EQ(ended_by([](auto& h) { h.crashes(2); }).count, 1U);
}

TEST(MutualExclusion, EndsTheBeliefOfANestedTenureWithItsOutermostRelease) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1)).at(1s).asks(client(1, 1)).believes(client(1, 1));
  h.at(2s).lets_go(client(1, 1)).at(3s).acquires(client(2, 2));
  const auto later = h.last();
  h.at(4s).lets_go(client(1, 1)).lets_go(client(2, 2)).horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(later, 2U));
}

TEST(MutualExclusion, LetsATenureBelieveAgainThatAcquiresAgainAfterALoss) {
  const auto with_second_belief = [](bool released_in_time) {
    HistoryBuilder h;
    h.at(0s).acquires(client(1, 1)).at(3s).learns_of_loss(client(1, 1));
    h.at(4s).asks(client(1, 1)).believes(client(1, 1));
    if (released_in_time) h.at(5s).lets_go(client(1, 1));
    h.at(6s).acquires(client(2, 2)).at(7s).lets_go(client(1, 1)).releases(client(2, 2)).horizon();
    return judged(h);
  };
  EXPECT_THAT(with_second_belief(true), Holds());
  EXPECT_THAT(with_second_belief(false), IsViolatedBy(8U, 5U));
}

TEST(MutualExclusion, GivesAnUnknownAcquireNoBelief) {
  HistoryBuilder h;
  h.at(0s).asks(client(1, 1)).creates(client(1, 1)).at(3s).cannot_know(client(1, 1));
  h.at(11s).expires(client(1, 1)).acquires(client(2, 2)).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(MutualExclusion, LetsHoldersOfDifferentLocksBeTogether) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1, 0)).at(1s).acquires(client(2, 2, 1)).at(4s);
  h.releases(client(1, 1, 0)).releases(client(2, 2, 1)).horizon();
  EXPECT_THAT(judged(h), Holds());
}

}  // namespace
}  // namespace picklock::properties
