#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(1, 1);
constexpr Who kB = client(2, 2);
constexpr Context kThreeServers{.quorum = 2, .servers = 3};

Verdict judged(const HistoryBuilder& built, const Context& context = {}) {
  return verdict_of(Property::loss_noticed, built.history, context);
}

TEST(LossNoticed, HoldsWhenTheEntryGoesByItsOwnersRelease) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(4s).releases(kA).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(LossNoticed, CatchesAReleaseAfterAnExpiryThatNobodyNoticed) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(10s).expires(kA);
  const auto loss = h.last();
  h.at(12s).lets_go(kA);
  const auto release = h.last();
  h.horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(release, loss));
}

TEST(LossNoticed, CatchesABeliefThatLastsToTheHorizon) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(5s).goes(kA, history::Cause::eviction);
  const auto loss = h.last();
  h.at(60s).horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), loss));
}

TEST(LossNoticed, CatchesARemovalByAnotherTenure) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(5s).removes(kB, kA);
  const auto loss = h.last();
  h.at(6s).lets_go(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), loss));
}

TEST(LossNoticed, CatchesAnAlterationByAnotherTenure) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(5s).alters(kB, kA);
  const auto loss = h.last();
  h.at(6s).lets_go(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), loss));
}

TEST(LossNoticed, HoldsWhenTheHolderLearnsOfItOrItsDeadlinePasses) {
  HistoryBuilder learns;
  learns.at(0s).acquires(kA).at(10s).expires(kA).at(11s).learns_of_loss(kA).horizon();
  EXPECT_THAT(judged(learns), Holds());
  HistoryBuilder deadline;
  deadline.at(0s).acquires(kA).at(10s).expires(kA).at(11s).passes_deadline(kA).horizon();
  EXPECT_THAT(judged(deadline), Holds());
}

TEST(LossNoticed, AsksNothingOfABeliefThatACrashEnds) {
  HistoryBuilder crash;
  crash.at(0s).acquires(kA).at(10s).expires(kA).at(11s).crashes(1).horizon();
  EXPECT_THAT(judged(crash), Holds());
  HistoryBuilder end;
  end.at(0s).acquires(kA).at(10s).expires(kA).at(11s).thread_ends(kA).horizon();
  EXPECT_THAT(judged(end), Holds());
}

TEST(LossNoticed, AsksNothingOfALossAfterTheBelief) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(4s).lets_go(kA).at(10s).expires(kA).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(LossNoticed, AsksNothingOfALossInTheInstantOfTheRelease) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(10s).expires(kA).lets_go(kA).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(LossNoticed, AsksNothingOfAnUnknownAcquire) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).cannot_know(kA).at(10s).expires(kA).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(LossNoticed, LetsOneEntryGoWhileOthersStillGiveTheQuorum) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA, 0).creates(kA, 1).creates(kA, 2).believes(kA);
  h.at(5s).goes(kA, history::Cause::restart, 0).at(6s).lets_go(kA).horizon();
  EXPECT_THAT(judged(h, kThreeServers), Holds());
}

TEST(LossNoticed, CatchesTheEntryThatTookTheQuorumWithIt) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA, 0).creates(kA, 1).creates(kA, 2).believes(kA);
  h.at(5s).goes(kA, history::Cause::restart, 0).goes(kA, history::Cause::restart, 2);
  const auto loss = h.last();
  h.at(6s).lets_go(kA);
  EXPECT_THAT(judged(h, kThreeServers), IsViolatedBy(h.last(), loss));
}

TEST(LossNoticed, CountsAServerThatGotItsEntryBack) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA, 0).creates(kA, 1).creates(kA, 2).believes(kA);
  h.at(5s).goes(kA, history::Cause::restart, 0).creates(kA, 0).goes(kA, history::Cause::restart, 2);
  h.at(6s).lets_go(kA).horizon();
  EXPECT_THAT(judged(h, kThreeServers), Holds());
}

TEST(LossNoticed, CountsATenureOnceHoweverOftenItLoses) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(10s).expires(kA);
  const auto loss = h.last();
  h.creates(kA).at(20s).expires(kA).lets_go(kB).at(21s).lets_go(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), loss));
}

// A server may find an entry expired while it executes its owner's own command.
TEST(LossNoticed, TakesAnExpiryForALossWhoeverBroughtItToLight) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(10s).expires(kA);
  h.history.back().tenure = kA.tenure;
  const auto loss = h.last();
  h.at(11s).lets_go(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), loss));
}

// docs/facts/failures.md A-06: the outer section goes on unprotected.
TEST(LossNoticed, TakesAnInnerReleaseThatGivesBackTheOuterLockForALoss) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).removes(kA, kA);
  const auto loss = h.last();
  h.at(4s).lets_go(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), loss));
}

TEST(LossNoticed, TakesTheServersWordOnWhoseAnEntryIsThatTwoHaveTouched) {
  HistoryBuilder h;
  h.at(0s).asks(kA).asks(kB).creates(kA, 0).creates(kB, 1).creates(kB, 2).believes(kB);
  h.alters(kB, kA, 0).removes(kA, kA, 0).at(1s).goes(kB, history::Cause::restart, 1);
  const auto loss = h.last();
  h.at(2s).lets_go(kB);
  EXPECT_THAT(judged(h, kThreeServers), IsViolatedBy(h.last(), loss));
}

// ---------------------------------------------------------------- copies

// redis-1 is process 0 and has a replica, process 4.
const Context kWithReplica{.group_of = {0, 9, 9, 9, 0}};

TEST(LossNoticed, CallsItNoLossWhileACopyIsLeft) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(2s).promotes(kA, 4).goes(kA, history::Cause::failover);
  h.at(4s).lets_go(kA).removes(kA, kA, 4).horizon();
  EXPECT_THAT(judged(h, kWithReplica), Holds());
}

TEST(LossNoticed, CatchesTheLossOfEveryCopy) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(2s).promotes(kA, 4).goes(kA, history::Cause::failover);
  h.at(3s).goes(kA, history::Cause::restart, 4);
  const auto loss = h.last();
  h.at(4s).lets_go(kA);
  EXPECT_THAT(judged(h, kWithReplica), IsViolatedBy(h.last(), loss));
}

// The entry that only the old primary had.
TEST(LossNoticed, CatchesAPromotionWithoutTheEntry) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(2s).goes(kA, history::Cause::failover);
  const auto loss = h.last();
  h.at(4s).lets_go(kA);
  EXPECT_THAT(judged(h, kWithReplica), IsViolatedBy(h.last(), loss));
}

TEST(LossNoticed, SaysNothingOfAMutexInsideAClient) {
  HistoryBuilder h;
  h.at(0s).asks(kA).locks_at_home(kA).creates(kA, 20).believes(kA).at(1s).unlocks_at_home(kA);
  h.at(2s).lets_go(kA).removes(kA, kA, 20).has_let_go(kA);
  EXPECT_THAT(verdict_of(Property::loss_noticed, h.history, {.first_server = 20}), Holds());
}

// The same loss, a message earlier: the answer is on its way while the lease ends.
TEST(LossNoticed, CatchesAHolderWhoseEntryWasLostBeforeItLearnedOfItsGrant) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).expires(kA);
  const auto lost = h.last();
  h.believes(kA).at(4s).lets_go(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), lost));
}

TEST(LossNoticed, LetsALaterAttemptMakeUpForWhatAnEarlierOneLost) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).expires(kA).creates(kA).believes(kA).at(4s).releases(kA);
  EXPECT_THAT(judged(h), Holds());
}

TEST(LossNoticed, LetsOneLearnAtOnceThatTheGrantIsOver) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).expires(kA).believes(kA).at(1s).learns_of_loss(kA);
  EXPECT_THAT(judged(h), Holds());
}

}  // namespace
}  // namespace picklock::properties
