#include "models/client/tenures.h"

#include <gtest/gtest.h>

namespace picklock::models::tenures_tests {
namespace {

constexpr history::KeyId kLock = 0;

TEST(Tenures, AreOrderedByTheirGrants) {
  Tenures tenures;
  tenures.reset(kLock);
  const history::TenureId first = tenures.begin();
  const history::TenureId second = tenures.begin();
  tenures.granted(second, kLock);
  tenures.granted(first, kLock);
  EXPECT_EQ(tenures.order(second), 1U);
  EXPECT_EQ(tenures.order(first), 2U);
}

// A client that tries again under the same name succeeds because of the entry that its earlier
// attempt has left. Without a place in the order its token would be older than any other.
TEST(Tenures, GiveAPlaceToOneThatIsToldOfSuccessWithoutAnEntryOfItsOwn) {
  Tenures tenures;
  tenures.reset(kLock);
  const history::TenureId orphan = tenures.begin();
  tenures.granted(orphan, kLock);
  const history::TenureId told = tenures.begin();
  tenures.settle(told);
  EXPECT_EQ(tenures.order(told), 2U);
  tenures.granted(told, kLock);
  EXPECT_EQ(tenures.order(told), 2U);
  EXPECT_EQ(tenures.grants(), 2U);
}

// A thread whose release was lost takes its old entry over when it acquires again. That is the time
// of its grant, even if it learns of it late.
TEST(Tenures, GiveAPlaceToWhoTakesOverAnEntryThatWasThere) {
  Tenures tenures;
  tenures.reset(kLock);
  const history::TenureId left = tenures.begin();
  const history::TenureId again = tenures.begin();
  const history::TenureId other = tenures.begin();
  tenures.granted(left, kLock);
  tenures.settle(left);
  tenures.altered(again, left, kLock);
  tenures.granted(other, kLock);
  tenures.settle(other);
  tenures.settle(again);
  EXPECT_LT(tenures.order(again), tenures.order(other));
  EXPECT_EQ(tenures.holder(), other);
}

// Redis answers NOSCRIPT to the first request, which is then sent again with its script.
TEST(Tenures, AreHeardWithTheFirstAnswerThatIsNoError) {
  Tenures tenures;
  tenures.reset(kLock);
  const history::TenureId refused = tenures.begin();
  EXPECT_TRUE(tenures.arrives(refused));
  EXPECT_FALSE(tenures.is_heard(refused, true));
  EXPECT_FALSE(tenures.arrives(refused));
  EXPECT_TRUE(tenures.is_heard(refused, false));
  EXPECT_FALSE(tenures.is_heard(refused, true));
  EXPECT_FALSE(tenures.is_heard(refused, false));
  const history::TenureId heard_at_once = tenures.begin();
  EXPECT_TRUE(tenures.arrives(heard_at_once));
  EXPECT_FALSE(tenures.is_heard(heard_at_once, false));
}

TEST(Tenures, GiveNoPlaceForARenewalOfAnothersEntry) {
  Tenures tenures;
  tenures.reset(kLock);
  const history::TenureId before = tenures.begin();
  const history::TenureId after = tenures.begin();
  for (const history::TenureId id : {before, after}) {
    tenures.granted(id, kLock);
    tenures.settle(id);
  }
  tenures.altered(before, after, kLock);
  EXPECT_EQ(tenures.order(before), 1U);
  EXPECT_EQ(tenures.grants(), 2U);
  EXPECT_EQ(tenures.holder(), after);
}

// Entries of an undone attempt do not count for the next attempt, which never has two at once.
TEST(Tenures, GiveNoPlaceForAnAttemptThatIsUndone) {
  Tenures tenures;
  tenures.reset(kLock, 2);
  const history::TenureId undone = tenures.begin();
  const history::TenureId between = tenures.begin();
  for (const history::TenureId id : {undone, between}) {
    for (int server = 0; server < 2; ++server) tenures.granted(id, kLock);
    for (int server = 0; server < 2; ++server) tenures.removed(id, kLock);
  }
  tenures.granted(undone, kLock);
  tenures.removed(undone, kLock);
  tenures.granted(undone, kLock);
  tenures.settle(undone);
  EXPECT_GT(tenures.order(undone), tenures.order(between));
}

}  // namespace
}  // namespace picklock::models::tenures_tests
