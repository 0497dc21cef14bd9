#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(1, 1);
constexpr Who kB = client(2, 2);
constexpr Who kC = client(3, 3);
constexpr Who kD = client(4, 4);

Verdict judged(const HistoryBuilder& built, const Context& context = {}) {
  return verdict_of(Property::bounded_wakeups, built.history, context);
}

// client-1 holds, and three sleep.
HistoryBuilder sleeping() {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).asks(kC).asks(kD).at(1s).sleeps(kB).sleeps(kC).sleeps(kD);
  return h;
}

TEST(BoundedWakeups, HoldsWhenEachReleaseWakesOne) {
  HistoryBuilder h = sleeping();
  h.at(2s).releases(kA).wakes(kB, kA).creates(kB).believes(kB);
  h.at(3s).releases(kB).wakes(kC, kB).creates(kC).believes(kC);
  EXPECT_THAT(judged(h), Holds());
}

// docs/facts/failures.md D-01.
TEST(BoundedWakeups, CatchesAReleaseThatWakesTheHerd) {
  HistoryBuilder h = sleeping();
  h.at(2s).lets_go(kA);
  const auto release = h.last();
  h.removes(kA, kA).wakes(kB, kA).wakes(kC, kA);
  const auto second = h.last();
  h.wakes(kD, kA);
  EXPECT_THAT(judged(h), IsViolatedBy(second, release));
}

TEST(BoundedWakeups, NamesTheFirstOneWokenWhereNoBeliefEnded) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).asks(kB).asks(kC).sleeps(kB).sleeps(kC).expires(kA).wakes(kB, kA);
  const auto first = h.last();
  h.wakes(kC, kA);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), first));
}

TEST(BoundedWakeups, CountsAllThatOneTenureCausesHoweverLate) {
  HistoryBuilder h = sleeping();
  h.at(2s).releases(kA).wakes(kB, kA).at(40s).wakes(kC, kA);
  EXPECT_EQ(judged(h).count, 1U);
}

TEST(BoundedWakeups, CountsNobodyWhoWokeByItself) {
  HistoryBuilder h = sleeping();
  h.at(2s).releases(kA).wakes(kB, kA).wakes(kC).wakes(kD);
  EXPECT_THAT(judged(h), Holds());
}

TEST(BoundedWakeups, TellsTheLocksApart) {
  HistoryBuilder h = sleeping();
  const Who other = client(5, 5, 1);
  h.asks(other).sleeps(other).at(2s).releases(kA).wakes(kB, kA).wakes(other, kA);
  EXPECT_THAT(judged(h), Holds());
}

TEST(BoundedWakeups, AllowsAsManyAsAreDeclared) {
  HistoryBuilder h = sleeping();
  h.at(2s).releases(kA).wakes(kB, kA).wakes(kC, kA);
  EXPECT_THAT(judged(h, {.wakeups = 2}), Holds());
  h.wakes(kD, kA);
  EXPECT_EQ(judged(h, {.wakeups = 2}).witnesses.at(0).event, h.last());
}

TEST(BoundedWakeups, CountsEveryTenureThatWakesTooMany) {
  HistoryBuilder h = sleeping();
  h.at(2s).releases(kA).wakes(kB, kA).wakes(kC, kA).sleeps(kC).creates(kB).believes(kB);
  h.at(3s).releases(kB).wakes(kC, kB).wakes(kD, kB);
  EXPECT_EQ(judged(h).count, 2U);
}

}  // namespace
}  // namespace picklock::properties
