#include "models/locks/token_lock.h"

#include <gmock/gmock.h>

#include "models/locks/set_px_lock.h"
#include "models/locks/setnx_lock.h"
#include "testing/locks/transcript.h"

namespace picklock::models::locks::token_lock_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const Lease kLease{.key = "lock", .token = "token-1", .ttl = 10s};
const LockOptions kForOne{.wait_replicas = 1, .wait_timeout = 500ms};

// ---------------------------------------------------------------- a grant that replicas have

TEST(WaitReplicas, CountsAKeyOnceEnoughReplicasHaveIt) {
  Transcript self;
  self.answers_ok();
  self.answers(1);
  LuaCheckDelete lock(kForOne);
  EXPECT_TRUE(lock.try_acquire(self, "lock"));
  EXPECT_THAT(self.lines, ElementsAre("SET lock token-1 NX PX 10000", "WAIT 1 500"));
}

TEST(WaitReplicas, CountsAKeyThatMoreHaveThanWereAskedFor) {
  Transcript self;
  self.answers_ok();
  self.answers(2);
  LuaCheckDelete lock(kForOne);
  EXPECT_TRUE(lock.try_acquire(self, "lock"));
}

TEST(WaitReplicas, AsksNobodyWhereNoneIsWanted) {
  Transcript self;
  self.answers_ok();
  LuaCheckDelete lock{LockOptions{.wait_timeout = 500ms}};
  EXPECT_TRUE(lock.try_acquire(self, "lock"));
  EXPECT_EQ(self.lines.size(), 1U);
}

TEST(WaitReplicas, DoesNotWaitForAKeyThatAnotherHas) {
  Transcript self;
  self.answers_nil();
  LuaCheckDelete lock(kForOne);
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
  EXPECT_EQ(self.lines.size(), 1U);
}

TEST(WaitReplicas, GivesBackAKeyThatTooFewHave) {
  Transcript self;
  self.answers_ok();
  self.answers(1);
  self.answers(1);
  SetPxBlindDelete lock{LockOptions{.wait_replicas = 2}};
  const Acquired attempt = lock.try_acquire(self, "lock");
  EXPECT_FALSE(attempt);
  EXPECT_FALSE(attempt.is_unknown());
  EXPECT_THAT(self.lines, ElementsAre("SET lock token-1 NX PX 10000", "WAIT 2 1000", "DEL lock"));
}

TEST(WaitReplicas, GivesBackAKeyOfWhichItWasNotToldWhoHasIt) {
  Transcript self;
  self.answers_ok();
  self.answers_late();
  self.answers(1);
  SetPxBlindDelete lock(kForOne);
  const Acquired attempt = lock.try_acquire(self, "lock");
  EXPECT_FALSE(attempt);
  EXPECT_FALSE(attempt.is_unknown());
  EXPECT_EQ(self.lines.back(), "DEL lock");
}

TEST(WaitReplicas, GivesBackWhatAServerRefusesToWaitFor) {
  Transcript self;
  self.answers_ok();
  self.answers_error("ERR WAIT cannot be used with replica instances");
  self.answers(1);
  SetPxBlindDelete lock(kForOne);
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
  EXPECT_EQ(self.lines.back(), "DEL lock");
}

TEST(WaitReplicas, CannotKnowWhatBecameOfAKeyThatItCouldNotGiveBack) {
  Transcript self;
  self.answers_ok();
  self.answers(std::int64_t{0});
  self.answers_late();
  SetPxBlindDelete lock(kForOne);
  EXPECT_TRUE(lock.try_acquire(self, "lock").is_unknown());
}

TEST(WaitReplicas, TriesAgainAfterItHasGivenTheKeyBack) {
  Transcript self;
  self.answers_ok();
  self.answers(std::int64_t{0});
  self.answers(1);
  self.answers_ok();
  self.answers(1);
  SetPxBlindDelete lock(kForOne);
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(self.lines, ElementsAre("SET lock token-1 NX PX 10000", "WAIT 1 500", "DEL lock",
                                      "sleep 100ms", "SET lock token-1 NX PX 10000", "WAIT 1 500"));
}

TEST(WaitReplicas, RenewsNothingThatItHasGivenBack) {
  Transcript self;
  self.answers_ok();
  self.answers(std::int64_t{0});
  self.answers(1);
  LockOptions options = kForOne;
  options.renew = Renew::conditional;
  SetPxBlindDelete lock(options);
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
  EXPECT_TRUE(self.threads.empty());
}

TEST(WaitReplicas, WaitsForAKeyThatItRecognisesAsItsOwn) {
  Transcript self;
  self.answers_nil();
  self.answers("token-1");
  self.answers(1);
  LockOptions options = kForOne;
  options.recognise_own = RecogniseOwn::always;
  LuaCheckDelete lock(options);
  EXPECT_TRUE(lock.try_acquire(self, "lock"));
  EXPECT_EQ(self.lines.back(), "WAIT 1 500");
}

// A grant that is taken back is released as any other.
TEST(WaitReplicas, ComparesBeforeItGivesBackIfThatIsHowItReleases) {
  Transcript self;
  self.answers_ok();
  self.answers(std::int64_t{0});
  self.answers("token-1");
  self.answers(1);
  SetPxCheckDelete lock(kForOne);
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
  EXPECT_THAT(self.lines, ElementsAre("SET lock token-1 NX PX 10000", "WAIT 1 500",
                                      "check: GET lock", "DEL lock"));
}

// ---------------------------------------------------------------- a look

TEST(Look, FindsItsOwnTokenAnothersOrNone) {
  LuaCheckDelete lock{LockOptions{}};
  Transcript self;
  self.answers("token-1");
  EXPECT_EQ(lock.check_held(self, kLease), Held::yes);
  self.answers("token-2");
  EXPECT_EQ(lock.check_held(self, kLease), Held::no);
  self.answers_nil();
  EXPECT_EQ(lock.check_held(self, kLease), Held::no);
  EXPECT_THAT(self.lines, ElementsAre("check: GET lock", "check: GET lock", "check: GET lock"));
}

TEST(Look, TellsNothingWithoutAnAnswerOrByAnError) {
  LuaCheckDelete lock{LockOptions{}};
  Transcript self;
  self.answers_late();
  EXPECT_EQ(lock.check_held(self, kLease), Held::unknown);
  self.answers_error("LOADING Redis is loading the dataset in memory");
  EXPECT_EQ(lock.check_held(self, kLease), Held::unknown);
  EXPECT_EQ(lock.check_held(self, kLease), Held::unknown);  // the request was not even sent
}

// docs/facts/failures.md C-06.
TEST(Look, AsksTheReplicaIfToldTo) {
  NaiveSetnx lock{LockOptions{.check_at = CheckAt::replica}};
  Transcript self;
  self.answers("token-1");
  EXPECT_EQ(lock.check_held(self, kLease), Held::yes);
  self.answers_nil();
  EXPECT_EQ(lock.check_held(self, kLease), Held::no);
  self.answers_error(
      "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to "
      "'no'.");
  EXPECT_EQ(lock.check_held(self, kLease), Held::unknown);
  EXPECT_EQ(self.lines[0], "check: at the replica GET lock");
}

TEST(SetPxCheckDeleteAtReplica, ComparesThereAndDeletesAtThePrimary) {
  Transcript self;
  self.answers("token-1");
  self.answers(1);
  SetPxCheckDelete lock{LockOptions{.check_at = CheckAt::replica}};
  EXPECT_EQ(lock.release(self, kLease), Released::ok);
  EXPECT_THAT(self.lines, ElementsAre("check: at the replica GET lock", "DEL lock"));
}

TEST(SetPxCheckDeleteAtReplica, DeletesNothingThatTheReplicaHasNot) {
  Transcript self;
  self.answers_nil();
  SetPxCheckDelete lock{LockOptions{.check_at = CheckAt::replica}};
  EXPECT_EQ(lock.release(self, kLease), Released::not_held);
  EXPECT_THAT(self.lines, ElementsAre("check: at the replica GET lock"));
}

// A server that cannot answer has not said no.
TEST(SetPxCheckDeleteAtReplica, CannotKnowWhatAnErrorHides) {
  Transcript self;
  self.answers_error("LOADING Redis is loading the dataset in memory");
  SetPxCheckDelete lock{LockOptions{.check_at = CheckAt::replica}};
  EXPECT_EQ(lock.release(self, kLease), Released::unknown);
  EXPECT_EQ(self.lines.size(), 1U);
}

// Only the primary can say whether a key that it has refused is the client's own.
TEST(SetPxCheckDeleteAtReplica, RecognisesItsOwnAtThePrimary) {
  Transcript self;
  self.answers_nil();
  self.answers("token-1");
  SetPxCheckDelete lock{
      LockOptions{.recognise_own = RecogniseOwn::always, .check_at = CheckAt::replica}};
  EXPECT_TRUE(lock.try_acquire(self, "lock"));
  EXPECT_EQ(self.lines.back(), "check: GET lock");
}

}  // namespace
}  // namespace picklock::models::locks::token_lock_tests
