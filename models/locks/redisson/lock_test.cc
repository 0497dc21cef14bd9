#include "models/locks/redisson/lock.h"

#include <gmock/gmock.h>

#include "testing/locks/readable.h"
#include "testing/locks/transcript.h"

namespace picklock::models::locks::redisson::lock_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const std::string kTake = "EVALSHA {take} 1 lock 30000 token-1:1";
const std::string kLoadTake = "upkeep: SCRIPT LOAD {take}";
const std::string kChannel = "redisson_lock__channel:{lock}";
const std::string kSubscribe = "subscribe " + kChannel;
const std::string kUnsubscribe = "unsubscribe " + kChannel;
const std::string kNoScript = "NOSCRIPT No matching script. Please use EVAL.";
constexpr std::int64_t kNone = 0;

const Lease kLease{.key = "lock", .token = "token-9:1", .ttl = 30s};

// With the watchdog's lease, unless a test sets another.
LockOptions with(LockOptions options = {}) {
  options.ttl = 30s;
  options.renew = Renew::conditional;
  return options;
}

// The line of a release, which begins with a name for its latch.
std::string give_back_line(const std::string& latch, const std::string& life) {
  return "EVALSHA {give_back} 3 lock " + kChannel + " redisson_unlock_latch:{lock}:" + latch +
         " 0 30000 token-9:1 " + life;
}

TEST(RedissonLock, TakesAFreeLockWithOneScript) {  // 1.2
  Transcript self;
  self.answers_nil();
  RedissonLock lock(with());
  const Acquired acquired = lock.acquire(self, "lock");
  ASSERT_TRUE(acquired);
  EXPECT_EQ(acquired.lease().key, "lock");
  EXPECT_EQ(acquired.lease().token, "token-1:1");
  EXPECT_EQ(acquired.lease().ttl, 30s);
  EXPECT_EQ(acquired.lease().deadline, 0s);
  EXPECT_THAT(readable(self.lines), ElementsAre(kTake));
}

TEST(RedissonLock, IsTheSameOwnerAtEveryAcquire) {  // 1.1
  Transcript self;
  RedissonLock lock(with());
  for (int i = 0; i < 2; ++i) {
    self.answers_nil();
    lock.acquire(self, "lock");
  }
  EXPECT_THAT(readable(self.lines), ElementsAre(kTake, kTake));
}

TEST(RedissonLock, LoadsAScriptThatTheServerDoesNotKnow) {  // 1.1
  Transcript self;
  self.answers_error(kNoScript);
  self.answers(take().sha());
  self.answers_nil();
  RedissonLock lock(with());
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines), ElementsAre(kTake, kLoadTake, kTake));
}

TEST(RedissonLock, IsRefusedWhereItsScriptCannotBeLoaded) {
  Transcript self;
  self.answers_error(kNoScript);
  self.answers_late();
  RedissonLock lock(with());
  const Acquired acquired = lock.acquire(self, "lock");
  EXPECT_FALSE(acquired);
  EXPECT_FALSE(acquired.is_unknown());
  EXPECT_THAT(readable(self.lines), ElementsAre(kTake, kLoadTake));
}

// ---------------------------------------------------------------- waiting (1.2)

// A message between the first attempt and the subscription is not missed.
TEST(RedissonLock, SubscribesAndTriesAgainBeforeItWaits) {
  Transcript self;
  self.answers(30000);
  self.answers_nil();
  RedissonLock lock(with());
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines), ElementsAre(kTake, kSubscribe, kTake, kUnsubscribe));
}

TEST(RedissonLock, WaitsForWhatIsLeftOfTheHoldersLease) {
  Transcript self;
  self.answers(30000);
  self.answers(5000);
  self.answers(4000);
  self.answers_nil();
  RedissonLock lock(with());
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines), ElementsAre(kTake, kSubscribe, kTake, "wait 5000ms", kTake,
                                                "wait 4000ms", kTake, kUnsubscribe));
}

TEST(RedissonLock, WaitsForEverForAHolderWithoutALease) {
  Transcript self;
  self.answers(-1);
  self.answers(-1);
  self.answers_nil();
  RedissonLock lock(with());
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines),
              ElementsAre(kTake, kSubscribe, kTake, "wait", kTake, kUnsubscribe));
}

TEST(RedissonLock, WaitsNoLongerThanItsPatience) {
  Transcript self;
  self.answers(30000);
  self.answers(30000);
  RedissonLock lock(with({.acquire_timeout = 4s}));
  const Acquired acquired = lock.acquire(self, "lock");
  EXPECT_FALSE(acquired);
  EXPECT_FALSE(acquired.is_unknown());
  EXPECT_EQ(self.now, 4s);
  EXPECT_THAT(readable(self.lines),
              ElementsAre(kTake, kSubscribe, kTake, "wait 4000ms", kUnsubscribe));
}

TEST(RedissonLock, WaitsAsLongAsItsPatienceForAHolderWithoutALease) {
  Transcript self;
  self.answers(-1);
  self.answers(-1);
  RedissonLock lock(with({.acquire_timeout = 4s}));
  EXPECT_FALSE(lock.acquire(self, "lock"));
  EXPECT_EQ(self.lines[3], "wait 4000ms");
}

// All waiting counts on the wall clock (1.1).
TEST(RedissonLock, LosesItsPatienceWhereTheWallClockIsSetForward) {
  Transcript self;
  self.answers(1000);
  self.answers(1000);
  self.on_sleep = [&] { self.offset += 1h; };
  RedissonLock lock(with({.acquire_timeout = 4s, .clock = ClientClock::wall}));
  EXPECT_FALSE(lock.acquire(self, "lock"));
  EXPECT_EQ(self.now, 1s);
}

TEST(RedissonLock, WaitsAtOnceIfItIsNotToTryAgain) {
  Transcript self;
  self.answers(30000);
  self.answers_nil();
  RedissonLock lock(with({.own = RedissonOptions{.try_after_subscribing = false}}));
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines),
              ElementsAre(kTake, kSubscribe, "wait 30000ms", kTake, kUnsubscribe));
}

TEST(RedissonLock, LooksAsOftenAsItIsTold) {
  Transcript self;
  self.answers(30000);
  self.answers(30000);
  self.answers(-1);
  self.answers_nil();
  RedissonLock lock(with({.own = RedissonOptions{.wait_at_most = 1s}}));
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines), ElementsAre(kTake, kSubscribe, kTake, "wait 1000ms", kTake,
                                                "wait 1000ms", kTake, kUnsubscribe));
}

// The fair lock's script answers 0 behind the place of a dead waiter.
TEST(RedissonLock, DoesNotAskAgainBeforeItsShortestWaitIsOver) {
  Transcript self;
  self.answers(0);
  self.answers(0);
  self.answers(0);
  self.answers_nil();
  RedissonLock lock(with({.own = RedissonOptions{.wait_at_least = 100ms}}));
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines), ElementsAre(kTake, kSubscribe, kTake, "wait 100ms", kTake,
                                                "wait 100ms", kTake, kUnsubscribe));
}

TEST(RedissonLock, WaitsNoLongerThanItsLongestWait) {
  Transcript self;
  self.answers(0);
  self.answers(0);
  self.answers_nil();
  RedissonLock lock(with({.own = RedissonOptions{.wait_at_most = 50ms, .wait_at_least = 100ms}}));
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines),
              ElementsAre(kTake, kSubscribe, kTake, "wait 50ms", kTake, kUnsubscribe));
}

TEST(RedissonLock, GivesUpWhereItsSubscriptionIsNotConfirmed) {
  Transcript self;
  self.deaf = true;
  self.answers(30000);
  RedissonLock lock(with());
  const Acquired acquired = lock.acquire(self, "lock");
  EXPECT_FALSE(acquired);
  EXPECT_FALSE(acquired.is_unknown());
  EXPECT_THAT(readable(self.lines), ElementsAre(kTake, kSubscribe));
}

TEST(RedissonLock, TriesOnceWhereItIsNotToWait) {
  for (const bool at_once : {true, false}) {
    Transcript self;
    self.answers(30000);
    RedissonLock lock(with({.attempts = 1}));
    EXPECT_FALSE(at_once ? lock.try_acquire(self, "lock") : lock.acquire(self, "lock"));
    EXPECT_THAT(readable(self.lines), ElementsAre(kTake));
  }
}

// None of its requests is left without an answer.
TEST(RedissonLock, IsRefusedOnceItIsInterruptedInItsWait) {
  Transcript self;
  self.interrupted = true;
  self.answers(30000);
  self.answers(30000);
  RedissonLock lock(with());
  const Acquired acquired = lock.acquire(self, "lock");
  EXPECT_FALSE(acquired);
  EXPECT_FALSE(acquired.is_unknown());
  EXPECT_THAT(readable(self.lines),
              ElementsAre(kTake, kSubscribe, kTake, "wait 30000ms", kUnsubscribe));
}

// ---------------------------------------------------------------- no answer (1.2)

TEST(RedissonLock, DoesNotKnowWhatBecameOfAFirstTryWithoutAnswer) {
  Transcript self;
  self.answers_late();
  RedissonLock lock(with({.acquire_timeout = 10s}));
  EXPECT_TRUE(lock.acquire(self, "lock").is_unknown());
  EXPECT_THAT(readable(self.lines), ElementsAre(kTake));
}

TEST(RedissonLock, TakesATimeOutInItsLoopForARefusal) {
  Transcript self;
  self.answers(30000);
  self.answers_late();
  RedissonLock lock(with({.acquire_timeout = 10s}));
  const Acquired acquired = lock.acquire(self, "lock");
  EXPECT_FALSE(acquired);
  EXPECT_FALSE(acquired.is_unknown());
  EXPECT_THAT(readable(self.lines), ElementsAre(kTake, kSubscribe, kTake, kUnsubscribe));
}

TEST(RedissonLock, ThrowsATimeOutInItsLoopWhereItWaitsForEver) {
  Transcript self;
  self.answers(30000);
  self.answers_late();
  RedissonLock lock(with());
  EXPECT_TRUE(lock.acquire(self, "lock").is_unknown());
}

TEST(RedissonLock, IsRefusedWhereNothingWasSent) {
  Transcript self;
  RedissonLock lock(with());
  const Acquired acquired = lock.acquire(self, "lock");
  EXPECT_FALSE(acquired);
  EXPECT_FALSE(acquired.is_unknown());
}

// ---------------------------------------------------------------- leases (1.2)

TEST(RedissonLock, TakesTheLeaseThatItIsGivenWhereNobodyRenewsIt) {
  Transcript self;
  self.answers_nil();
  RedissonLock lock(LockOptions{.ttl = 5s, .renew = Renew::none});
  EXPECT_EQ(lock.acquire(self, "lock").lease().ttl, 5s);
  EXPECT_THAT(readable(self.lines), ElementsAre("EVALSHA {take} 1 lock 5000 token-1:1"));
}

TEST(RedissonLock, CountsItsDeadlineFromTheSendingOfTheTryThatWasGranted) {
  Transcript self;
  self.now = 7s;
  self.answers(5000);
  self.answers(5000);
  self.answers_nil();
  RedissonLock lock(with({.deadline = true}));
  EXPECT_EQ(lock.acquire(self, "lock").lease().deadline, 7s + 5s + 30s);
}

// ---------------------------------------------------------------- release (1.2)

TEST(RedissonLock, GivesBackWithALatchThatItForgetsWithoutWaiting) {
  Transcript self;
  self.answers(1);
  RedissonLock lock(with());
  EXPECT_EQ(lock.release(self, kLease), Released::ok);
  EXPECT_THAT(readable(self.lines),
              ElementsAre(give_back_line("token-1", "3000"),
                          "without waiting: upkeep: DEL redisson_unlock_latch:{lock}:token-1"));
}

TEST(RedissonLock, NamesItsLatchAnewForEveryRelease) {
  Transcript self;
  RedissonLock lock(with());
  for (int i = 0; i < 2; ++i) {
    self.answers(1);
    lock.release(self, kLease);
  }
  EXPECT_EQ(readable(self.lines)[2], give_back_line("token-2", "3000"));
}

TEST(RedissonLock, LetsTheLatchLiveAsLongAsCopiesMayCome) {
  Transcript self;
  RedissonLock lock(with({.resend = 4, .resend_delay = 1s, .resend_delay_most = 2s}));
  lock.release(self, kLease);
  EXPECT_THAT(readable(self.lines), ElementsAre(give_back_line("token-1", "20000")));
}

TEST(RedissonLock, TellsWhatBecameOfARelease) {
  RedissonLock lock(with());
  Transcript partial;
  partial.answers(kNone);
  EXPECT_EQ(lock.release(partial, kLease), Released::ok);
  Transcript anothers;
  anothers.answers_nil();
  EXPECT_EQ(lock.release(anothers, kLease), Released::not_held);
  Transcript silent;
  silent.answers_late();
  EXPECT_EQ(lock.release(silent, kLease), Released::unknown);
  Transcript failing;
  failing.answers_error("READONLY You can't write against a read only replica.");
  EXPECT_EQ(lock.release(failing, kLease), Released::unknown);
}

// The latch protects against a copy that may yet be executed.
TEST(RedissonLock, KeepsTheLatchOfAReleaseWithoutAnswer) {
  Transcript self;
  self.answers_late();
  RedissonLock lock(with());
  lock.release(self, kLease);
  EXPECT_EQ(self.lines.size(), 1U);
}

TEST(RedissonLock, GivesBackWithoutALatchAsOfOld) {
  Transcript self;
  self.answers(1);
  RedissonLock lock(with({.own = RedissonOptions{.unlock_latch = false}}));
  EXPECT_EQ(lock.release(self, kLease), Released::ok);
  EXPECT_THAT(readable(self.lines), ElementsAre("EVALSHA {give_back_without_latch} 2 lock " +
                                                kChannel + " 0 30000 token-9:1"));
}

TEST(RedissonLock, LooksForItsOwnField) {
  Transcript self;
  RedissonLock lock(with());
  self.answers(1);
  EXPECT_EQ(lock.check_held(self, kLease), Held::yes);
  self.answers(kNone);
  EXPECT_EQ(lock.check_held(self, kLease), Held::no);
  self.answers_late();
  EXPECT_EQ(lock.check_held(self, kLease), Held::unknown);
  EXPECT_EQ(self.lines[0], "check: HEXISTS lock token-9:1");
}

TEST(RedissonLock, LooksAtAReplicaIfToldTo) {
  Transcript self;
  RedissonLock lock(with({.check_at = CheckAt::replica}));
  lock.check_held(self, kLease);
  EXPECT_THAT(self.lines, ElementsAre("check: at the replica HEXISTS lock token-9:1"));
}

TEST(RedissonLock, IsForcedOpenWhoeverHoldsIt) {
  Transcript self;
  RedissonLock lock(with());
  self.answers(1);
  EXPECT_EQ(lock.force_release(self, "lock", false), Released::ok);
  self.answers(kNone);
  EXPECT_EQ(lock.force_release(self, "lock", false), Released::not_held);
  self.answers_late();
  EXPECT_EQ(lock.force_release(self, "lock", false), Released::unknown);
  EXPECT_EQ(readable(self.lines)[0], "release: EVALSHA {force_open} 2 lock " + kChannel + " 0");
}

TEST(RedissonLock, IsForcedOpenForTheHolderThatWasSeen) {
  Transcript self;
  RedissonLock lock(with());
  self.answers_words({"other:2"});
  self.answers(1);
  EXPECT_EQ(lock.force_release(self, "lock", true), Released::ok);
  EXPECT_THAT(readable(self.lines),
              ElementsAre("check: HKEYS lock",
                          "release: EVALSHA {force_open_of} 2 lock " + kChannel + " 0 other:2"));
}

TEST(RedissonLock, IsNotForcedOpenWhereNobodyWasSeen) {
  Transcript self;
  RedissonLock lock(with());
  self.answers_words({});
  EXPECT_EQ(lock.force_release(self, "lock", true), Released::not_held);
  EXPECT_EQ(self.lines.size(), 1U);
}

// ---------------------------------------------------------------- replicas (1.5)

const std::string kInfo = "upkeep: INFO replication";
const std::string kTwoReplicas = "# Replication\r\nrole:master\r\nconnected_slaves:2\r\n";
const auto kGiveBack = testing::StartsWith("EVALSHA {give_back} 3 lock");
const auto kForget = testing::StartsWith("without waiting: upkeep: DEL");

// An answer to the script, and how many replicas have its effects.
void answers_synced(Transcript& self, std::optional<std::int64_t> answer, std::int64_t replicas) {
  self.answers(kTwoReplicas);
  if (answer) {
    self.answers(*answer);
  } else {
    self.answers_nil();
  }
  self.answers(replicas);
}

TEST(RedissonLock, WaitsForOneReplicaOfThoseConnected) {
  Transcript self;
  self.answers(kTwoReplicas);
  self.answers_nil();
  self.answers(1);
  RedissonLock lock(with({.own = RedissonOptions{.sync_replicas = true}}));
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines), ElementsAre(kInfo, kTake, "WAIT 2 1000"));
}

TEST(RedissonLock, WaitsForNobodyWhereNoReplicaIsConnected) {
  Transcript self;
  self.answers("role:master\r\nconnected_slaves:0\r\n");
  self.answers_nil();
  RedissonLock lock(with({.own = RedissonOptions{.sync_replicas = true}}));
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines), ElementsAre(kInfo, kTake));
}

TEST(RedissonLock, GivesBackWhatNoReplicaHasAndTriesAgain) {
  Transcript self;
  answers_synced(self, {}, kNone);
  answers_synced(self, 1, 2);
  self.answers_nil();
  self.answers(2);
  RedissonLock lock(
      with({.resend = 4, .resend_delay = 1s, .own = RedissonOptions{.sync_replicas = true}}));
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines),
              ElementsAre(kInfo, kTake, "WAIT 2 1000", kInfo, kGiveBack, "WAIT 2 1000", kForget,
                          "sleep 1000ms", kTake, "WAIT 2 1000"));
}

// An exception, whatever the script has answered.
TEST(RedissonLock, TriesAgainAfterARefusalThatNoReplicaHeardOf) {
  Transcript self;
  answers_synced(self, 30000, kNone);
  answers_synced(self, {}, 2);
  self.answers_nil();
  self.answers(2);
  RedissonLock lock(
      with({.resend = 4, .resend_delay = 1s, .own = RedissonOptions{.sync_replicas = true}}));
  EXPECT_TRUE(lock.try_acquire(self, "lock"));
}

TEST(RedissonLock, TakesAWaitWithoutAnswerForNoReplica) {
  Transcript self;
  self.answers(kTwoReplicas);
  self.answers_nil();
  self.answers_late();
  self.answers(kTwoReplicas);
  RedissonLock lock(with({.own = RedissonOptions{.sync_replicas = true}}));
  lock.acquire(self, "lock");
  EXPECT_THAT(readable(self.lines)[4], kGiveBack);
}

TEST(RedissonLock, TriesAsOftenAsItSendsAgainAndThenNoLonger) {
  Transcript self;
  for (int i = 0; i < 6; ++i) {
    answers_synced(self, {}, kNone);
    answers_synced(self, 1, kNone);
  }
  RedissonLock lock(
      with({.resend = 4, .resend_delay = 1s, .own = RedissonOptions{.sync_replicas = true}}));
  const Acquired acquired = lock.acquire(self, "lock");
  EXPECT_FALSE(acquired);
  EXPECT_FALSE(acquired.is_unknown());
  EXPECT_EQ(std::ranges::count(readable(self.lines), kTake), 5);
  EXPECT_EQ(self.now, 4s);
}

// Undoing an inner hold does not affect what the watchdog knows of the outer one.
TEST(RedissonLock, StillRenewsTheOuterHoldOnceAnInnerOneWasUndone) {
  Transcript self;
  answers_synced(self, {}, 2);
  self.answers_nil();
  self.answers(kNone);
  answers_synced(self, 0, 2);
  RedissonLock lock(with({.own = RedissonOptions{.sync_replicas = true}}));
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
  struct Enough {};
  self.on_sleep = [&self, passes = 0]() mutable {
    if (++passes == 3) throw Enough{};
    self.answers_numbers({1});
  };
  self.lines.clear();
  EXPECT_THROW(self.threads.at(0)(self), Enough);
  EXPECT_THAT(readable(self.lines),
              testing::Contains("renew: EVALSHA {extend} 1 lock 30000 token-1:1"));
}

TEST(RedissonLock, GivesBackAgainWhatNoReplicaHasHeardOfByTheSameLatch) {
  Transcript self;
  answers_synced(self, 1, kNone);
  answers_synced(self, 1, 2);
  RedissonLock lock(
      with({.resend = 4, .resend_delay = 1s, .own = RedissonOptions{.sync_replicas = true}}));
  EXPECT_EQ(lock.release(self, {.key = "lock", .token = "token-1:1"}), Released::ok);
  EXPECT_THAT(readable(self.lines), ElementsAre(kInfo, kGiveBack, "WAIT 2 1000", "sleep 1000ms",
                                                kInfo, kGiveBack, "WAIT 2 1000", kForget));
  EXPECT_EQ(self.lines[1], self.lines[5]);
}

}  // namespace
}  // namespace picklock::models::locks::redisson::lock_tests
