#include "properties/progress.h"

#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(1, 1);
constexpr Who kB = client(2, 2);

Verdict judged(const HistoryBuilder& built) {
  return verdict_of(Property::progress, built.history, {});
}

TEST(Progress, HoldsWhenEverybodyGetsTheLock) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).at(4s).releases(kA).creates(kB).believes(kB).releases(kB);
  h.at(9s).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(Progress, IsUnknownWithoutAHorizon) {
  HistoryBuilder h;
  h.at(0s).asks(kA).at(4s).is_refused(kA);
  EXPECT_EQ(judged(h).outcome, Outcome::unknown);
}

TEST(Progress, CatchesARunInWhichNobodyGetsTheLock) {
  HistoryBuilder h;
  h.at(0s).asks(kA);
  const auto asked = h.last();
  h.at(4s).is_refused(kA).asks(kB).at(8s).cannot_know(kB).at(9s).horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), asked));
  HistoryBuilder nobody_asks;
  nobody_asks.at(9s).horizon();
  EXPECT_EQ(judged(nobody_asks).count, 1U);
}

// The lock tells each of its holders of a loss that has not happened.
TEST(Progress, CatchesALockThatCutsEveryCriticalSectionOff) {
  const auto cut_off = [](const auto& between) {
    HistoryBuilder h;
    h.at(0s).acquires(kA).at(1s);
    between(h);
    h.learns_of_loss(kA);
    return h;
  };
  HistoryBuilder h = cut_off([](HistoryBuilder&) {});
  const auto told = h.last();
  h.at(9s).horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), told));
  HistoryBuilder lost = cut_off([](HistoryBuilder& b) { b.expires(kA); });
  EXPECT_THAT(judged(lost.at(9s).horizon()), Holds()) << "the loss is real";
  HistoryBuilder struck = cut_off([](HistoryBuilder& b) { b.fault().fault_over(); });
  EXPECT_THAT(judged(struck.at(9s).horizon()), Holds()) << "a fault may have caused it";
  HistoryBuilder once = cut_off([](HistoryBuilder&) {});
  once.acquires(kB).at(5s).releases(kB).at(9s).horizon();
  EXPECT_THAT(judged(once), Holds()) << "some work is done";
}

TEST(Progress, CatchesALockOfWhichNoReleaseIsAnswered) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).lets_go(kA).cannot_know_release(kA);
  const auto unknown = h.last();
  h.at(9s).horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), unknown));
}

TEST(Progress, CatchesALockOfWhichEveryReleaseFailsAlthoughItsHolderStillHasIt) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).lets_go(kA).had_nothing(kA);
  const auto failed = h.last();
  h.at(9s).expires(kA).horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), failed));
  HistoryBuilder lost;
  lost.at(0s).acquires(kA).at(1s).expires(kA).lets_go(kA).had_nothing(kA).at(9s).horizon();
  EXPECT_THAT(judged(lost), Holds()) << "there was nothing to release";
  HistoryBuilder once = h;
  once.history.pop_back();
  once.acquires(kB).releases(kB).horizon();
  EXPECT_THAT(judged(once), Holds()) << "some work is done";
}

// A server that answers every attempt with an error, such as BUSY, has no entry of the lock.
TEST(Progress, CatchesAWaiterThatIsRefusedToTheEndOfTheRun) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB);
  const auto asked = h.last();
  h.at(4s).releases(kA).at(60s).horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(asked, h.last()));
}

TEST(Progress, LeavesAWaiterAloneWhileAClientHoldsTheLock) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).at(60s).horizon();
  EXPECT_THAT(judged(h), Holds());
}

// Nobody waits at the horizon: the outage has ended by itself.
TEST(Progress, CatchesALockThatIsIdleForAsLongAsARunWaitsForItsHorizon) {
  const Context patient{.patience = 30s};
  const auto idle_for = [](sim::Duration length) {
    HistoryBuilder h;
    h.at(0s).acquires(kA).asks(kB).at(1s).releases(kA).at(1s + length).creates(kB).believes(kB);
    h.releases(kB).at(90s).horizon();
    return h;
  };
  const HistoryBuilder longer = idle_for(31s);
  EXPECT_THAT(verdict_of(Property::progress, longer.history, patient), IsViolatedBy(7U, 3U));
  EXPECT_THAT(verdict_of(Property::progress, idle_for(30s).history, patient), Holds());
  EXPECT_THAT(judged(longer), Holds()) << "no bound was given";
}

TEST(Progress, ExcusesTheTimeOfAFault) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).at(1s).releases(kA).fault().at(50s).fault_over();
  h.at(60s).creates(kB).believes(kB).releases(kB).at(90s).horizon();
  EXPECT_THAT(verdict_of(Property::progress, h.history, {.patience = 30s}), Holds());
}

TEST(Progress, LeavesAStuckWaiterToNotStuck) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates_for_ever(kA).believes(kA).asks(kB).at(1s).crashes(kA.process);
  h.at(60s).horizon();
  EXPECT_THAT(judged(h), Holds());
  EXPECT_EQ(verdict_of(Property::not_stuck, h.history, {}).count, 1U);
}

}  // namespace
}  // namespace picklock::properties
