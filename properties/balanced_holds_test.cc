#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(11, 1);
constexpr Who kB = client(12, 2);

Verdict judged(const HistoryBuilder& built, const Context& context = {}) {
  return verdict_of(Property::balanced_holds, built.history, context);
}

TEST(BalancedHolds, HoldsWhenEveryAcquireIsGivenBack) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).holding(1).believes(kA);
  h.asks(kA).renews(kA).holding(2).believes(kA);
  h.at(1s).lets_go(kA).renews(kA).holding(1).has_let_go(kA);
  h.at(2s).lets_go(kA).removes(kA, kA).has_let_go(kA);
  EXPECT_THAT(judged(h), Holds());
}

// An acquire that is sent again for want of an answer is counted again.
TEST(BalancedHolds, CatchesAnAcquireThatTookEffectTwice) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).holding(1).renews(kA).holding(2);
  const auto set = h.last();
  h.believes(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), set));
}

TEST(BalancedHolds, CatchesAReleaseThatTookEffectTwice) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).holding(1).believes(kA).asks(kA).renews(kA).holding(2).believes(kA);
  h.asks(kA).renews(kA).holding(3).believes(kA);
  h.at(1s).lets_go(kA).renews(kA).holding(2).renews(kA).holding(1);
  const auto set = h.last();
  h.has_let_go(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), set));
}

TEST(BalancedHolds, CatchesAnEntryLeftBehindByTheLastRelease) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).holding(1);
  const auto set = h.last();
  h.believes(kA).lets_go(kA).has_let_go(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), set));
}

TEST(BalancedHolds, CatchesAReleaseThatIsToldThereWasNothing) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).holding(1);
  const auto set = h.last();
  h.believes(kA).lets_go(kA).had_nothing(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), set));
}

TEST(BalancedHolds, ComparesWhenAnOperationIsOverAndNotBefore) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).holding(1).renews(kA).holding(2).renews(kA).holding(1).believes(kA);
  h.lets_go(kA);
  EXPECT_THAT(judged(h), Holds());
}

TEST(BalancedHolds, SaysNothingOfAnEntryThatDoesNotCount) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kA).renews(kA).believes(kA).lets_go(kA).has_let_go(kA);
  EXPECT_THAT(judged(h), Holds());
}

TEST(BalancedHolds, SaysNothingOfALoss) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).holding(1).believes(kA).at(10s).expires(kA);
  h.asks(kB).creates(kB).holding(1).believes(kB).at(11s).lets_go(kA).had_nothing(kA);
  EXPECT_THAT(judged(h), Holds());
}

TEST(BalancedHolds, TakesAnEntryThatIsAlteredForTheAlterers) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).holding(1).believes(kA).asks(kB).alters(kB, kA).holding(2);
  const auto set = h.last();
  h.lets_go(kA).had_nothing(kA).believes(kB);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), set));
}

TEST(BalancedHolds, ComparesEveryServerAndCountsAnOperationOnce) {
  const Context three{.quorum = 2, .servers = 3};
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA, 0).holding(1).creates(kA, 1).holding(2);
  const auto set = h.last();
  h.creates(kA, 2).holding(3).believes(kA);
  const Verdict verdict = judged(h, three);
  EXPECT_EQ(verdict.count, 1U);
  EXPECT_EQ(verdict.witnesses.at(0).other, set);
}

TEST(BalancedHolds, SeesTheLatestOfSeveralCopies) {
  const Context pair{.group_of = {0, 0}};
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA, 0).holding(1).believes(kA).crashes(0).promotes(kA, 1).holding(1);
  h.asks(kA).renews(kA, 1).holding(2).believes(kA);
  EXPECT_THAT(judged(h, pair), Holds());
  h.asks(kA).renews(kA, 1).holding(4).believes(kA);
  EXPECT_EQ(judged(h, pair).count, 1U);
}

TEST(BalancedHolds, SeesNoMutexInsideAClient) {
  HistoryBuilder h;
  h.at(0s).asks(kA).locks_at_home(kA).holding(3).creates(kA, 20).holding(1).believes(kA);
  EXPECT_THAT(judged(h, {.first_server = 20}), Holds());
}

TEST(BalancedHolds, CatchesAReleaseThatIsToldThatItHadNothingAlthoughItFreedTheLock) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).lets_go(kA).removes(kA, kA);
  const auto freed = h.last();
  h.had_nothing(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), freed));
}

TEST(BalancedHolds, LetsAReleaseHaveNothingWhereTheLeaseIsOver) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(10s).expires(kA).at(11s).lets_go(kA).had_nothing(kA);
  EXPECT_THAT(judged(h), Holds());
}

}  // namespace
}  // namespace picklock::properties
