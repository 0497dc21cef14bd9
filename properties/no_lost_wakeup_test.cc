#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(1, 1);
constexpr Who kB = client(2, 2);
constexpr Who kC = client(3, 3);
constexpr Context kBound{.wakeup_bound = 1s};
constexpr Context kTwoOfThree{.quorum = 2, .servers = 3, .wakeup_bound = 1s};

Verdict judged(const HistoryBuilder& built, const Context& context = kBound) {
  return verdict_of(Property::no_lost_wakeup, built.history, context);
}

// client-1 holds, and client-2 sleeps.
HistoryBuilder sleeping() {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).at(1s).sleeps(kB);
  return h;
}

TEST(NoLostWakeup, HoldsWhenASleeperWakesWithinTheBound) {
  HistoryBuilder h = sleeping();
  h.at(9s).releases(kA).at(10s).wakes(kB, kA).creates(kB).believes(kB).at(60s).horizon();
  EXPECT_THAT(judged(h), Holds());
}

// docs/facts/failures.md D-03.
TEST(NoLostWakeup, CatchesASleeperThatTheReleaseDoesNotWake) {
  HistoryBuilder h = sleeping();
  const auto begun = h.last();
  h.at(4s).lets_go(kA).removes(kA, kA);
  const auto freed = h.last();
  h.at(6s).wakes(kB);
  EXPECT_THAT(judged(h), IsViolatedBy(begun, freed));
}

// docs/facts/failures.md D-02.
TEST(NoLostWakeup, CatchesASleepThatBeginsWhenTheLockIsFree) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).at(4s).releases(kA).at(5s).sleeps(kB);
  const auto begun = h.last();
  h.at(7s).wakes(kB);
  EXPECT_THAT(judged(h), IsViolatedBy(begun, begun));
}

TEST(NoLostWakeup, CatchesASleepBeforeAnybodyHeldTheLock) {
  HistoryBuilder h;
  h.at(0s).asks(kB).sleeps(kB);
  const auto begun = h.last();
  h.at(2s).acquires(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(begun, begun));
}

TEST(NoLostWakeup, ReadsASleepToTheEndOfTheHistory) {
  HistoryBuilder h = sleeping();
  h.at(4s).releases(kA).at(60s).horizon();
  EXPECT_EQ(judged(h).count, 1U);
}

TEST(NoLostWakeup, LetsTheDeadSleep) {
  HistoryBuilder crashed = sleeping();
  crashed.at(4s).releases(kA).at(5s).crashes(2).at(60s).horizon();
  EXPECT_THAT(judged(crashed), Holds());
  HistoryBuilder ended = sleeping();
  ended.at(4s).releases(kA).at(5s).thread_ends(kB).at(60s).horizon();
  EXPECT_THAT(judged(ended), Holds());
}

TEST(NoLostWakeup, CatchesASleepThatACrashEndsTooLate) {
  HistoryBuilder h = sleeping();
  h.at(4s).releases(kA).at(6s).crashes(2).at(60s).horizon();
  EXPECT_EQ(judged(h).count, 1U);
}

// A lock that others take in between is not free without interruption.
TEST(NoLostWakeup, HoldsWhenOthersKeepTakingTheLock) {
  HistoryBuilder h = sleeping();
  for (std::uint32_t i = 0; i < 9; ++i) {
    const Who other = client(3, 3 + i);
    h.at(2s * (i + 1)).lets_go(i == 0 ? kA : client(3, 2 + i));
    h.removes(i == 0 ? kA : client(3, 2 + i), i == 0 ? kA : client(3, 2 + i));
    h.at(2s * (i + 1) + 1s).acquires(other);
  }
  EXPECT_THAT(judged(h), Holds());
}

TEST(NoLostWakeup, CountsASleepOnce) {
  HistoryBuilder h = sleeping();
  const auto begun = h.last();
  h.at(2s).lets_go(kA).removes(kA, kA);
  const auto freed = h.last();
  h.at(5s).acquires(kC).at(6s).releases(kC).at(9s).wakes(kB);
  EXPECT_THAT(judged(h), IsViolatedBy(begun, freed));
}

TEST(NoLostWakeup, CountsEverySleeperAndEverySleep) {
  HistoryBuilder h = sleeping();
  h.asks(kC).sleeps(kC).at(4s).releases(kA).at(6s).wakes(kB).sleeps(kB).at(8s).wakes(kB);
  h.wakes(kC);
  EXPECT_EQ(judged(h).count, 3U);
}

// The one that began last has not overslept when the lock is taken; the one before it has.
TEST(NoLostWakeup, TellsSleepersOfOneLockApart) {
  HistoryBuilder h = sleeping();
  const auto begun = h.last();
  h.at(4s).lets_go(kA).removes(kA, kA);
  const auto freed = h.last();
  h.asks(kC).at(5s).sleeps(kC).at(6s).acquires(client(4, 4)).at(9s).wakes(kB).wakes(kC);
  EXPECT_THAT(judged(h), IsViolatedBy(begun, freed));
}

TEST(NoLostWakeup, JudgesEachLockByItself) {
  const Who other = client(3, 3, 1);
  HistoryBuilder h = sleeping();
  h.at(2s).acquires(other).at(3s).releases(other).at(30s).wakes(kB);
  EXPECT_THAT(judged(h), Holds());
}

TEST(NoLostWakeup, TakesALockForFreeWhenAQuorumIsToBeHad) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA, 0).creates(kA, 1).believes(kA).asks(kB).sleeps(kB);
  h.at(5s);
  EXPECT_THAT(judged(h, kTwoOfThree), Holds());
  h.lets_go(kA).removes(kA, kA, 1).at(9s).wakes(kB);
  EXPECT_EQ(judged(h, kTwoOfThree).count, 1U);
}

// Two servers of one group have one entry between them.
TEST(NoLostWakeup, CountsCopiesOfOneGroupOnce) {
  Context pairs = kTwoOfThree;
  pairs.group_of = {0, 1, 2, 0, 1, 2};
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA, 0).promotes(kA, 3);
  const Who waiter = client(9, 2);
  h.asks(waiter).sleeps(waiter).at(9s).wakes(waiter);
  EXPECT_EQ(judged(h, pairs).count, 1U);
  HistoryBuilder still_there;
  still_there.at(0s).asks(kA).creates(kA, 0).promotes(kA, 3).creates(kA, 1);
  still_there.goes(kA, history::Cause::failover, 0)
      .asks(waiter)
      .sleeps(waiter)
      .at(9s)
      .wakes(waiter);
  EXPECT_THAT(judged(still_there, pairs), Holds());
}

TEST(NoLostWakeup, SeesNoMutexInsideAClient) {
  Context clients_first = kBound;
  clients_first.first_server = 5;
  HistoryBuilder h;
  h.at(0s).asks(kA).locks_at_home(kA).asks(kB).sleeps(kB).at(3s).wakes(kB);
  EXPECT_EQ(judged(h, clients_first).count, 1U);
}

TEST(NoLostWakeup, HoldsNoAlgorithmToABoundThatItDoesNotDeclare) {
  HistoryBuilder h = sleeping();
  h.at(4s).releases(kA).at(60s).horizon();
  EXPECT_THAT(judged(h, {}), Holds());
}

// Nobody can take a lock from a server that is down.
TEST(NoLostWakeup, TakesALockWhoseServerIsDownForNoFreeOne) {
  const auto sleeps_beside = [](bool crashes) {
    HistoryBuilder h;
    h.at(0s).asks(kA).sleeps(kA);
    if (crashes) h.at(500ms).crashes(HistoryBuilder::kServer);
    h.at(30s).horizon();
    return h;
  };
  Context context = kBound;
  context.first_server = HistoryBuilder::kServer;
  EXPECT_EQ(judged(sleeps_beside(false), context).count, 1U);
  EXPECT_THAT(judged(sleeps_beside(true), context), Holds());
}

}  // namespace
}  // namespace picklock::properties
