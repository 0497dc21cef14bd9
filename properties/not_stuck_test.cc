#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(1, 1);
constexpr Who kB = client(2, 2);
constexpr Who kC = client(3, 3);

Verdict judged(const HistoryBuilder& built, const Context& context = {}) {
  return verdict_of(Property::not_stuck, built.history, context);
}

TEST(NotStuck, HoldsWhenNobodyWaits) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates_for_ever(kA).believes(kA).at(60s).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(NotStuck, IsUnknownWithoutAHorizon) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(4s).releases(kA);
  EXPECT_EQ(judged(h).outcome, Outcome::unknown);
  EXPECT_EQ(judged(HistoryBuilder{}).outcome, Outcome::unknown);
}

// docs/facts/failures.md A-04.
TEST(NotStuck, CatchesADeadHolderWithoutALease) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates_for_ever(kA);
  const auto blocking = h.last();
  h.believes(kA).asks(kB);
  const auto waiter = h.last();
  h.at(1s).fault().crashes(1).fault_over().at(60s).horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(waiter, blocking));
}

// docs/facts/failures.md A-12.
TEST(NotStuck, CatchesARenewalThatOutlivesItsThread) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB);
  const auto waiter = h.last();
  h.at(1s).fault().thread_ends(kA).fault_over().at(3s).renews(kA).at(6s).renews(kA);
  const auto renewal = h.last();
  h.at(12s).horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(waiter, renewal));
}

TEST(NotStuck, CatchesAnOrphanOfAnUnknownAcquireThatIsRenewed) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).fault().fault_over().at(3s).cannot_know(kA).asks(kB).asks(kC);
  h.at(6s).renews(kA).at(12s).horizon();
  EXPECT_EQ(judged(h).count, 2U);
}

// docs/facts/failures.md C-19: the entry comes once the interrupted client has gone on.
TEST(NotStuck, TakesNoEntryOfOneWhoHasGivenUpForAGrant) {
  HistoryBuilder h;
  h.at(0s).asks(kA).fault().fault_over().at(1s).cannot_know(kA).asks(kB);
  h.at(2s).creates(kA).at(5s).renews(kA).at(12s).horizon();
  EXPECT_EQ(judged(h).count, 1U);
}

TEST(NotStuck, CatchesARenewalAfterAnOwnersRelease) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).at(1s).fault().lets_go(kA).at(3s).renews(kA).at(12s).horizon();
  EXPECT_EQ(judged(h).count, 1U);
}

// A renewal is in flight when its holder releases, and the server's clock is set back: the entry
// expires late, and no tenure renews it.
TEST(NotStuck, HoldsBehindAnEntryWhoseLastRenewalIsLongOver) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).at(1s).fault().lets_go(kA).at(3s).renews(kA).at(30s).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(NotStuck, HoldsWhileALivingHolderRenews) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).at(3s).renews(kA).at(6s).horizon();
  EXPECT_THAT(judged(h), Holds());
}

// docs/facts/failures.md A-07: an outage with a bound.
TEST(NotStuck, HoldsWhileADeadlineWillFreeTheLock) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).at(1s).fault().crashes(1).fault_over().at(9s).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(NotStuck, HoldsOnceSomeoneWasGrantedAfterTheFaults) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).asks(kC).at(1s).fault().fault_over().at(2s).releases(kA);
  h.creates_for_ever(kB).believes(kB).at(60s).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(NotStuck, CountsFromTheLastArrivalWhenThereIsNoFault) {
  HistoryBuilder before;
  before.at(0s).asks(kA).creates_for_ever(kA).believes(kA).at(1s).asks(kB).at(60s).horizon();
  EXPECT_EQ(judged(before).count, 1U);
  HistoryBuilder after;
  after.at(0s).acquires(kA).asks(kB).asks(kC).at(1s).releases(kA);
  after.creates_for_ever(kB).believes(kB).at(60s).horizon();
  EXPECT_THAT(judged(after), Holds());
}

// Each connection of the process is lent to a thread that has ended. Others get the lock.
TEST(NotStuck, CatchesAWaiterWhoseProcessHasNoConnectionLeft) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB);
  const auto waiter = h.last();
  h.fault().runs_out_of_connections(kB.process);
  const auto cut_off = h.last();
  h.fault_over().at(1s).releases(kA).acquires(kC).at(60s).horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(waiter, cut_off));
}

TEST(NotStuck, GivesARestartedProcessNewConnections) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).runs_out_of_connections(kB.process).fault().crashes(kB.process);
  h.starts(kB.process).fault_over().asks(kB).at(60s).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(NotStuck, LetsDeadWaitersBe) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates_for_ever(kA).believes(kA).asks(kB).asks(kC).at(1s);
  h.fault().crashes(1).crashes(2).thread_ends(kC).at(60s).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(NotStuck, HoldsWhenTheWaitIsForAnotherLock) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates_for_ever(kA).believes(kA).asks(client(2, 2, 1)).at(60s).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(NotStuck, IsNotBlockedByAnOrphanOnAMinorityOfServers) {
  const Context context{.quorum = 2, .servers = 3};
  HistoryBuilder h;
  h.at(0s).asks(kA).creates_for_ever(kA, 0).cannot_know(kA).asks(kB).fault().at(60s);
  EXPECT_THAT(judged(HistoryBuilder(h).horizon(), context), Holds());
  h.creates_for_ever(kC, 1).horizon();
  EXPECT_EQ(judged(h, context).count, 1U);
}

TEST(NotStuck, CountsFromTheEndOfTheLastFaultNotFromItsBeginning) {
  HistoryBuilder h;
  h.at(0s).asks(kA).asks(kB).asks(kC).at(1s).fault().at(2s).creates_for_ever(kA).believes(kA);
  h.at(3s).fault_over().at(60s).horizon();
  EXPECT_EQ(judged(h).count, 2U);
}

TEST(NotStuck, TakesNoAlterationForAGrant) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).asks(kC).at(1s).fault().crashes(1).crashes(2).fault_over();
  h.at(2s).alters(kB, kA).at(3s).renews(kB).at(12s).horizon();
  EXPECT_EQ(judged(h).count, 1U);
}

// Redisson's script sets the hash and then its expiry: an orphan with a lease, however long it
// lasts.
TEST(NotStuck, TakesTheExpiryThatIsSetAtOnceForNoRenewal) {
  HistoryBuilder h;
  h.at(0s).asks(kA).asks(kB).at(1s).crashes(1).creates(kA).renews(kA).fault().at(30s).horizon();
  EXPECT_THAT(judged(h), Holds());
}

// ---------------------------------------------------------------- copies

// Three primaries, each with a replica: 0 and 4, 5 and 6, 7 and 8.
const Context kThreePairs{.quorum = 2, .servers = 3, .group_of = {0, 9, 9, 9, 0, 1, 1, 2, 2}};

TEST(NotStuck, CountsTwoCopiesAsOneServerThatIsBlocked) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates_for_ever(kA, 0).promotes(kA, 4, sim::Duration::max()).asks(kB);
  h.fault().crashes(1).fault_over().at(60s).horizon();
  EXPECT_THAT(judged(h, kThreePairs), Holds());
}

TEST(NotStuck, CountsEntriesOfTwoGroupsAsTwo) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates_for_ever(kA, 4);
  const auto blocking = h.last();
  h.creates_for_ever(kA, 6).asks(kB);
  const auto waiter = h.last();
  h.fault().crashes(1).fault_over().at(60s).horizon();
  EXPECT_THAT(judged(h, kThreePairs), IsViolatedBy(waiter, blocking));
}

TEST(NotStuck, CatchesAPermanentEntryOnTheSecondServerOfAGroupAlone) {
  const Context pair{.group_of = {0, 9, 9, 9, 0}};
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).promotes(kA, 4, sim::Duration::max());
  const auto blocking = h.last();
  h.expires(kA).asks(kB);
  const auto waiter = h.last();
  h.fault().crashes(1).fault_over().at(60s).horizon();
  EXPECT_THAT(judged(h, pair), IsViolatedBy(waiter, blocking));
}

// A copy that will go by itself does not stand for one that will not.
TEST(NotStuck, CountsThePermanentOneOfTwoCopies) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA, 0).promotes(kA, 4, sim::Duration::max());
  const auto blocking = h.last();
  h.creates(kA, 5).promotes(kA, 6, sim::Duration::max()).asks(kB);
  const auto waiter = h.last();
  h.fault().crashes(1).fault_over().at(60s).horizon();
  EXPECT_THAT(judged(h, kThreePairs), IsViolatedBy(waiter, blocking));
}

// Clients are processes 0 to 4.
const Context kClientsFirst{.first_server = 5};
constexpr Who kA2{.tenure = 4, .process = 1, .thread = 4};

// docs/facts/failures.md D-12: client-1 keeps its own thread out, while others get the lock.
TEST(NotStuck, CatchesAMutexOfItsOwnProcessThatNobodyGivesBack) {
  HistoryBuilder h;
  h.at(0s).asks(kA).locks_at_home(kA);
  const auto blocking = h.last();
  h.creates(kA, 5).believes(kA).asks(kA2);
  const auto waiter = h.last();
  h.at(10s).expires(kA, 5).lets_go(kA).had_nothing(kA).asks(kB).creates(kB, 5).believes(kB);
  h.at(60s).horizon();
  EXPECT_THAT(judged(h, kClientsFirst), IsViolatedBy(waiter, blocking));
}

TEST(NotStuck, CatchesAMutexWhoseThreadIsGone) {
  HistoryBuilder h;
  h.at(0s).asks(kA).locks_at_home(kA).asks(kA2).at(1s).thread_ends(kA).at(60s).horizon();
  EXPECT_EQ(judged(h, kClientsFirst).count, 1U);
}

TEST(NotStuck, CatchesAMutexKeptAfterARefusal) {
  HistoryBuilder h;
  h.at(0s).asks(kA).locks_at_home(kA).asks(kA2).at(1s).is_refused(kA).at(60s).horizon();
  EXPECT_EQ(judged(h, kClientsFirst).count, 1U);
}

TEST(NotStuck, LetsAHolderKeepTheMutexOfItsProcess) {
  HistoryBuilder h;
  h.at(0s).asks(kA).locks_at_home(kA).creates(kA, 5).believes(kA).asks(kA2).at(60s).horizon();
  EXPECT_THAT(judged(h, kClientsFirst), Holds());
}

TEST(NotStuck, LetsOneWhoAsksOrReleasesKeepTheMutexOfItsProcess) {
  HistoryBuilder asking;
  asking.at(0s).asks(kA).locks_at_home(kA).asks(kA2).at(60s).horizon();
  EXPECT_THAT(judged(asking, kClientsFirst), Holds());
  HistoryBuilder releasing;
  releasing.at(0s)
      .asks(kA)
      .locks_at_home(kA)
      .creates(kA, 5)
      .believes(kA)
      .asks(kA2)
      .at(60s)
      .lets_go(kA)
      .horizon();
  EXPECT_THAT(judged(releasing, kClientsFirst), Holds());
}

TEST(NotStuck, HoldsWhenTheMutexIsGivenBackOrDiesWithItsProcess) {
  HistoryBuilder given_back;
  given_back.at(0s)
      .asks(kA)
      .locks_at_home(kA)
      .creates_for_ever(kA, 5)
      .believes(kA)
      .asks(kA2)
      .at(1s)
      .lets_go(kA);
  given_back.removes(kA, kA, 5).unlocks_at_home(kA).has_let_go(kA).at(60s).horizon();
  EXPECT_THAT(judged(given_back, kClientsFirst), Holds());
  HistoryBuilder crashed;
  crashed.at(0s)
      .asks(kA)
      .locks_at_home(kA)
      .creates(kA, 5)
      .believes(kA)
      .at(1s)
      .crashes(1)
      .starts(1)
      .asks(kA2);
  crashed.at(60s).horizon();
  EXPECT_THAT(judged(crashed, kClientsFirst), Holds());
}

TEST(NotStuck, DoesNotBlockOthersByTheMutexOfAClient) {
  HistoryBuilder h;
  h.at(0s)
      .asks(kA)
      .locks_at_home(kA)
      .creates(kA, 5)
      .believes(kA)
      .asks(kB)
      .at(1s)
      .lets_go(kA)
      .had_nothing(kA);
  h.at(60s).horizon();
  EXPECT_THAT(judged(h, kClientsFirst), Holds());
}

TEST(NotStuck, TellsTheMutexesOfOneProcessApart) {
  HistoryBuilder h;
  const Who other = client(1, 5, 1);
  h.at(0s).asks(other).locks_at_home(other).is_refused(other).asks(kA2).at(60s).horizon();
  EXPECT_THAT(judged(h, kClientsFirst), Holds());
}

}  // namespace
}  // namespace picklock::properties
