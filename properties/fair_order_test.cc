#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(1, 1);
constexpr Who kB = client(2, 2);
constexpr Who kC = client(3, 3);
constexpr Context kStrict{.overtakes = 0};

Verdict judged(const HistoryBuilder& built, const Context& context = kStrict) {
  return verdict_of(Property::fair_order, built.history, context);
}

TEST(FairOrder, HoldsWhenTheyAreServedAsTheyCame) {
  HistoryBuilder h;
  h.at(0s).asks(kA).asks(kB).queues(kB).queues(kA).believes(kB).lets_go(kB).believes(kA);
  EXPECT_THAT(judged(h), Holds());
}

// docs/facts/failures.md D-11.
TEST(FairOrder, CatchesOneWhoComesLaterAndIsServedBefore) {
  HistoryBuilder h;
  h.at(0s).asks(kA).queues(kA);
  const auto queued = h.last();
  h.asks(kB).queues(kB).believes(kB);
  const auto believed = h.last();
  h.lets_go(kB).believes(kA);
  EXPECT_THAT(judged(h), IsViolatedBy(believed, queued));
}

TEST(FairOrder, CountsFromTheServersOrderAndNotFromTheClients) {
  HistoryBuilder h;
  h.at(0s).asks(kA).asks(kB).queues(kB).queues(kA).believes(kA);
  EXPECT_EQ(judged(h).count, 1U);
}

// A server that does not know a script executes nothing: the request is sent again with the script.
TEST(FairOrder, CountsFromTheFirstRequestThatWasNotAnsweredWithAnError) {
  HistoryBuilder h;
  h.at(0s).asks(kA).asks(kB).queues(kA).queues(kB).queues(kB).queues(kA).believes(kB);
  EXPECT_THAT(judged(h), Holds());
}

TEST(FairOrder, AllowsAsManyAsAreDeclared) {
  HistoryBuilder h;
  h.at(0s).asks(kA).queues(kA);
  const auto queued = h.last();
  const auto overtake = [&h](history::TenureId tenure) {
    const Who other = client(5, tenure);
    h.asks(other).queues(other).believes(other);
    const auto believed = h.last();
    h.lets_go(other);
    return believed;
  };
  overtake(10);
  overtake(11);
  EXPECT_THAT(judged(h, {.overtakes = 2}), Holds());
  const auto third = overtake(12);
  overtake(13);
  EXPECT_THAT(judged(h, {.overtakes = 2}), IsViolatedBy(third, queued));
}

TEST(FairOrder, LetsOneThatGaveUpBeOvertaken) {
  HistoryBuilder refused;
  refused.at(0s).asks(kA).queues(kA).asks(kB).queues(kB).is_refused(kA).believes(kB);
  EXPECT_THAT(judged(refused), Holds());
  HistoryBuilder unknown;
  unknown.at(0s).asks(kA).queues(kA).asks(kB).queues(kB).cannot_know(kA).believes(kB);
  EXPECT_THAT(judged(unknown), Holds());
}

TEST(FairOrder, LetsTheDeadBeOvertaken) {
  HistoryBuilder h;
  h.at(0s).asks(kA).queues(kA).asks(kB).queues(kB).crashes(1).believes(kB);
  EXPECT_THAT(judged(h), Holds());
}

TEST(FairOrder, CatchesOneOvertakenBeforeItGaveUp) {
  HistoryBuilder h;
  h.at(0s).asks(kA).queues(kA).asks(kB).queues(kB).believes(kB).is_refused(kA);
  EXPECT_EQ(judged(h).count, 1U);
}

// A request that arrives when its client has long given up makes nobody wait.
TEST(FairOrder, LetsALateRequestBeOvertaken) {
  HistoryBuilder h;
  h.at(0s).asks(kA).cannot_know(kA).queues(kA).asks(kB).queues(kB).believes(kB);
  EXPECT_THAT(judged(h), Holds());
}

TEST(FairOrder, CountsOneWhoReentersOnce) {
  HistoryBuilder h;
  h.at(0s).asks(kA).queues(kA).asks(kB).queues(kB).believes(kB).asks(kB).believes(kB);
  EXPECT_THAT(judged(h, {.overtakes = 1}), Holds());
}

TEST(FairOrder, TellsTheLocksApart) {
  const Who other = client(3, 3, 1);
  HistoryBuilder h;
  h.at(0s).asks(kA).queues(kA).asks(other).queues(other).believes(other);
  EXPECT_THAT(judged(h), Holds());
}

TEST(FairOrder, SaysNothingOfThoseWhoNeverQueued) {
  HistoryBuilder h;
  h.at(0s).asks(kA).asks(kB).queues(kB).asks(kC).believes(kC).queues(kA).believes(kA);
  EXPECT_EQ(judged(h).count, 1U);
}

// Served from the tail, all but the last seventeen waiters are overtaken too often. A judge that
// compared all pairs would take far too long.
TEST(FairOrder, JudgesALongQueueThatIsServedFromItsTail) {
  constexpr history::TenureId kMany = 100'000;
  HistoryBuilder h;
  h.at(0s);
  for (history::TenureId id = 1; id <= kMany; ++id) h.asks(client(1, id)).queues(client(1, id));
  for (history::TenureId id = kMany; id > 0; --id) h.believes(client(1, id)).lets_go(client(1, id));
  EXPECT_EQ(judged(h, {}).count, kMany - 17);
}

}  // namespace
}  // namespace picklock::properties
