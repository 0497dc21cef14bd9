#include "properties/lost_update.h"

#include "testing/judging.h"

namespace picklock::properties {
namespace {

using testing::ElementsAre;

constexpr Who kFirst = client(1, 1);
constexpr Who kSecond = client(2, 2);

Verdict lost_updates(const HistoryBuilder& built) {
  return verdict_of(Property::no_lost_update, built.history);
}

TEST(LostUpdate, ANewerVersionOfAnotherTenureIsReplacedUnseen) {
  HistoryBuilder h;
  h.acquires(kFirst).reads(kFirst).version(1).acquires(kSecond).reads(kSecond).version(1);
  h.writes(kSecond).version(2, 1);
  const std::uint32_t lost = h.last();
  h.writes(kFirst).version(3, 1);
  const Verdict verdict = lost_updates(h);
  EXPECT_EQ(verdict.outcome, Outcome::violated);
  ASSERT_EQ(verdict.witnesses.size(), 1u);
  EXPECT_EQ(verdict.witnesses[0].event, h.last());
  EXPECT_EQ(verdict.witnesses[0].other, lost);
}

TEST(LostUpdate, AWriteBasedOnTheLastVersionLosesNothing) {
  HistoryBuilder h;
  h.acquires(kFirst).acquires(kSecond).writes(kSecond).version(2, 1).writes(kFirst).version(3, 2);
  EXPECT_EQ(lost_updates(h).outcome, Outcome::holds);
}

TEST(LostUpdate, AnUnconditionalWriteIsBasedOnNothing) {
  HistoryBuilder h;
  h.acquires(kFirst).acquires(kSecond).writes(kSecond).version(2, 1).writes(kFirst).version(3);
  EXPECT_EQ(lost_updates(h).outcome, Outcome::holds);
}

TEST(LostUpdate, AReadShowsAnOlderVersionThanOneThatWasAccepted) {
  HistoryBuilder h;
  h.acquires(kFirst).writes(kFirst).version(2, 1).writes(kFirst).version(3, 2);
  const std::uint32_t lost = h.last();
  h.acquires(kSecond).reads(kSecond).version(2);
  const Verdict verdict = lost_updates(h);
  EXPECT_EQ(verdict.outcome, Outcome::violated);
  ASSERT_EQ(verdict.witnesses.size(), 1u);
  EXPECT_EQ(verdict.witnesses[0].event, h.last());
  EXPECT_EQ(verdict.witnesses[0].other, lost);
}

TEST(LostUpdate, AReadShowsTheLastVersion) {
  HistoryBuilder h;
  h.acquires(kFirst).writes(kFirst).version(2, 1).acquires(kSecond).reads(kSecond).version(2);
  EXPECT_EQ(lost_updates(h).outcome, Outcome::holds);
}

// As a write whose message is delivered twice.
TEST(LostUpdate, ATenureMayReplaceItsOwnUpdate) {
  HistoryBuilder h;
  h.acquires(kFirst).writes(kFirst).version(2, 1).writes(kFirst).version(3, 1);
  EXPECT_EQ(lost_updates(h).outcome, Outcome::holds);
}

TEST(LostUpdate, AnOwnUpdateDoesNotHideThatOfAnotherTenure) {
  HistoryBuilder h;
  h.acquires(kFirst).acquires(kSecond).writes(kSecond).version(2, 1);
  const std::uint32_t lost = h.last();
  h.writes(kFirst).version(3).writes(kFirst).version(4, 1);
  const Verdict verdict = lost_updates(h);
  ASSERT_EQ(verdict.witnesses.size(), 1u);
  EXPECT_EQ(verdict.witnesses[0].other, lost);
}

}  // namespace
}  // namespace picklock::properties
