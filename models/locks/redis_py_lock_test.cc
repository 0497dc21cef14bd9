#include "models/locks/redis_py_lock.h"

#include <gmock/gmock.h>

#include "testing/locks/transcript.h"
#include "testing/small_world.h"

namespace picklock::models::locks::redis_py_lock_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr std::int64_t kNone = 0;
const Lease kLease{.key = "lock", .token = "token-1", .ttl = 10s};

// Removes the texts of loaded scripts, and the SHA-1 by which scripts are named.
std::vector<std::string> readable(std::vector<std::string> lines) {
  for (std::string& line : lines) {
    const std::size_t load = line.find("SCRIPT LOAD");
    if (load != std::string::npos) line.resize(load + 11);
    const std::size_t named = line.find("EVALSHA ");
    if (named != std::string::npos) line.erase(named + 7, 41);
  }
  return lines;
}

// The lines of the acquire are removed.
Lease taken(RedisPyLock& lock, Transcript& self) {
  self.answers_ok();
  Lease lease = lock.try_acquire(self, "lock").lease();
  self.lines.clear();
  return lease;
}

TEST(RedisPyLock, TakesAFreeKeyWithOneCommand) {  // 2.2
  Transcript self;
  self.answers_ok();
  RedisPyLock lock(LockOptions{.ttl = 10s});
  const Acquired acquired = lock.acquire(self, "lock");
  ASSERT_TRUE(acquired);
  EXPECT_EQ(acquired.lease().token, "token-1");
  EXPECT_EQ(acquired.lease().ttl, 10s);
  EXPECT_THAT(self.lines, ElementsAre("acquire: SET lock token-1 PX 10000 NX"));
}

TEST(RedisPyLock, SetsAKeyForEverByDefault) {  // 2.2
  Transcript self;
  self.answers_ok();
  RedisPyLock lock(LockOptions{.ttl = 0s, .renew = Renew::conditional, .deadline = true});
  const Acquired acquired = lock.acquire(self, "lock");
  ASSERT_TRUE(acquired);
  EXPECT_EQ(acquired.lease().deadline, 0s);
  EXPECT_THAT(self.lines, ElementsAre("acquire: SET lock token-1 NX"));
  EXPECT_TRUE(self.threads.empty());
}

TEST(RedisPyLock, PollsWithTheTokenOfItsAcquire) {  // 2.2
  Transcript self;
  self.answers_nil();
  self.answers_ok();
  RedisPyLock lock(LockOptions{.retry_every = 100ms});
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(self.lines, ElementsAre("acquire: SET lock token-1 PX 10000 NX", "sleep 100ms",
                                      "acquire: SET lock token-1 PX 10000 NX"));
  self.answers_ok();
  EXPECT_EQ(lock.acquire(self, "lock").lease().token, "token-2");
}

TEST(RedisPyLock, DoesNotSleepBeyondItsTime) {  // 2.2
  Transcript self;
  for (int i = 0; i < 9; ++i) self.answers_nil();
  RedisPyLock lock(LockOptions{.retry_every = 100ms, .acquire_timeout = 250ms});
  const Acquired acquired = lock.acquire(self, "lock");
  EXPECT_FALSE(acquired);
  EXPECT_FALSE(acquired.is_unknown());
  EXPECT_EQ(self.now, 200ms);
}

TEST(RedisPyLock, PollsAtTheVeryEndOfItsTime) {
  Transcript self;
  for (int i = 0; i < 9; ++i) self.answers_nil();
  RedisPyLock lock(LockOptions{.retry_every = 100ms, .acquire_timeout = 200ms});
  EXPECT_FALSE(lock.acquire(self, "lock"));
  EXPECT_EQ(self.lines.size(), 5U);
}

TEST(RedisPyLock, TriesNoOftenerThanItIsTold) {
  Transcript self;
  for (int i = 0; i < 9; ++i) self.answers_nil();
  RedisPyLock lock(LockOptions{.retry_every = 100ms, .attempts = 3});
  EXPECT_FALSE(lock.acquire(self, "lock"));
  EXPECT_EQ(self.now, 200ms);
}

// An exception: no further poll, and the key may stay forever.
TEST(RedisPyLock, DoesNotKnowWhatBecameOfATryWithoutAnswer) {
  Transcript self;
  self.answers_nil();
  self.answers_late();
  RedisPyLock lock(LockOptions{.retry_every = 100ms, .acquire_timeout = 1s});
  EXPECT_TRUE(lock.acquire(self, "lock").is_unknown());
  EXPECT_EQ(self.lines.size(), 3U);
}

// The client layer has sent it again: the client's own key looks like another's.
TEST(RedisPyLock, NeverRecognisesItsOwnKey) {  // 2.2
  Transcript self;
  self.answers_nil_to_a_copy();
  RedisPyLock lock(LockOptions{.attempts = 1});
  EXPECT_FALSE(lock.acquire(self, "lock"));
  EXPECT_THAT(self.lines, ElementsAre("acquire: SET lock token-1 PX 10000 NX"));
}

TEST(RedisPyLock, CountsItsDeadlineFromTheSendingOfTheTryThatWasGranted) {
  Transcript self;
  self.now = 7s;
  self.answers_nil();
  self.answers_ok();
  RedisPyLock lock(LockOptions{.ttl = 10s, .retry_every = 100ms, .deadline = true});
  EXPECT_EQ(lock.acquire(self, "lock").lease().deadline, 17100ms);
}

TEST(RedisPyLock, GivesBackByAScriptThatItLoadsWhereItMust) {
  Transcript self;
  RedisPyLock lock{LockOptions{}};
  const Lease lease = taken(lock, self);
  self.answers_error("NOSCRIPT No matching script. Please use EVAL.");
  self.answers("its name");
  self.answers(1);
  EXPECT_EQ(lock.release(self, lease), Released::ok);
  EXPECT_THAT(readable(self.lines),
              ElementsAre("release: EVALSHA 1 lock token-1", "upkeep: SCRIPT LOAD",
                          "release: EVALSHA 1 lock token-1"));
}

TEST(RedisPyLock, TellsWhatBecameOfARelease) {
  RedisPyLock lock{LockOptions{}};
  Transcript lost;
  Lease lease = taken(lock, lost);
  lost.answers(kNone);
  EXPECT_EQ(lock.release(lost, lease), Released::not_held);
  Transcript silent;
  lease = taken(lock, silent);
  silent.answers_late();
  EXPECT_EQ(lock.release(silent, lease), Released::unknown);
  Transcript failing;
  lease = taken(lock, failing);
  failing.answers_error("READONLY You can't write against a read only replica.");
  EXPECT_EQ(lock.release(failing, lease), Released::unknown);
}

// The object forgets the token before it sends the release.
TEST(RedisPyLock, ReleasesOnceWhateverBecomesOfIt) {
  RedisPyLock lock{LockOptions{}};
  Transcript self;
  const Lease lease = taken(lock, self);
  self.answers_late();
  EXPECT_EQ(lock.release(self, lease), Released::unknown);
  const std::size_t sent = self.lines.size();
  EXPECT_EQ(lock.release(self, lease), Released::not_held);
  EXPECT_EQ(self.lines.size(), sent);
}

TEST(RedisPyLock, LooksForItsOwnToken) {
  Transcript self;
  RedisPyLock lock(LockOptions{.check_at = CheckAt::replica});
  self.answers("token-1");
  EXPECT_EQ(lock.check_held(self, kLease), Held::yes);
  self.answers("token-2");
  EXPECT_EQ(lock.check_held(self, kLease), Held::no);
  self.answers_nil();
  EXPECT_EQ(lock.check_held(self, kLease), Held::no);
  self.answers_late();
  EXPECT_EQ(lock.check_held(self, kLease), Held::unknown);
  EXPECT_EQ(self.lines[0], "check: at the replica GET lock");
}

TEST(RedisPyLock, IsForcedOpenAtOnceOrForTheHolderThatWasSeen) {
  Transcript self;
  RedisPyLock lock{LockOptions{}};
  self.answers(1);
  EXPECT_EQ(lock.force_release(self, "lock", false), Released::ok);
  self.answers("token-7");
  self.answers(1);
  EXPECT_EQ(lock.force_release(self, "lock", true), Released::ok);
  EXPECT_THAT(readable(self.lines), ElementsAre("release: DEL lock", "check: GET lock",
                                                "release: EVALSHA 1 lock token-7"));
}

TEST(RedisPyLock, IsNotForcedOpenWhereNobodyWasSeen) {
  Transcript self;
  self.answers_nil();
  RedisPyLock lock{LockOptions{}};
  EXPECT_EQ(lock.force_release(self, "lock", true), Released::not_held);
  EXPECT_EQ(self.lines.size(), 1U);
}

// ---------------------------------------------------------------- renewal

// Renewals get these answers, one after the other; the release comes after the last.
std::vector<std::string> renewed(std::vector<std::optional<std::int64_t>> answers,
                                 LockOptions options = {}) {
  Transcript self;
  self.answers_ok();
  options.ttl = 9s;
  options.renew = Renew::conditional;
  RedisPyLock lock(options);
  const Lease lease = lock.acquire(self, "lock").lease();
  self.lines.clear();
  for (const auto& answer : answers) answer ? self.answers(*answer) : self.answers_late();
  self.on_sleep = [&, naps = answers.size()]() mutable {
    if (naps-- == 0) lock.release(self, lease);
  };
  self.threads[0](self);
  return readable(self.lines);
}

const std::string kRestore = "renew: EVALSHA 1 lock token-1 9000";

TEST(RedisPyLock, RestoresItsLeaseEveryThirdOfIt) {
  EXPECT_THAT(renewed({1, 1}), ElementsAre("sleep 3000ms", kRestore, "sleep 3000ms", kRestore,
                                           "sleep 3000ms", "release: EVALSHA 1 lock token-1"));
}

TEST(RedisPyLock, RestoresItsLeaseAsOftenAsItIsTold) {
  EXPECT_EQ(renewed({1}, {.renew_every = 1s})[0], "sleep 1000ms");
}

TEST(RedisPyLock, TriesARenewalWithoutAnswerAgain) {
  EXPECT_THAT(renewed({std::nullopt, 1}), ElementsAre("sleep 3000ms", kRestore, "sleep 3000ms",
                                                      kRestore, "sleep 3000ms", testing::_));
}

TEST(RedisPyLock, TellsALossAndRenewsNoLonger) {
  EXPECT_THAT(renewed({kNone, 1}), ElementsAre("sleep 3000ms", kRestore, "lost"));
  EXPECT_THAT(renewed({kNone, 1}, {.tell_loss = false}), ElementsAre("sleep 3000ms", kRestore));
}

TEST(RedisPyLock, BelievesAsLongAsItsLastRenewalReaches) {
  EXPECT_EQ(renewed({1}, {.deadline = true})[2], "believes until 12000ms");
}

// ---------------------------------------------------------------- on a server

TEST(RedisPyLock, GivesBackAndRestoresWhatIsItsOwnOnly) {
  SmallWorld world({.clients = 2});
  RedisPyLock first(LockOptions{.ttl = 9s, .renew = Renew::conditional});
  RedisPyLock second(LockOptions{.ttl = 60s});
  world.client(1, [&](SmallWorld&, Client& self) {
    const Acquired acquired = first.acquire(self, "lock");
    self.sleep(8s);
    EXPECT_GT(redis::server(self).pttl("lock").integer, 3000);
    redis::server(self).del("lock");
    self.sleep(4s);
    EXPECT_EQ(first.release(self, acquired.lease()), Released::not_held);
    EXPECT_GT(redis::server(self).pttl("lock").integer, 50000);
  });
  world.client(2, [&](SmallWorld&, Client& self) {
    self.sleep(8100ms);
    EXPECT_TRUE(second.acquire(self, "lock"));
    self.sleep(10s);
  });
  world.run();
}

}  // namespace
}  // namespace picklock::models::locks::redis_py_lock_tests
