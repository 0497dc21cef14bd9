// The spin, fenced and fair locks over the simulated network (docs/facts/algorithms.md 1.8-1.10).
#include "models/locks/redisson/kin.h"

#include <gmock/gmock.h>

#include "testing/locks/readable.h"
#include "testing/locks/transcript.h"
#include "testing/small_world.h"

namespace picklock::models::locks::redisson::kin_tests {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;

constexpr std::int64_t kNone = 0;
const Lease kLease{.key = "lock", .token = "token-9:1", .ttl = 30s};

LockOptions with(LockOptions options = {}) {
  options.ttl = 30s;
  options.renew = Renew::conditional;
  return options;
}

std::unique_ptr<Lock> lock_of(const Algorithm& algorithm, const LockOptions& options) {
  return algorithm.make(options);
}

// ---------------------------------------------------------------- spin lock (1.10)

TEST(RedissonSpinLock, SleepsTwiceAsLongEachTimeUpTo128Milliseconds) {
  Transcript self;
  for (int i = 0; i < 11; ++i) self.answers(30000);
  self.answers_nil();
  EXPECT_TRUE(lock_of(redisson_spin_lock(), with())->acquire(self, "lock"));
  std::vector<std::string> sleeps = self.lines;
  std::erase_if(sleeps, [](const std::string& line) { return !line.starts_with("sleep"); });
  EXPECT_THAT(sleeps, ElementsAre("sleep 1ms", "sleep 2ms", "sleep 4ms", "sleep 8ms", "sleep 16ms",
                                  "sleep 32ms", "sleep 64ms", "sleep 128ms", "sleep 128ms",
                                  "sleep 128ms", "sleep 128ms"));
}

TEST(RedissonSpinLock, HearsNoChannel) {
  Transcript self;
  self.answers(30000);
  self.answers_nil();
  EXPECT_TRUE(lock_of(redisson_spin_lock(), with())->acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines),
              ElementsAre("EVALSHA {take} 1 lock 30000 token-1:1", "sleep 1ms",
                          "EVALSHA {take} 1 lock 30000 token-1:1"));
}

TEST(RedissonSpinLock, GivesUpWithItsPatience) {
  Transcript self;
  for (int i = 0; i < 9; ++i) self.answers(30000);
  const Acquired acquired =
      lock_of(redisson_spin_lock(), with({.acquire_timeout = 10ms}))->acquire(self, "lock");
  EXPECT_FALSE(acquired);
  EXPECT_FALSE(acquired.is_unknown());
  EXPECT_EQ(self.now, 10ms);
  EXPECT_EQ(self.lines[self.lines.size() - 2], "sleep 3ms");
}

TEST(RedissonSpinLock, GivesBackInSilence) {
  Transcript self;
  self.answers(1);
  EXPECT_EQ(lock_of(redisson_spin_lock(), with())->release(self, kLease), Released::ok);
  EXPECT_THAT(
      readable(self.lines),
      ElementsAre("EVALSHA {give_back_silently} 2 lock redisson_unlock_latch:{lock}:token-1 30000 "
                  "token-9:1 3000",
                  "without waiting: upkeep: DEL redisson_unlock_latch:{lock}:token-1"));
}

// ---------------------------------------------------------------- fenced lock (1.8)

TEST(RedissonFencedLock, HasTheTokenThatCameWithTheGrant) {
  Transcript self;
  self.answers_numbers({-1, 7});
  const Acquired acquired = lock_of(redisson_fenced_lock(), with())->acquire(self, "lock");
  ASSERT_TRUE(acquired);
  EXPECT_EQ(acquired.lease().fence, 7);
  EXPECT_THAT(readable(self.lines),
              ElementsAre("EVALSHA {take_fenced} 2 lock redisson_lock_token:{lock} 30000 "
                          "token-1:1"));
}

TEST(RedissonFencedLock, WaitsForWhatIsLeftOfTheHoldersLease) {
  Transcript self;
  self.answers_numbers({30000, -1});
  self.answers_numbers({5000, -1});
  self.answers_numbers({-1, 8});
  EXPECT_TRUE(lock_of(redisson_fenced_lock(), with())->acquire(self, "lock"));
  EXPECT_THAT(self.lines, Contains("wait 5000ms"));
}

// A refusal by a holder without a lease is -1 twice.
TEST(RedissonFencedLock, TakesNoRefusalForAGrant) {
  Transcript self;
  self.answers_numbers({-1, -1});
  EXPECT_FALSE(lock_of(redisson_fenced_lock(), with())->try_acquire(self, "lock"));
}

TEST(RedissonFencedLock, DoesNotKnowWhatBecameOfATryWithoutAnswer) {
  Transcript self;
  self.answers_late();
  EXPECT_TRUE(lock_of(redisson_fenced_lock(), with())->acquire(self, "lock").is_unknown());
}

TEST(RedissonFencedLock, MintsLargerTokensForNestedAcquiresToo) {
  SmallWorld world({.clients = 2});
  std::vector<std::int64_t> tokens;
  std::vector<std::unique_ptr<Lock>> locks;
  for (std::uint32_t number : {1U, 2U}) {
    Lock& lock = *locks.emplace_back(redisson_fenced_lock().make(with()));
    world.client(number, [&](SmallWorld&, Client& self) {
      for (int i = 0; i < 2; ++i) {
        const Acquired outer = lock.acquire(self, "lock");
        const Acquired inner = lock.acquire(self, "lock");
        tokens.push_back(outer.lease().fence);
        tokens.push_back(inner.lease().fence);
        lock.release(self, inner.lease());
        lock.release(self, outer.lease());
      }
    });
  }
  world.run();
  EXPECT_THAT(tokens, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

// ---------------------------------------------------------------- fair lock (1.9)

const std::string kQueueKeys = "3 lock redisson_lock_queue:{lock} redisson_lock_timeout:{lock}";
const std::string kOwnChannel = "redisson_lock__channel:{lock}:token-1:1";

TEST(RedissonFairLock, TellsItsClocksTimeAndHowLongItWaits) {
  Transcript self;
  self.now = 5s;
  self.offset = 1h;
  self.answers_nil();
  EXPECT_TRUE(lock_of(redisson_fair_lock(), with({.acquire_timeout = 4s}))->acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines), ElementsAre("EVALSHA {take_in_turn} " + kQueueKeys +
                                                " 30000 token-1:1 4000 3605000"));
}

TEST(RedissonFairLock, HasAPlaceForFiveMinutesWhereItWaitsForEver) {
  Transcript self;
  self.answers_nil();
  EXPECT_TRUE(lock_of(redisson_fair_lock(), with())->acquire(self, "lock"));
  EXPECT_EQ(readable(self.lines)[0],
            "EVALSHA {take_in_turn} " + kQueueKeys + " 30000 token-1:1 300000 0");
}

TEST(RedissonFairLock, DoesNotQueueForASingleTry) {
  Transcript self;
  self.answers(1);
  EXPECT_FALSE(lock_of(redisson_fair_lock(), with())->try_acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines),
              ElementsAre("EVALSHA {take_if_first} " + kQueueKeys + " 30000 token-1:1 300000 0"));
}

TEST(RedissonFairLock, HearsAChannelOfItsOwn) {
  Transcript self;
  self.answers(30000);
  self.answers_nil();
  EXPECT_TRUE(lock_of(redisson_fair_lock(), with())->acquire(self, "lock"));
  EXPECT_EQ(self.lines[1], "subscribe " + kOwnChannel);
}

TEST(RedissonFairLock, LeavesTheQueueWhenItGivesUp) {
  Transcript self;
  self.answers(30000);
  self.answers(30000);
  EXPECT_FALSE(lock_of(redisson_fair_lock(), with({.acquire_timeout = 4s}))->acquire(self, "lock"));
  EXPECT_EQ(readable(self.lines)[4],
            "upkeep: EVALSHA {leave_queue} 2 redisson_lock_queue:{lock} "
            "redisson_lock_timeout:{lock} token-1:1 4000");
}

TEST(RedissonFairLock, LeavesTheQueueWhereItCannotHearInTime) {
  Transcript self;
  self.deaf = true;
  self.answers(30000);
  EXPECT_FALSE(lock_of(redisson_fair_lock(), with({.acquire_timeout = 4s}))->acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines).back(), testing::StartsWith("upkeep: EVALSHA {leave_queue}"));
}

// An exception, in the library: nobody removes the place.
TEST(RedissonFairLock, StaysInTheQueueWhenItIsInterruptedOrCannotHearForEver) {
  for (const bool deaf : {false, true}) {
    Transcript self;
    self.deaf = deaf;
    self.interrupted = !deaf;
    self.answers(30000);
    self.answers(30000);
    EXPECT_FALSE(lock_of(redisson_fair_lock(), with())->acquire(self, "lock"));
    EXPECT_THAT(readable(self.lines),
                testing::Not(Contains(testing::StartsWith("upkeep: EVALSHA {leave_queue}"))));
  }
}

TEST(RedissonFairLock, CallsTheNextWhereItIsForcedOpen) {
  Transcript self;
  self.now = 5s;
  self.answers(1);
  const std::unique_ptr<Lock> lock = lock_of(redisson_fair_lock(), with());
  EXPECT_EQ(dynamic_cast<ForcedRelease&>(*lock).force_release(self, "lock", false), Released::ok);
  EXPECT_THAT(readable(self.lines),
              ElementsAre("release: EVALSHA {force_open_for_next} 4 " + kQueueKeys.substr(2) +
                          " redisson_lock__channel:{lock} 0 5000 "));
}

TEST(RedissonFairLock, GivesBackWhatNoReplicaHas) {  // 1.5
  Transcript self;
  self.answers("role:master\r\nconnected_slaves:2\r\n");
  self.answers_nil();
  self.answers(kNone);
  EXPECT_FALSE(lock_of(redisson_fair_lock(), with({.own = RedissonOptions{.sync_replicas = true}}))
                   ->try_acquire(self, "lock"));
  EXPECT_THAT(readable(self.lines), Contains(testing::StartsWith("EVALSHA {give_to_next}")));
}

TEST(RedissonFairLock, GivesBackToWhoeverIsNext) {
  Transcript self;
  self.now = 5s;
  self.answers(kNone);
  EXPECT_EQ(lock_of(redisson_fair_lock(), with())->release(self, kLease), Released::ok);
  EXPECT_EQ(readable(self.lines)[0],
            "EVALSHA {give_to_next} 5 lock redisson_lock_queue:{lock} "
            "redisson_lock_timeout:{lock} redisson_unlock_latch:{lock}:token-1 "
            "redisson_lock__channel:{lock} 0 30000 token-9:1 5000 3000");
}

// docs/facts/failures.md D-07
TEST(RedissonFairLock, RefreshesItsPlaceWhileItWaitsIfToldTo) {
  for (const bool refreshes : {false, true}) {
    Transcript self;
    self.answers(30000);
    self.answers(30000);
    self.answers(1);
    const auto lock =
        lock_of(redisson_fair_lock(),
                with({.acquire_timeout = 4s, .own = FairOptions{.refresh_place = refreshes}}));
    EXPECT_FALSE(lock->acquire(self, "lock"));
    const auto kept =
        Contains("upkeep: EVALSHA {keep_place} 1 redisson_lock_timeout:{lock} token-1:1 4000 0");
    EXPECT_EQ(testing::Matches(kept)(readable(self.lines)), refreshes);
  }
}

// Clients 2, 3 and 4 come one after the other while client 1 holds the lock for 5 s; each holds it
// for 1 s. A negative number is a client that gave up.
std::vector<int> order(const LockOptions& options, Duration patience_of_3, SmallWorld& world) {
  world.reset({.clients = 4, .tracing = true});
  std::vector<int> served;
  static std::deque<std::unique_ptr<Lock>> locks;
  locks.clear();
  for (std::uint32_t number = 1; number <= 4; ++number) {
    LockOptions mine = options;
    if (number == 3) mine.acquire_timeout = patience_of_3;
    Lock& lock = *locks.emplace_back(redisson_fair_lock().make(mine));
    world.client(number, [&served, &lock, number](SmallWorld&, Client& self) {
      const int me = static_cast<int>(number);
      self.sleep((number - 1) * 100ms);
      const Acquired acquired = lock.acquire(self, "lock");
      served.push_back(acquired ? me : -me);
      if (!acquired) return;
      self.sleep(number == 1 ? 5s : 1s);
      lock.release(self, acquired.lease());
    });
  }
  world.run();
  return served;
}

TEST(RedissonFairLock, ServesWaitersAsTheyCome) {
  SmallWorld world;
  EXPECT_THAT(order(with(), {}, world), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(world.milliseconds() / 100, 80);
}

TEST(RedissonFairLock, ServesTheNextWhereOneHasGivenUp) {
  SmallWorld world;
  EXPECT_THAT(order(with(), 2s, world), ElementsAre(1, -3, 2, 4));
  EXPECT_EQ(world.milliseconds() / 100, 70);
}

}  // namespace
}  // namespace picklock::models::locks::redisson::kin_tests
