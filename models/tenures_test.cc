#include "models/tenures.h"

#include <gtest/gtest.h>

namespace picklock::models {
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

// A client that asks again under the same name is told yes because of the entry that its attempt
// before has left: else its token would be older than any.
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

// The thread that a lost release has left an entry to takes it over when it asks again: that is
// when it was granted, however late it hears of it.
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

// An attempt that was undone is no grant of the one after it, which has no two entries at once.
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
}  // namespace picklock::models
