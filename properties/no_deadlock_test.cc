#include "testing/judging.h"

namespace picklock::properties {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;

constexpr history::KeyId kX = 0;
constexpr history::KeyId kY = 1;
constexpr history::KeyId kZ = 2;

Verdict judged(const HistoryBuilder& built, const Context& context = {}) {
  return verdict_of(Property::no_deadlock, built.history, context);
}

TEST(NoDeadlock, HoldsWhenLocksAreTakenInOneOrder) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1, kX)).asks(client(2, 2, kX)).acquires(client(1, 3, kY));
  h.releases(client(1, 3, kY)).releases(client(1, 1, kX)).creates(client(2, 2, kX));
  h.believes(client(2, 2, kX)).acquires(client(2, 4, kY)).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(NoDeadlock, CatchesTwoThreadsThatWaitForEachOther) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1, kX)).acquires(client(2, 2, kY));
  h.at(1s).asks(client(1, 3, kY)).at(2s).asks(client(2, 4, kX)).horizon();
  const Verdict verdict = judged(h);
  EXPECT_EQ(verdict.count, 1U);
  EXPECT_THAT(verdict.witnesses, ElementsAre(FieldsAre(6U, 4U), FieldsAre(7U, 1U)));
}

TEST(NoDeadlock, CatchesARingOfThree) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1, kX)).acquires(client(2, 2, kY)).acquires(client(3, 3, kZ));
  h.asks(client(1, 4, kY)).asks(client(3, 5, kX)).asks(client(2, 6, kZ)).horizon();
  const Verdict verdict = judged(h);
  EXPECT_EQ(verdict.count, 1U);
  EXPECT_EQ(verdict.witnesses.size(), 3U);
}

// docs/facts/failures.md A-06.
TEST(NoDeadlock, CatchesAThreadThatWaitsForItself) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1)).at(1s).asks(client(1, 2)).horizon();
  const Verdict verdict = judged(h);
  EXPECT_EQ(verdict.count, 1U);
  EXPECT_THAT(verdict.witnesses, ElementsAre(FieldsAre(3U, 1U)));
}

TEST(NoDeadlock, CatchesACycleThatALateGrantCloses) {
  const Context context{.quorum = 2, .servers = 3};
  const Who outer = client(1, 1, kX);
  HistoryBuilder h;
  h.at(0s).asks(outer).creates(outer, 0).believes(outer);
  h.asks(client(2, 2, kY)).creates(client(2, 2, kY), 0).creates(client(2, 2, kY), 1);
  h.believes(client(2, 2, kY)).asks(client(1, 3, kY)).asks(client(2, 4, kX));
  EXPECT_THAT(judged(h, context), Holds());
  h.creates(outer, 1);
  EXPECT_EQ(judged(h, context).count, 1U);
}

TEST(NoDeadlock, GoesByBeliefWhereNoServerReportsAnEntry) {
  HistoryBuilder h;
  h.at(0s).asks(client(1, 1, kX)).believes(client(1, 1, kX));
  h.asks(client(2, 2, kY)).believes(client(2, 2, kY));
  h.asks(client(1, 3, kY)).asks(client(2, 4, kX)).horizon();
  EXPECT_THAT(judged(h).witnesses, ElementsAre(FieldsAre(4U, 3U), FieldsAre(5U, 1U)));
}

TEST(NoDeadlock, LetsANestedAcquireOfOneTenureBe) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1)).asks(client(1, 1)).believes(client(1, 1)).horizon();
  EXPECT_THAT(judged(h), Holds());
}

constexpr Context kBound{.acquire_bound = 1s};

// docs/facts/failures.md A-06.
TEST(NoDeadlock, CatchesANestedAcquireThatItsOwnTenureStandsInTheWayOf) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1)).at(1s).asks(client(1, 1)).at(10s).expires(client(1, 1));
  h.creates(client(1, 1)).believes(client(1, 1)).horizon();
  const Verdict verdict = judged(h, kBound);
  EXPECT_EQ(verdict.count, 1U);
  EXPECT_THAT(verdict.witnesses, ElementsAre(FieldsAre(3U, 1U)));
}

TEST(NoDeadlock, CatchesANestedAcquireThatIsGivenUp) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1)).asks(client(1, 1)).at(2s).is_refused(client(1, 1)).horizon();
  EXPECT_EQ(judged(h, kBound).count, 1U);
}

TEST(NoDeadlock, CatchesANestedAcquireThatWaitsToTheEnd) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1)).asks(client(1, 1)).at(60s).horizon();
  EXPECT_EQ(judged(h, kBound).count, 1U);
}

TEST(NoDeadlock, GivesANestedAcquireItsBound) {
  HistoryBuilder h;
  h.at(0s).acquires(client(1, 1)).asks(client(1, 1)).at(999ms).believes(client(1, 1));
  EXPECT_THAT(judged(h.horizon(), kBound), Holds());
}

TEST(NoDeadlock, ExcusesANestedAcquireWhileAnythingDisturbs) {
  const auto disturbed_by = [](auto disturb) {
    HistoryBuilder h;
    h.at(0s).acquires(client(1, 1)).at(1s).asks(client(1, 1)).at(1500ms);
    disturb(h);
    h.at(10s).expires(client(1, 1)).creates(client(1, 1)).believes(client(1, 1)).horizon();
    return judged(h, kBound);
  };
  EXPECT_THAT(disturbed_by([](auto& h) { h.fault(); }), Holds());
  EXPECT_THAT(disturbed_by([](auto& h) { h.crashes(0); }), Holds());
  EXPECT_THAT(disturbed_by([](auto& h) { h.cuts(1, 0); }), Holds());
  EXPECT_THAT(disturbed_by([](auto& h) { h.learns_of_loss(client(1, 1)); }), Holds());
  EXPECT_THAT(disturbed_by([](auto& h) { h.cuts(1, 9); }), testing::Not(Holds()));
}

TEST(NoDeadlock, LetsTwoThreadsOfOneProcessWaitForEachOthersLockInTurn) {
  const Who first{.tenure = 1, .process = 1, .thread = 1};
  const Who second{.tenure = 2, .process = 1, .thread = 2};
  HistoryBuilder h;
  h.at(0s).acquires(first).asks(second).at(1s).releases(first).creates(second).believes(second);
  EXPECT_THAT(judged(h.horizon()), Holds());
}

TEST(NoDeadlock, LetsAThreadWaitForTheRestOfItsOwnOrphansLease) {
  HistoryBuilder unknown;
  unknown.at(0s).asks(client(1, 1)).creates(client(1, 1)).cannot_know(client(1, 1));
  unknown.asks(client(1, 2)).horizon();
  EXPECT_THAT(judged(unknown), Holds());
  HistoryBuilder released;
  released.at(0s).acquires(client(1, 1, kX)).acquires(client(1, 2, kY));
  released.lets_go(client(1, 2, kY)).asks(client(1, 3, kY)).horizon();
  EXPECT_THAT(judged(released), Holds());
}

TEST(NoDeadlock, LetsAWaitEndBeforeTheCycleCloses) {
  const auto ended_by = [](auto end) {
    HistoryBuilder h;
    h.at(0s).acquires(client(1, 1, kX)).acquires(client(2, 2, kY)).asks(client(1, 3, kY));
    end(h);
    h.asks(client(2, 4, kX)).horizon();
    return judged(h);
  };
  EXPECT_THAT(ended_by([](auto& h) { h.is_refused(client(1, 3, kY)); }), Holds());
  EXPECT_THAT(ended_by([](auto& h) { h.cannot_know(client(1, 3, kY)); }), Holds());
  EXPECT_THAT(ended_by([](auto& h) { h.crashes(1); }), Holds());
  EXPECT_THAT(ended_by([](auto& h) { h.thread_ends(client(1, 0)); }), Holds());
  EXPECT_THAT(ended_by([](auto& h) { h.expires(client(1, 1, kX)); }), Holds());
  EXPECT_THAT(ended_by([](auto& h) { h.expires(client(2, 2, kY)); }), Holds());
}

TEST(NoDeadlock, TellsACircleThatTheServerHasBrokenByItsVictim) {
  HistoryBuilder h;
  h.at(0s).asks(client(1, 1, kX)).asks(client(2, 2, kX));
  h.history.push_back(
      {.at = h.history.back().at, .what = history::What::deadlock_broken, .tenure = 2});
  h.is_refused(client(2, 2, kX)).horizon();
  EXPECT_THAT(judged(h), testing::Not(Holds()));
}

TEST(NoDeadlock, TakesALockWithoutItsQuorumForFree) {
  const Context context{.quorum = 2, .servers = 3};
  HistoryBuilder h;
  const Who outer = client(1, 1, kX);
  const Who other = client(2, 2, kY);
  h.at(0s).asks(outer).creates(outer, 0).creates(outer, 1).believes(outer);
  h.asks(other).creates(other, 0).creates(other, 1).believes(other);
  h.asks(client(1, 3, kY)).at(1s).expires(outer, 1).asks(client(2, 4, kX)).horizon();
  EXPECT_THAT(judged(h, context), Holds());
}

// client-1 waits for itself, and then takes another lock for which client-2 waits.
TEST(NoDeadlock, CountsACycleOnceThoughItsThreadComesToHoldMore) {
  const Who one = client(11, 1, 0);
  const Who two = client(11, 2, 1);
  HistoryBuilder h;
  h.at(0s).acquires(one).removes(one, one).acquires(two).asks(client(11, 3, 1));
  h.asks(client(12, 4, 0)).creates(one);
  EXPECT_EQ(verdict_of(Property::no_deadlock, h.history).count, 1U);
}

}  // namespace
}  // namespace picklock::properties
