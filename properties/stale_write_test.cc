#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(1, 1);
constexpr Who kB = client(2, 2);

Verdict judged(const HistoryBuilder& built, const Context& context = {}) {
  return verdict_of(Property::no_stale_write, built.history, context);
}

TEST(StaleWrite, HoldsWhenWritesFollowTheOrderOfGrants) {
  HistoryBuilder h;
  h.at(0s)
      .acquires(kA)
      .writes(kA)
      .at(2s)
      .releases(kA)
      .acquires(kB)
      .writes(kB)
      .releases(kB)
      .horizon();
  EXPECT_THAT(judged(h), Holds());
}

// docs/facts/failures.md B-01.
TEST(StaleWrite, CatchesAPausedHolderThatWritesAfterItsSuccessor) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(10s).expires(kA).acquires(kB).writes(kB);
  const auto newer = h.last();
  h.at(11s).writes(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), newer));
}

// The answer of the old primary never comes, and its entry stays there; the new one is asked again.
TEST(StaleWrite, TakesWhatANewPrimaryIsAskedForForAGrantOfItsOwn) {
  const Context context{.group_of = {0, 9, 9, 9, 0}};
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA, 0).at(3s).asks(kB).creates(kB, 4).believes(kB).writes(kB);
  h.at(4s).lets_go(kB).removes(kB, kB, 4).has_let_go(kB);
  h.at(5s).creates(kA, 4).believes(kA).writes(kA).horizon();
  EXPECT_THAT(judged(h, context), Holds());
}

// docs/facts/failures.md C-12: a renewal without a check, after the holder's own entry has lapsed,
// does not make the holder newer than a client that was granted the lock meanwhile.
TEST(StaleWrite, TakesNoAlterationForASecondGrant) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).at(3s).expires(kA).asks(kB).creates(kB);
  h.at(4s).alters(kA, kB).believes(kA).believes(kB).writes(kA).writes(kB).horizon();
  EXPECT_THAT(judged(h), Holds());
}

// All servers granted its earlier attempts, which were undone. Now the entry on one server is lost
// before the other server grants, so there is no instant at which this attempt is complete.
TEST(StaleWrite, TakesNoGrantThatWasUndoneForThatOfALaterAttempt) {
  const Context both{.quorum = 2, .servers = 2};
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA, 0).creates(kA, 1).removes(kA, kA, 0).removes(kA, kA, 1);
  h.at(1s).asks(kB).creates(kB, 0).creates(kB, 1).believes(kB).writes(kB);
  h.at(2s).lets_go(kB).removes(kB, kB, 0).removes(kB, kB, 1).has_let_go(kB);
  h.at(3s).creates(kA, 0).expires(kA, 0).creates(kA, 1).believes(kA).writes(kA).horizon();
  EXPECT_THAT(judged(h, both), Holds());
}

// docs/facts/failures.md B-02.
TEST(StaleWrite, CatchesAWriteThatWasHeldUpUntilAfterAProperRelease) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(2s).releases(kA).at(3s).acquires(kB).reads(kB);
  const auto newer = h.last();
  h.at(4s).releases(kB).at(12s).writes(kA);
  const auto stale = h.last();
  h.horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(stale, newer));
  EXPECT_THAT(violated_in(h.history), testing::ElementsAre("no-stale-write"));
}

TEST(StaleWrite, OrdersByTheGrantAtTheServerNotByItsReply) {
  HistoryBuilder h;
  h.at(0s).asks(kA).asks(kB).creates(kA).at(10s).expires(kA).creates(kB).believes(kB).believes(kA);
  h.at(11s).writes(kA).writes(kB).horizon();
  EXPECT_THAT(judged(h), Holds());
  h.writes(kA);
  EXPECT_EQ(judged(h).count, 1U);
}

TEST(StaleWrite, OrdersAQuorumLockByItsDecidingServer) {
  const Context context{.quorum = 2, .servers = 3};
  HistoryBuilder h;
  h.at(0s).asks(kA).asks(kB).creates(kA, 0).creates(kB, 1).creates(kB, 2).at(10s);
  h.expires(kB, 1).creates(kA, 1).writes(kB).writes(kA).horizon();
  EXPECT_THAT(judged(h, context), Holds());
  h.writes(kB);
  EXPECT_EQ(judged(h, context).count, 1U);
}

TEST(StaleWrite, OrdersByBeliefWhereNoServerReportsAnEntry) {
  HistoryBuilder h;
  h.at(0s).asks(kB).asks(kA).believes(kA).at(1s).believes(kB).writes(kB).writes(kA);
  EXPECT_EQ(judged(h).count, 1U);
}

TEST(StaleWrite, LetsAnOlderTenureReadAfterANewer) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(10s).expires(kA).acquires(kB).writes(kB).reads(kA).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(StaleWrite, LetsAWriteBeRejected) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(10s).expires(kA).acquires(kB).writes(kB).write_is_rejected(kA).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(StaleWrite, LetsANewerGrantBeWhileItHasTouchedNothing) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(10s).expires(kA).acquires(kB).writes(kA).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(StaleWrite, LetsTheWriterOfAnotherLockBeOlder) {
  const Who other = client(2, 2, 1);
  HistoryBuilder h;
  h.at(0s).acquires(kA).acquires(other).writes(other).writes(kA).horizon();
  EXPECT_THAT(judged(h), Holds());
}

}  // namespace
}  // namespace picklock::properties
