#include "models/resource/fence.h"

#include <gtest/gtest.h>

namespace picklock::models::fence_tests {
namespace {

constexpr sim::ProcessId kClient = 1;
constexpr sim::ProcessId kOther = 2;

Token number(std::int64_t rank) { return {.rank = rank, .name = {}}; }
Token owner(std::string_view name) { return {.rank = 0, .name = name}; }

Fence fence(Checks checks, EqualToken equal = EqualToken::accept) {
  Fence made;
  made.reset(checks, equal);
  return made;
}

TEST(Fence, OfWritesLetsAnOlderTokenWriteAfterANewerOneHasRead) {
  Fence writes = fence(Checks::writes);
  EXPECT_TRUE(writes.admits(Access::read, number(2), kOther));
  EXPECT_TRUE(writes.admits(Access::write, number(1), kClient));
  EXPECT_TRUE(writes.admits(Access::write, number(2), kOther));
  EXPECT_FALSE(writes.admits(Access::write, number(1), kClient));
  EXPECT_TRUE(writes.admits(Access::read, number(1), kClient));
}

TEST(Fence, OfAccessesRejectsAnOlderTokenOnceANewerOneHasRead) {
  Fence accesses = fence(Checks::accesses);
  EXPECT_TRUE(accesses.admits(Access::read, number(2), kOther));
  EXPECT_FALSE(accesses.admits(Access::write, number(1), kClient));
  EXPECT_FALSE(accesses.admits(Access::read, number(1), kClient));
}

TEST(Fence, LearnsOfATokenThatIsAnnouncedBeforeItIsUsed) {
  Fence writes = fence(Checks::writes);
  EXPECT_TRUE(writes.admits(Access::announcement, number(2), kOther));
  EXPECT_FALSE(writes.admits(Access::write, number(1), kClient));
  EXPECT_FALSE(writes.admits(Access::announcement, number(1), kClient));
}

TEST(Fence, AcceptsAnEqualTokenOfAnotherClientUnlessItMustNot) {
  Fence accepts = fence(Checks::writes);
  EXPECT_TRUE(accepts.admits(Access::write, number(1), kClient));
  EXPECT_TRUE(accepts.admits(Access::write, number(1), kOther));

  Fence refuses = fence(Checks::writes, EqualToken::refuse);
  EXPECT_TRUE(refuses.admits(Access::write, number(1), kClient));
  EXPECT_FALSE(refuses.admits(Access::write, number(1), kOther));
  EXPECT_TRUE(refuses.admits(Access::write, number(1), kClient));
  EXPECT_TRUE(refuses.admits(Access::write, number(2), kOther));
}

TEST(Fence, WithoutOrderAcceptsOnlyTheTokenThatWasAnnouncedLast) {
  Fence announced = fence(Checks::announced);
  EXPECT_FALSE(announced.admits(Access::write, owner("a"), kClient));
  EXPECT_TRUE(announced.admits(Access::announcement, owner("a"), kClient));
  EXPECT_TRUE(announced.admits(Access::write, owner("a"), kClient));
  EXPECT_TRUE(announced.admits(Access::announcement, owner("b"), kOther));
  EXPECT_FALSE(announced.admits(Access::read, owner("a"), kClient));
  EXPECT_TRUE(announced.admits(Access::announcement, owner("a"), kClient));
  EXPECT_FALSE(announced.admits(Access::write, owner("b"), kOther));
}

}  // namespace
}  // namespace picklock::models::fence_tests
