// For each property a history that violates it and no other: none is a consequence of another.
#include "testing/judging.h"

namespace picklock::properties {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Who kA = client(11, 1);
constexpr Who kB = client(12, 2);
constexpr Context kBound{.acquire_bound = 1s, .wakeup_bound = 1s};

TEST(Independence, ACleanHistoryViolatesNothing) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).at(1s).writes(kA).at(2s).releases(kA).creates(kB).believes(kB);
  h.at(3s).writes(kB).at(4s).releases(kB).at(60s).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), IsEmpty());
}

TEST(Independence, MutualExclusionAlone) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(10s).expires(kA).acquires(kB).at(11s).learns_of_loss(kA);
  h.at(12s).releases(kB).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("mutual-exclusion"));
}

// The middle operation is the newer tenure's and the return to the resource a read, so nothing
// stale is written.
TEST(Independence, ResourceExclusionAlone) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).writes(kA).at(1s).releases(kA).acquires(kB).at(2s).writes(kB).reads(kA);
  h.at(3s).releases(kB).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("resource-exclusion"));
}

// docs/facts/failures.md B-02.
TEST(Independence, NoStaleWriteAlone) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).releases(kA).acquires(kB).at(2s).writes(kB).releases(kB);
  h.at(12s).writes(kA).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("no-stale-write"));
}

// The update is based on what an earlier tenure of the same client has read.
TEST(Independence, NoLostUpdateAlone) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).reads(kA).version(1).at(1s).releases(kA).acquires(kB).writes(kB).version(2);
  const Who again = client(11, 3);
  h.at(2s).releases(kB).acquires(again).writes(again).version(3, 1).releases(again).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("no-lost-update"));
}

TEST(Independence, NoHolderRefusedAlone) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).write_is_rejected(kA).at(2s).releases(kA).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("no-holder-refused"));
}

TEST(Independence, OwnReleaseAlone) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).lets_go(kA).at(10s).expires(kA).acquires(kB);
  h.at(11s).removes(kA, kB).at(12s).learns_of_loss(kB).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("own-release"));
}

TEST(Independence, BalancedHoldsAlone) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).holding(1).renews(kA).holding(2).believes(kA);
  h.at(1s).releases(kA).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("balanced-holds"));
}

TEST(Independence, LossNoticedAlone) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(10s).expires(kA).at(12s).lets_go(kA).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("loss-noticed"));
}

TEST(Independence, NotStuckAlone) {
  HistoryBuilder h;
  h.at(0s)
      .asks(kA)
      .creates_for_ever(kA)
      .believes(kA)
      .asks(kB)
      .at(1s)
      .fault()
      .crashes(11)
      .fault_over();
  h.at(60s).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("not-stuck"));
}

TEST(Independence, NoDeadlockAlone) {
  HistoryBuilder h;
  h.at(0s).acquires(client(11, 1)).at(1s).asks(client(11, 2)).at(5s).is_refused(client(11, 2));
  h.releases(client(11, 1)).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("no-deadlock"));
}

TEST(Independence, NoLostWakeupAlone) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).sleeps(kB).at(1s).releases(kA).at(3s).wakes(kB);
  h.creates(kB).believes(kB).releases(kB).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("no-lost-wakeup"));
}

TEST(Independence, BoundedWakeupsAlone) {
  const Who c = client(13, 3);
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).asks(c).sleeps(kB).sleeps(c).at(1s).releases(kA);
  h.wakes(kB, kA).wakes(c, kA).creates(kB).believes(kB).releases(kB);
  h.creates(c).believes(c).releases(c).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("bounded-wakeups"));
}

TEST(Independence, FairOrderAlone) {
  Context strict = kBound;
  strict.overtakes = 0;
  HistoryBuilder h;
  h.at(0s).asks(kA).asks(kB).queues(kA).queues(kB).creates(kB).believes(kB).releases(kB);
  h.creates(kA).believes(kA).releases(kA).horizon();
  EXPECT_THAT(violated_in(h.history, strict), ElementsAre("fair-order"));
}

TEST(Independence, AvailableAlone) {
  HistoryBuilder h;
  h.at(0s).acquires(kB).releases(kB).asks(kA).at(5s).is_refused(kA).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("available"));
}

TEST(Independence, ProgressAlone) {
  HistoryBuilder h;
  h.at(0s).acquires(kB).at(4s).releases(kB).asks(kA).at(60s).horizon();
  EXPECT_THAT(violated_in(h.history, kBound), ElementsAre("progress"));
}

// docs/facts/failures.md A-16: a frightening story in which one server that remembers is enough.
TEST(Independence, AmnesiaOfAllButOneOfAllServersViolatesNothing) {
  const Context all{.quorum = 3, .servers = 3};
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA, 0).creates(kA, 1).creates(kA, 2).believes(kA).at(1s).fault();
  h.crashes(0).goes(kA, history::Cause::restart, 0).starts(0).fault_over().at(2s).asks(kB);
  h.creates(kB, 0).at(3s).removes(kB, kB, 0).is_refused(kB).learns_of_loss(kA).at(60s).horizon();
  EXPECT_THAT(violated_in(h.history, all), IsEmpty());
}

}  // namespace
}  // namespace picklock::properties
