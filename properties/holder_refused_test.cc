#include "properties/holder_refused.h"

#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kFirst = client(1, 1);
constexpr Who kSecond = client(2, 2);

Outcome holder_refused(const HistoryBuilder& built) {
  return verdict_of(Property::no_holder_refused, built.history).outcome;
}

TEST(HolderRefused, AWriteOfTheValidHolderIsRejected) {
  HistoryBuilder h;
  h.asks(kFirst).creates(kFirst);
  const std::uint32_t grant = h.last();
  h.believes(kFirst).write_is_rejected(kFirst);
  const Verdict verdict = verdict_of(Property::no_holder_refused, h.history);
  EXPECT_EQ(verdict.outcome, Outcome::violated);
  ASSERT_EQ(verdict.witnesses.size(), 1u);
  EXPECT_EQ(verdict.witnesses[0].event, h.last());
  EXPECT_EQ(verdict.witnesses[0].other, grant);
}

TEST(HolderRefused, ItsReadsAndAnnouncementsCountToo) {
  HistoryBuilder read;
  read.acquires(kFirst).read_is_rejected(kFirst);
  EXPECT_EQ(holder_refused(read), Outcome::violated);
  HistoryBuilder token;
  token.acquires(kFirst).token_is_rejected(kFirst);
  EXPECT_EQ(holder_refused(token), Outcome::violated);
}

TEST(HolderRefused, AHolderWhoseEntryIsGoneIsNotValid) {
  HistoryBuilder h;
  h.acquires(kFirst).expires(kFirst).write_is_rejected(kFirst);
  EXPECT_EQ(holder_refused(h), Outcome::holds);
}

TEST(HolderRefused, ATenureThatHasBegunToReleaseIsNotValid) {
  HistoryBuilder h;
  h.acquires(kFirst).lets_go(kFirst).write_is_rejected(kFirst);
  EXPECT_EQ(holder_refused(h), Outcome::holds);
}

// Two servers grant at once: the resource may choose the newer grant.
TEST(HolderRefused, AnOlderGrantIsNotValid) {
  HistoryBuilder h;
  h.acquires(kFirst).asks(kSecond).creates(kSecond, 1).believes(kSecond);
  h.write_is_rejected(kFirst);
  EXPECT_EQ(holder_refused(h), Outcome::holds);
  h.write_is_rejected(kSecond);
  EXPECT_EQ(holder_refused(h), Outcome::violated);
}

}  // namespace
}  // namespace picklock::properties
