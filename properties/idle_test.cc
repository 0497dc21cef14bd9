#include "properties/idle.h"

#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(11, 1);
constexpr Who kB = client(12, 2);

std::vector<IdleTime> times(const HistoryBuilder& built, const Context& context = {}) {
  Timeline timeline;
  timeline.read(built.history, context);
  IdleScratch scratch;
  return idle_times({built.history, context, timeline}, scratch);
}

TEST(Idle, LastsFromTheReleaseToTheNextGrantWhileAClientWaits) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).asks(kB);
  const auto asked = h.last();
  h.at(2s).releases(kA).at(72s).creates(kB);
  const auto granted = h.last();
  h.believes(kB).at(80s).releases(kB).horizon();
  const std::vector<IdleTime> all = times(h);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].length, 70s);
  EXPECT_EQ(all[0].calm, 70s);
  EXPECT_EQ(all[0].waiter, asked);
  EXPECT_EQ(all[0].ended, granted);
  EXPECT_TRUE(all[0].over);
}

TEST(Idle, NeedsAClientThatWantsTheLock) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).releases(kA).at(50s).acquires(kB).releases(kB).at(90s).horizon();
  EXPECT_TRUE(times(h).empty());
}

TEST(Idle, EndsWhenTheLastWaiterGivesUpOrDies) {
  HistoryBuilder gives_up;
  gives_up.at(0s).asks(kA).at(5s).is_refused(kA).at(9s).horizon();
  ASSERT_EQ(times(gives_up).size(), 1U);
  EXPECT_EQ(times(gives_up)[0].length, 5s);
  HistoryBuilder dies;
  dies.at(0s).asks(kA).at(3s).crashes(kA.process).at(9s).horizon();
  ASSERT_EQ(times(dies).size(), 1U);
  EXPECT_EQ(times(dies)[0].length, 3s);
}

// Each of three clients has an entry on some of five servers: a livelock.
TEST(Idle, LastsWhileEntriesAreNoQuorum) {
  const Context five{.quorum = 3, .servers = 5};
  constexpr Who kC = client(13, 3);
  HistoryBuilder h;
  h.at(0s).asks(kA).asks(kB).asks(kC);
  for (int second = 1; second < 60; second += 2) {
    h.at(std::chrono::seconds(second)).creates(kA, 0).creates(kA, 1).creates(kB, 2).creates(kB, 3);
    h.creates(kC, 4).at(std::chrono::seconds(second + 1));
    h.removes(kA, kA, 0).removes(kA, kA, 1).removes(kB, kB, 2).removes(kB, kB, 3);
    h.removes(kC, kC, 4);
  }
  h.at(61s).creates(kA, 0).creates(kA, 1).creates(kA, 2).believes(kA).at(62s).horizon();
  ASSERT_EQ(times(h, five).size(), 1U);
  EXPECT_EQ(times(h, five)[0].length, 61s);
}

TEST(Idle, CountsAnEntryWithoutAHolderAsHad) {
  HistoryBuilder h;
  h.at(0s).asks(kA).creates(kA).cannot_know(kA).asks(kB).at(10s).expires(kA).at(11s).creates(kB);
  h.believes(kB).at(12s).horizon();
  ASSERT_EQ(times(h).size(), 1U);
  EXPECT_EQ(times(h)[0].length, 1s);
}

TEST(Idle, IsCalmOnlyWhileNoFaultIsInProgress) {
  HistoryBuilder h;
  h.at(0s).asks(kA).at(10s).fault().at(40s).fault_over().at(45s).creates(kA).believes(kA);
  h.at(50s).horizon();
  ASSERT_EQ(times(h).size(), 1U);
  EXPECT_EQ(times(h)[0].length, 45s);
  EXPECT_EQ(times(h)[0].calm, 10s);
}

// As many as the mailboxes of thousands of waiters; a look at all of them with every event would
// take minutes.
TEST(Idle, IsFoundAmongThousandsOfKeysThatAreNoLocks) {
  HistoryBuilder h;
  h.at(0s).asks(kA);
  for (history::KeyId key = 1; key < 40'000; ++key) {
    Who mailbox = kA;
    mailbox.key = key;
    h.creates(mailbox).removes(mailbox, mailbox);
  }
  h.at(7s).creates(kA).believes(kA).at(8s).horizon();
  ASSERT_EQ(times(h).size(), 1U);
  EXPECT_EQ(times(h)[0].length, 7s);
}

TEST(Idle, IsNotOverAtTheEndOfTheHistory) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).asks(kB).at(1s).releases(kA).at(60s).horizon();
  ASSERT_EQ(times(h).size(), 1U);
  EXPECT_FALSE(times(h)[0].over);
  EXPECT_EQ(times(h)[0].length, 59s);
}

}  // namespace
}  // namespace picklock::properties
