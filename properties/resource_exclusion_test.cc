#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(1, 1);
constexpr Who kB = client(2, 2);

Verdict judged(const HistoryBuilder& built) {
  return verdict_of(Property::resource_exclusion, built.history);
}

TEST(ResourceExclusion, HoldsWhenEachTenureIsDoneBeforeTheNextBegins) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).reads(kA).writes(kA).at(2s).releases(kA);
  h.at(3s).acquires(kB).at(4s).writes(kB).writes(kB).at(5s).releases(kB).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(ResourceExclusion, CatchesAWriteBetweenTwoOfAnother) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).writes(kA).at(10s).expires(kA).acquires(kB).writes(kB);
  const auto between = h.last();
  h.at(11s).writes(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), between));
}

TEST(ResourceExclusion, CatchesAReadBetweenTwoWritesOfAnother) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).acquires(kB).at(1s).writes(kA).reads(kB);
  const auto between = h.last();
  h.at(2s).writes(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), between));
}

TEST(ResourceExclusion, CountsEveryReturn) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).acquires(kB).writes(kA).writes(kB).writes(kA).writes(kA).writes(kB);
  EXPECT_EQ(judged(h).count, 2U);
}

TEST(ResourceExclusion, HoldsWhenBeliefsOverlapButOperationsDoNot) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).writes(kA).writes(kA).at(10s).expires(kA).acquires(kB);
  h.at(11s).writes(kB).at(12s).lets_go(kA).at(13s).releases(kB).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(ResourceExclusion, CountsAcceptedOperationsOnly) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).writes(kA).at(10s).expires(kA).acquires(kB).writes(kB);
  h.at(11s).write_is_rejected(kA).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(ResourceExclusion, LetsOperationsOfNobodyPass) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).writes(kA).writes(Who{}).writes(kA).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(ResourceExclusion, JudgesEachResourceAlone) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).writes(kA, 8).writes(kB, 7).writes(kA, 8).writes(kA, 7).horizon();
  EXPECT_THAT(judged(h), Holds());
  h.writes(kB, 8).writes(kA, 6).writes(kA, 8);
  EXPECT_EQ(judged(h).count, 1U);
}

TEST(ResourceExclusion, LetsTenuresOfDifferentLocksInterleave) {
  const Who other = client(2, 2, 1);
  HistoryBuilder h;
  h.at(0s).acquires(kA).acquires(other).writes(kA).writes(other).writes(kA).writes(other).horizon();
  EXPECT_THAT(judged(h), Holds());
}

}  // namespace
}  // namespace picklock::properties
