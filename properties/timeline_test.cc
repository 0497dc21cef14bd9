#include "properties/timeline.h"

#include <gmock/gmock.h>

#include "testing/history_builder.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(1, 1);
constexpr Who kB = client(2, 2);

// Three primaries, each with a replica: 0 and 4, 5 and 6, 7 and 8.
const Context kThreePairs{.quorum = 2, .servers = 3, .group_of = {0, 9, 9, 9, 0, 1, 1, 2, 2}};
const Context kAlone{.quorum = 2, .servers = 3};

Timeline timeline_of(const HistoryBuilder& built, const Context& context) {
  Timeline timeline;
  timeline.read(built.history, context);
  return timeline;
}

std::uint32_t entries_of(const HistoryBuilder& built, const Context& context) {
  return timeline_of(built, context).tenure(kA.tenure).entries;
}

TEST(Timeline, CountsEntriesOnServersThatStandAloneOneByOne) {
  HistoryBuilder h;
  h.asks(kA).creates(kA, 0).creates(kA, 4);
  EXPECT_EQ(entries_of(h, kAlone), 2U);
}

TEST(Timeline, CountsCopiesOfOneGroupOnce) {
  HistoryBuilder h;
  h.asks(kA).creates(kA, 0).promotes(kA, 4);
  EXPECT_EQ(entries_of(h, kThreePairs), 1U);
  h.creates(kA, 5);
  EXPECT_EQ(entries_of(h, kThreePairs), 2U);
}

TEST(Timeline, CountsAnEntryUntilItsLastCopyIsGone) {
  HistoryBuilder h;
  h.asks(kA).creates(kA, 0).promotes(kA, 4).goes(kA, history::Cause::failover);
  EXPECT_EQ(entries_of(h, kThreePairs), 1U);
  EXPECT_EQ(timeline_of(h, kThreePairs).entries().back().left, 1U);
  h.expires(kA, 4);
  EXPECT_EQ(entries_of(h, kThreePairs), 0U);
  EXPECT_EQ(timeline_of(h, kThreePairs).entries().back().left, 0U);
}

TEST(Timeline, CountsNoCopyOfAnotherTenuresEntry) {
  HistoryBuilder h;
  h.asks(kA).asks(kB).creates(kA, 0).promotes(kB, 4);
  const Timeline timeline = timeline_of(h, kThreePairs);
  EXPECT_EQ(timeline.tenure(kA.tenure).entries, 1U);
  EXPECT_EQ(timeline.tenure(kB.tenure).entries, 1U);
}

// A copy that another tenure takes over is no longer a copy.
TEST(Timeline, CountsOnWhatIsLeftWhenACopyChangesHands) {
  HistoryBuilder h;
  h.asks(kA).asks(kB).creates(kA, 0).promotes(kA, 4).alters(kB, kA, 4);
  const Timeline timeline = timeline_of(h, kThreePairs);
  EXPECT_EQ(timeline.tenure(kA.tenure).entries, 1U);
  EXPECT_EQ(timeline.tenure(kB.tenure).entries, 1U);
}

TEST(Timeline, NumbersTheServersOfOneGroupAlike) {
  HistoryBuilder h;
  h.asks(kA).creates(kA, 0).creates(kA, 5).promotes(kA, 4).creates(kA, 7);
  const Timeline timeline = timeline_of(h, kThreePairs);
  std::vector<std::uint32_t> numbers;
  for (const Slot* slot = timeline.first_slot(kA.key); slot != nullptr;
       slot = timeline.next_slot(*slot))
    numbers.push_back(slot->number);
  EXPECT_THAT(numbers, testing::ElementsAre(0U, 1U, 0U, 2U));
  EXPECT_EQ(timeline.tenure(kA.tenure).granted_by, 0b111U);
}

TEST(Timeline, TakesAQuorumOfGroupsForAGrant) {
  HistoryBuilder h;
  h.asks(kA).creates(kA, 0).promotes(kA, 4);
  EXPECT_EQ(timeline_of(h, kThreePairs).tenure(kA.tenure).granted, kNone);
  h.creates(kA, 6);
  EXPECT_EQ(timeline_of(h, kThreePairs).tenure(kA.tenure).granted, h.last());
}

// Otherwise a holder that waits for its reply would be granted the lock a second time, later.
TEST(Timeline, TakesAPromotionForNoSecondGrant) {
  const Context pair{.group_of = {0, 9, 9, 9, 0}};
  HistoryBuilder h;
  h.asks(kA).creates(kA);
  const auto granted = h.last();
  h.at(1s).promotes(kA, 4).goes(kA, history::Cause::failover).believes(kA);
  EXPECT_EQ(timeline_of(h, pair).tenure(kA.tenure).granted, granted);
}

TEST(Timeline, CountsTheGroupsOnWhichAKeyIsOccupied) {
  HistoryBuilder h;
  h.asks(kA).creates(kA, 0).promotes(kA, 4).creates(kB, 5).renews(kA, 4);
  EXPECT_EQ(timeline_of(h, kThreePairs).entries().back().occupied, 2U);
  h.goes(kA, history::Cause::failover, 0);
  EXPECT_EQ(timeline_of(h, kThreePairs).entries().back().occupied, 2U);
  h.expires(kA, 4).expires(kA, 4);
  EXPECT_EQ(timeline_of(h, kThreePairs).entries().back().occupied, 1U);
}

TEST(Timeline, KeepsMutexesInsideClientsApart) {
  const Context clients_first{.first_server = kA.process + 1};
  HistoryBuilder h;
  h.asks(kA).locks_at_home(kA);
  const Timeline timeline = timeline_of(h, clients_first);
  EXPECT_EQ(timeline.tenure(kA.tenure).entries, 0U);
  EXPECT_EQ(timeline.first_slot(kA.key), nullptr);
  EXPECT_TRUE(timeline.entries().empty());
  ASSERT_NE(timeline.local_entry(kA.key, kA.process), nullptr);
  EXPECT_EQ(timeline.local_entry(kA.key, kA.process)->owner, kA.tenure);
  h.unlocks_at_home(kA);
  EXPECT_EQ(timeline_of(h, clients_first).local_entry(kA.key, kA.process), nullptr);
}

}  // namespace
}  // namespace picklock::properties
