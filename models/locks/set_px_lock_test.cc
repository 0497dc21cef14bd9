#include "models/locks/set_px_lock.h"

#include <gmock/gmock.h>

#include "testing/locks/transcript.h"

namespace picklock::models::locks::set_px_lock_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const Lease kLease{.key = "lock", .token = "token-1", .ttl = 10s};

TEST(SetPxLock, TakesAFreeKeyWithOneCommand) {
  Transcript self;
  self.answers_ok();
  SetPxBlindDelete lock(LockOptions{.ttl = 10s});
  const Acquired acquired = lock.acquire(self, "lock");
  ASSERT_TRUE(acquired);
  EXPECT_EQ(acquired.lease().token, "token-1");
  EXPECT_EQ(acquired.lease().ttl, 10s);
  EXPECT_THAT(self.lines, ElementsAre("SET lock token-1 NX PX 10000"));
}

TEST(SetPxLock, TriesAHeldKeyAgainWithTheSameToken) {
  Transcript self;
  self.answers_nil();
  self.answers_nil();
  self.answers_ok();
  SetPxBlindDelete lock(LockOptions{.retry_every = 100ms});
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(self.lines, ElementsAre("SET lock token-1 NX PX 10000", "sleep 100ms",
                                      "SET lock token-1 NX PX 10000", "sleep 100ms",
                                      "SET lock token-1 NX PX 10000"));
}

TEST(SetPxLock, DoesNotKnowWhatBecameOfAnAttemptWithoutAnswer) {
  Transcript self;
  self.answers_late();
  SetPxBlindDelete lock{LockOptions{}};
  const Acquired attempt = lock.try_acquire(self, "lock");
  EXPECT_FALSE(attempt);
  EXPECT_TRUE(attempt.is_unknown());
}

// R115: the client's own key looks like another's.
TEST(SetPxLock, TakesItsOwnKeyForAnothersAfterALostAnswer) {
  Transcript self;
  self.answers_late();
  self.answers_nil();
  SetPxBlindDelete lock(LockOptions{.acquire_timeout = 150ms});
  EXPECT_TRUE(lock.acquire(self, "lock").is_unknown());
}

TEST(SetPxLock, HasAFreshTokenForEachAcquisition) {
  Transcript self;
  SetPxBlindDelete lock(LockOptions{.value = TokenPer::acquisition});
  for (int i = 0; i < 2; ++i) {
    self.answers_ok();
    lock.acquire(self, "lock");
  }
  EXPECT_THAT(self.lines,
              ElementsAre("SET lock token-1 NX PX 10000", "SET lock token-2 NX PX 10000"));
}

TEST(SetPxLock, HasOneTokenForLifeWhenItIsTheClients) {
  Transcript self;
  SetPxBlindDelete lock(LockOptions{.value = TokenPer::client});
  for (int i = 0; i < 2; ++i) {
    self.answers_ok();
    lock.acquire(self, "lock");
  }
  EXPECT_THAT(self.lines,
              ElementsAre("SET lock token-1 NX PX 10000", "SET lock token-1 NX PX 10000"));
}

TEST(SetPxLock, HasTheSameTokenAfterARestartWhenItIsTheMachines) {
  for (int incarnation = 0; incarnation < 2; ++incarnation) {
    Transcript self;
    self.answers_ok();
    LuaCheckDelete lock{LockOptions{.value = TokenPer::machine}};
    EXPECT_EQ(lock.acquire(self, "lock").lease().token, "client:1");
  }
}

TEST(SetPxLock, RecognisesItsOwnKeyAfterAnAttemptWithoutAnswer) {
  Transcript self;
  self.answers_late();
  self.answers_nil();
  self.answers("token-1");
  LuaCheckDelete lock{LockOptions{.recognise_own = RecogniseOwn::after_unknown}};
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(self.lines, ElementsAre("SET lock token-1 NX PX 10000", "sleep 100ms",
                                      "SET lock token-1 NX PX 10000", "check: GET lock"));
}

TEST(SetPxLock, RecognisesItsOwnKeyAfterACommandThatWasSentAgain) {
  Transcript self;
  self.answers_nil_to_a_copy();
  self.answers("token-1");
  LuaCheckDelete lock{LockOptions{.recognise_own = RecogniseOwn::after_unknown}};
  EXPECT_TRUE(lock.acquire(self, "lock"));
}

TEST(SetPxLock, LooksOnlyOnceItHasReasonToDoubt) {
  Transcript self;
  self.answers_nil();
  LuaCheckDelete lock{LockOptions{.recognise_own = RecogniseOwn::after_unknown}};
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
  EXPECT_EQ(self.lines.size(), 1U);
}

TEST(SetPxLock, LooksAtEveryRefusalIfToldTo) {
  Transcript self;
  self.answers_nil();
  self.answers("token-2");
  LuaCheckDelete lock{LockOptions{.recognise_own = RecogniseOwn::always}};
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
  EXPECT_THAT(self.lines, ElementsAre("SET lock token-1 NX PX 10000", "check: GET lock"));
}

TEST(SetPxLock, DoubtsOnWhereItsLookHadNoAnswer) {
  Transcript self;
  self.answers_nil_to_a_copy();
  self.answers_late();
  LuaCheckDelete lock{LockOptions{.recognise_own = RecogniseOwn::after_unknown}};
  EXPECT_TRUE(lock.try_acquire(self, "lock").is_unknown());
}

TEST(SetPxLock, DoubtsNoLongerInItsNextAcquisition) {
  Transcript self;
  self.answers_late();
  self.answers_ok();
  self.answers_nil();
  LuaCheckDelete lock{
      LockOptions{.acquire_timeout = 150ms, .recognise_own = RecogniseOwn::after_unknown}};
  EXPECT_TRUE(lock.acquire(self, "lock"));
  self.lines.clear();
  lock.acquire(self, "lock");
  EXPECT_EQ(self.lines[0], "SET lock token-2 NX PX 10000");
  EXPECT_EQ(self.lines[1], "sleep 100ms");
}

const std::string kTakeAndMint =
    "EVAL if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return "
    "redis.call('incr', KEYS[2]) else return 0 end 2 lock lock:fence token-1 10000";

TEST(SetPxLock, MintsAFencingTokenInTheStepThatGrants) {
  Transcript self;
  self.answers(7);
  LuaCheckDelete lock{LockOptions{.mint = Mint::in_script}};
  const Acquired acquired = lock.acquire(self, "lock");
  ASSERT_TRUE(acquired);
  EXPECT_EQ(acquired.lease().fence, 7);
  EXPECT_THAT(self.lines, ElementsAre(kTakeAndMint));
}

TEST(SetPxLock, IsRefusedByAScriptThatMintsNothing) {
  Transcript self;
  self.answers(std::int64_t{0});
  LuaCheckDelete lock{LockOptions{.mint = Mint::in_script}};
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
}

TEST(SetPxLock, MintsAnewForAKeyThatItRecognises) {
  Transcript self;
  self.answers(std::int64_t{0});
  self.answers("token-1");
  self.answers(8);
  LuaCheckDelete lock{LockOptions{.recognise_own = RecogniseOwn::always, .mint = Mint::in_script}};
  const Acquired acquired = lock.acquire(self, "lock");
  ASSERT_TRUE(acquired);
  EXPECT_EQ(acquired.lease().fence, 8);
}

TEST(SetPxBlindDelete, DeletesWithoutAsking) {
  Transcript self;
  self.answers(1);
  SetPxBlindDelete lock{LockOptions{}};
  EXPECT_EQ(lock.release(self, kLease), Released::ok);
  EXPECT_THAT(self.lines, ElementsAre("DEL lock"));
}

TEST(SetPxBlindDelete, TellsALostLockByADeletionOfNothing) {
  Transcript self;
  self.answers(std::int64_t{0});
  SetPxBlindDelete lock{LockOptions{}};
  EXPECT_EQ(lock.release(self, kLease), Released::not_held);
}

TEST(SetPxCheckDelete, DeletesWhatItHasSeenToBeItsOwn) {
  Transcript self;
  self.answers("token-1");
  self.answers(1);
  SetPxCheckDelete lock{LockOptions{}};
  EXPECT_EQ(lock.release(self, kLease), Released::ok);
  EXPECT_THAT(self.lines, ElementsAre("check: GET lock", "DEL lock"));
}

TEST(SetPxCheckDelete, LeavesWhatIsNotItsOwn) {
  Transcript self;
  self.answers("token-2");
  SetPxCheckDelete lock{LockOptions{}};
  EXPECT_EQ(lock.release(self, kLease), Released::not_held);
  EXPECT_THAT(self.lines, ElementsAre("check: GET lock"));
}

TEST(SetPxCheckDelete, LeavesWhatHasExpired) {
  Transcript self;
  self.answers_nil();
  SetPxCheckDelete lock{LockOptions{}};
  EXPECT_EQ(lock.release(self, kLease), Released::not_held);
  EXPECT_THAT(self.lines, ElementsAre("check: GET lock"));
}

TEST(SetPxCheckDelete, DeletesNothingItCouldNotCheck) {
  Transcript self;
  self.answers_late();
  SetPxCheckDelete lock{LockOptions{}};
  EXPECT_EQ(lock.release(self, kLease), Released::unknown);
  EXPECT_THAT(self.lines, ElementsAre("check: GET lock"));
}

TEST(LuaCheckDelete, ComparesAndDeletesInOneScript) {
  Transcript self;
  self.answers(1);
  LuaCheckDelete lock{LockOptions{}};
  EXPECT_EQ(lock.release(self, kLease), Released::ok);
  EXPECT_THAT(self.lines,
              ElementsAre("EVAL if redis.call('get', KEYS[1]) == ARGV[1] then return "
                          "redis.call('del', KEYS[1]) else return 0 end 1 lock token-1"));
}

TEST(LuaCheckDelete, LearnsFromTheScriptThatTheLockWasLost) {
  Transcript self;
  self.answers(std::int64_t{0});
  LuaCheckDelete lock{LockOptions{}};
  EXPECT_EQ(lock.release(self, kLease), Released::not_held);
}

TEST(LuaCheckDelete, DoesNotKnowWhatBecameOfAReleaseWithoutAnswer) {
  Transcript self;
  self.answers_late();
  LuaCheckDelete lock{LockOptions{}};
  EXPECT_EQ(lock.release(self, kLease), Released::unknown);
}

}  // namespace
}  // namespace picklock::models::locks::set_px_lock_tests
