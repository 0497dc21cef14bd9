#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(11, 1);
constexpr Who kB = client(12, 2);
constexpr Context kOne{.acquire_bound = 1s};
constexpr Context kThree{.quorum = 2, .servers = 3, .acquire_bound = 1s};

Verdict judged(const HistoryBuilder& built, const Context& context = kOne) {
  return verdict_of(Property::available, built.history, context);
}

TEST(Available, HoldsWhenTheLockWasTakenAllTheTime) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).asks(kB).at(9s).is_refused(kB).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(Available, CatchesARefusalOfAFreeLock) {
  HistoryBuilder h;
  h.at(0s).asks(kA).at(1s).is_refused(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(1U, 0U));
}

TEST(Available, CatchesAnUnknownOutcomeOverALockThatWasFreeForAWhile) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).asks(kB);
  const auto invoked = h.last();
  h.at(2s).releases(kA).at(4s).acquires(client(13, 3)).at(5s).cannot_know(kB);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), invoked));
}

TEST(Available, CatchesARefusalThoughAQuorumIsUpAndFree) {
  HistoryBuilder h;
  h.at(0s).crashes(2).asks(kA).at(3s).is_refused(kA);
  EXPECT_THAT(judged(h, kThree), IsViolatedBy(2U, 1U));
}

TEST(Available, LetsAQuorumLockBeRefusedWhenTooManyServersAreDown) {
  HistoryBuilder h;
  h.at(0s).crashes(1).crashes(2).asks(kA).at(3s).is_refused(kA).horizon();
  EXPECT_THAT(judged(h, kThree), Holds());
}

TEST(Available, WantsTheSameServersThroughoutTheBound) {
  HistoryBuilder h;
  h.at(0s).crashes(1).asks(kA).at(900ms).starts(1).crashes(2).at(1800ms).is_refused(kA);
  EXPECT_THAT(judged(h, kThree), Holds());
}

TEST(Available, CountsAServerThatIsFreeOfTheKeyOnly) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA, 0).creates(kA, 1).believes(kA).at(1s).asks(kB);
  h.at(9s).is_refused(kB).horizon();
  EXPECT_THAT(judged(h, kThree), Holds());
}

TEST(Available, LetsAnAcquireGiveUpBeforeTheBound) {
  HistoryBuilder h;
  h.at(0s).asks(kA).at(999ms).is_refused(kA).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(Available, LetsTheLockBeFreeForLessThanTheBound) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).at(5s).releases(kA).at(5900ms).acquires(client(13, 3));
  h.at(9s).is_refused(kB).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(Available, ExcusesTheTimeOfAnyFaultAndNoMore) {
  HistoryBuilder during;
  during.at(0s).asks(kA).fault().at(5s).fault_over().at(5900ms).is_refused(kA).horizon();
  EXPECT_THAT(judged(during), Holds());
  HistoryBuilder after;
  after.at(0s).asks(kA).fault().at(5s).fault_over().at(6s).is_refused(kA).horizon();
  EXPECT_EQ(judged(after).count, 1U);
  HistoryBuilder before;
  before.at(0s).asks(kA).at(1s).fault().at(5s).is_refused(kA).horizon();
  EXPECT_EQ(judged(before).count, 1U);
}

// The answer to a command that was sent before the end of the fault may never come.
TEST(Available, LeavesAnAcquireThatAFaultHasStruckTheTimeToMissItsAnswer) {
  constexpr Context kPatient{.acquire_bound = 1s, .answer_within = 3s};
  const auto refused_after = [&](sim::Duration since, sim::Duration asked) {
    HistoryBuilder h;
    h.at(0s);
    if (asked == 0s) h.asks(kA);
    h.fault().at(5s).fault_over();
    if (asked > 0s) h.at(asked).asks(kA);
    return judged(h.at(5s + since).is_refused(kA).horizon(), kPatient).count;
  };
  EXPECT_EQ(refused_after(3900ms, 0s), 0U);
  EXPECT_EQ(refused_after(4s, 0s), 1U);
  EXPECT_EQ(refused_after(1500ms, 5500ms), 1U) << "it has sent nothing before the fault was over";
  HistoryBuilder calm;
  calm.at(0s).asks(kA).at(1s).is_refused(kA).horizon();
  EXPECT_EQ(judged(calm, kPatient).count, 1U) << "no fault has struck";
}

// The replica has taken over, and the first primary is up again without the entry.
TEST(Available, TakesALockForHeldWhileAnyServerOfAGroupHasItsEntry) {
  const Context pair{.group_of = {0, 9, 9, 9, 0}, .acquire_bound = 1s};
  HistoryBuilder h;
  h.at(0s).acquires(kB).promotes(kB, 4).asks(kA).goes(kB, history::Cause::failover);
  EXPECT_THAT(judged(HistoryBuilder(h).at(5s).is_refused(kA).horizon(), pair), Holds());
  h.at(1s).goes(kB, history::Cause::expiry, 4);
  EXPECT_EQ(judged(h.at(5s).is_refused(kA).horizon(), pair).count, 1U);
}

TEST(Available, ExcusesALinkThatIsCutInEitherDirection) {
  const auto cut = [](sim::ProcessId from, sim::ProcessId to) {
    HistoryBuilder h;
    h.at(0s).cuts(from, to).asks(kA).at(5s).is_refused(kA).horizon();
    return judged(h);
  };
  EXPECT_THAT(cut(kA.process, HistoryBuilder::kServer), Holds());
  EXPECT_THAT(cut(HistoryBuilder::kServer, kA.process), Holds());
  EXPECT_EQ(cut(kB.process, HistoryBuilder::kServer).count, 1U);
}

TEST(Available, CountsFromTheHealingOfBothDirections) {
  HistoryBuilder h;
  h.at(0s).cuts(11, 0).cuts(0, 11).asks(kA).at(1s).heals(11, 0).at(3s).heals(0, 11);
  EXPECT_THAT(judged(HistoryBuilder(h).at(3900ms).is_refused(kA)), Holds());
  EXPECT_EQ(judged(h.at(4s).is_refused(kA)).count, 1U);
}

TEST(Available, CatchesAServerThatLetsOneWaitAndThenRefusesWhatIsFree) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).at(9s).releases(kA);
  h.history.push_back({.at = h.history.back().at,
                       .what = history::What::refused_free,
                       .thread = kB.thread,
                       .tenure = kB.tenure});
  const auto refusal = static_cast<std::uint32_t>(h.history.size() - 1);
  h.acquires(kB).horizon();
  EXPECT_THAT(judged(h), IsViolatedBy(refusal, refusal));
}

TEST(Available, JudgesNothingWithoutABound) {
  HistoryBuilder h;
  h.at(0s).asks(kA).at(99s).is_refused(kA).horizon();
  EXPECT_THAT(judged(h, Context{}), Holds());
}

TEST(Available, LetsAGrantedAcquireTakeItsTime) {
  HistoryBuilder h;
  h.at(0s).asks(kA).at(99s).creates(kA).believes(kA).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(Available, RemembersAChanceThatWasCutOff) {
  HistoryBuilder h;
  h.at(0s).asks(kA).at(2s).cuts(kA.process, HistoryBuilder::kServer).at(9s).is_refused(kA);
  EXPECT_EQ(judged(h).count, 1U);
}

TEST(Available, LetsAClientGiveUpByItself) {
  HistoryBuilder h;
  h.at(0s).asks(kA).at(9s).is_refused(kA).horizon();
  EXPECT_EQ(judged(h).count, 1U);
  h.history[1].cause = history::Cause::interrupt;
  EXPECT_THAT(judged(h), Holds());
}

}  // namespace
}  // namespace picklock::properties
