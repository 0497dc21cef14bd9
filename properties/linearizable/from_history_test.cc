#include "properties/linearizable/from_history.h"

#include <gtest/gtest.h>

#include "testing/history_builder.h"

namespace picklock::properties::linearizable {
namespace {

using Verb = ReentrantLock::Verb;

struct Line {
  Duration invoked{};
  std::optional<Duration> answered{};  // none: pending
  Verb verb{};
  Owner owner = 0;
  KeyId key = 0;
};

void expect_operations(const HistoryBuilder& h, const std::vector<Line>& lines) {
  const Operations<ReentrantLock> operations = lock_operations(h.history);
  ASSERT_EQ(operations.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(operations[i].interval.invoked, lines[i].invoked.count()) << i;
    EXPECT_EQ(operations[i].interval.answered,
              lines[i].answered ? lines[i].answered->count() : kPending)
        << i;
    EXPECT_EQ(operations[i].action.verb, lines[i].verb) << i;
    EXPECT_EQ(operations[i].action.owner, lines[i].owner) << i;
    EXPECT_EQ(operations[i].object, lines[i].key) << i;
  }
}

TEST(LockOperations, AreAcquiresAndReleasesFromInvocationToAnswer) {
  HistoryBuilder h;
  h.at(1s).asks(client(1, 4, 2)).at(2s).believes(client(1, 4, 2));
  h.at(3s).lets_go(client(1, 4, 2)).at(5s).has_let_go(client(1, 4, 2));
  expect_operations(h, {{1s, 2s, Verb::acquire, 4, 2}, {3s, 5s, Verb::release, 4, 2}});
}

TEST(LockOperations, LeaveOutAcquiresWithoutSuccess) {
  HistoryBuilder h;
  h.at(1s).asks(client(1, 1)).at(2s).is_refused(client(1, 1));
  h.at(1s).asks(client(2, 2)).at(2s).cannot_know(client(2, 2));
  h.at(1s).asks(client(3, 3)).at(2s).crashes(3);
  expect_operations(h, {});
}

TEST(LockOperations, LeaveAReleasePendingThatWasNotAnsweredWithSuccess) {
  const auto ended = [](auto answer) {
    HistoryBuilder h;
    h.at(1s).acquires(client(1, 1)).at(2s).lets_go(client(1, 1)).at(3s);
    answer(h);
    expect_operations(h, {{1s, 1s, Verb::acquire, 1}, {2s, {}, Verb::release, 1}});
  };
  ended([](auto& h) { h.had_nothing(client(1, 1)); });
  ended([](auto& h) { h.cannot_know_release(client(1, 1)); });
  ended([](auto& h) { h.crashes(1); });
  ended([](auto& h) { h.horizon(); });
}

TEST(LockOperations, LoseTheLockWhereBeliefEndsWithoutARelease) {
  const auto lost_by = [](auto end) {
    HistoryBuilder h;
    h.at(1s).acquires(client(1, 1)).asks(client(1, 1)).believes(client(1, 1)).at(4s);
    end(h);
    h.at(5s).lets_go(client(1, 1)).has_let_go(client(1, 1));
    expect_operations(
        h, {{1s, 1s, Verb::acquire, 1}, {1s, 1s, Verb::acquire, 1}, {4s, {}, Verb::lose, 1}});
  };
  lost_by([](auto& h) { h.learns_of_loss(client(1, 1)); });
  lost_by([](auto& h) { h.passes_deadline(client(1, 1)); });
  lost_by([](auto& h) { h.abandons(client(1, 1)); });
  lost_by([](auto& h) { h.crashes(1); });
  lost_by([](auto& h) { h.thread_ends(client(1, 1)); });
}

TEST(LockOperations, GiveALaterBeliefOfATenureAnotherOwner) {
  HistoryBuilder h;
  h.at(1s).acquires(client(1, 1)).at(2s).learns_of_loss(client(1, 1));
  h.at(3s).acquires(client(1, 1)).at(4s).releases(client(1, 1));
  const Owner later = Owner{1} << 31U;
  expect_operations(h, {{1s, 1s, Verb::acquire, 1},
                        {2s, {}, Verb::lose, 1},
                        {3s, 3s, Verb::acquire, later},
                        {4s, 4s, Verb::release, later}});
}

TEST(LockOperations, AreOutermostWithoutTheNestedOnes) {
  HistoryBuilder h;
  h.at(1s).acquires(client(1, 1)).at(2s).asks(client(1, 1)).believes(client(1, 1));
  h.at(3s).lets_go(client(1, 1)).has_let_go(client(1, 1)).at(4s).releases(client(1, 1));
  const Operations<Mutex> all = outermost(lock_operations(h.history));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].action.verb, Mutex::Verb::acquire);
  EXPECT_EQ(all[0].interval.answered, Duration(1s).count());
  EXPECT_EQ(all[1].action.verb, Mutex::Verb::release);
  EXPECT_EQ(all[1].interval.invoked, Duration(4s).count());
}

Timeline timeline_of(const HistoryBuilder& h) {
  static const Context context{};
  Timeline timeline;
  timeline.read(h.history, context);
  return timeline;
}

TEST(ResourceUses, LastFromTheFirstOperationOfATenureToItsLast) {
  HistoryBuilder h;
  h.acquires(client(1, 1)).acquires(client(2, 2));
  h.writes(client(1, 1)).writes(client(2, 2)).reads(client(1, 1));
  const Operations<Mutex> uses = resource_uses(timeline_of(h));
  ASSERT_EQ(uses.size(), 4U);
  EXPECT_EQ(uses[0].interval.invoked, 2 * 6);
  EXPECT_EQ(uses[1].interval.invoked, 2 * 8 + 1);
  EXPECT_EQ(check(Mutex{}, uses).opinion, Opinion::not_linearizable);
}

TEST(FencingOperations, AreGrantsAndWhatTheResourceAccepted) {
  HistoryBuilder h;
  h.asks(client(1, 1)).asks(client(2, 2)).creates(client(2, 2)).believes(client(2, 2));
  h.writes(client(2, 2)).removes(client(2, 2), client(2, 2)).creates(client(1, 1));
  h.reads(client(1, 1)).write_is_rejected(client(2, 2)).asks(client(3, 3)).writes(client(3, 3));
  const Operations<FencingToken> all = fencing_operations(h.history, timeline_of(h));
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].action.verb, FencingToken::Verb::write);
  EXPECT_EQ(all[0].action.token, 3U);
  EXPECT_EQ(all[1].action.verb, FencingToken::Verb::read);
  EXPECT_EQ(all[1].action.token, 7U);
  EXPECT_EQ(all[2].action.token, 7U);
  EXPECT_EQ(all[2].interval.invoked, 0);
  EXPECT_EQ(all[2].interval.answered, kPending);
  EXPECT_EQ(all[3].action.token, 3U);
  EXPECT_EQ(all[3].interval.answered, 3);
  EXPECT_EQ(check(FencingToken{}, all).opinion, Opinion::linearizable);
}

}  // namespace
}  // namespace picklock::properties::linearizable
