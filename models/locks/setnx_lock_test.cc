#include "models/locks/setnx_lock.h"

#include <gmock/gmock.h>

#include "testing/locks/transcript.h"

namespace picklock::models::locks::setnx_lock_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const Lease kLease{.key = "lock", .token = "token-1"};

TEST(NaiveSetnx, TakesAFreeKeyForGood) {
  Transcript self;
  self.answers(1);
  NaiveSetnx lock{LockOptions{}};
  const Acquired acquired = lock.acquire(self, "lock");
  ASSERT_TRUE(acquired);
  EXPECT_EQ(acquired.lease().ttl, 0s);
  EXPECT_THAT(self.lines, ElementsAre("SETNX lock token-1"));
}

TEST(NaiveSetnx, HasNoLeaseToRenew) {
  Transcript self;
  self.answers(1);
  NaiveSetnx lock{LockOptions{.renew = Renew::blind}};
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_TRUE(self.threads.empty());
}

TEST(NaiveSetnx, IsRefusedByAZero) {
  Transcript self;
  self.answers(std::int64_t{0});
  NaiveSetnx lock{LockOptions{}};
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
}

TEST(NaiveSetnx, DeletesWithoutAsking) {
  Transcript self;
  self.answers(1);
  NaiveSetnx lock{LockOptions{}};
  EXPECT_EQ(lock.release(self, kLease), Released::ok);
  EXPECT_THAT(self.lines, ElementsAre("DEL lock"));
}

TEST(SetnxExpire, SetsTheDeadlineByASecondCommand) {
  Transcript self;
  self.answers(1);
  self.answers(1);
  SetnxExpire lock{LockOptions{.ttl = 10s}};
  const Acquired acquired = lock.acquire(self, "lock");
  ASSERT_TRUE(acquired);
  EXPECT_EQ(acquired.lease().ttl, 10s);
  EXPECT_THAT(self.lines, ElementsAre("SETNX lock token-1", "PEXPIRE lock 10000"));
}

TEST(SetnxExpire, LeavesTheDeadlineOfAnothersKeyAlone) {
  Transcript self;
  self.answers(std::int64_t{0});
  SetnxExpire lock{LockOptions{}};
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
  EXPECT_THAT(self.lines, ElementsAre("SETNX lock token-1"));
}

// The key exists, and no client holds it.
TEST(SetnxExpire, DoesNotEnterOnASecondCommandWithoutAnswer) {
  Transcript self;
  self.answers(1);
  self.answers_late();
  SetnxExpire lock{LockOptions{}};
  EXPECT_TRUE(lock.try_acquire(self, "lock").is_unknown());
}

TEST(SetnxExpire, GivesAKeyThatItRecognisesItsDeadline) {
  Transcript self;
  self.answers(1);
  self.answers_late();
  self.answers(std::int64_t{0});
  self.answers("token-1");
  self.answers(1);
  SetnxExpire lock{LockOptions{.recognise_own = RecogniseOwn::after_unknown}};
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(self.lines,
              ElementsAre("SETNX lock token-1", "PEXPIRE lock 10000", "sleep 100ms",
                          "SETNX lock token-1", "check: GET lock", "PEXPIRE lock 10000"));
}

}  // namespace
}  // namespace picklock::models::locks::setnx_lock_tests
