#include "models/locks/redisson/multi_lock.h"

#include <gmock/gmock.h>

#include "testing/locks/readable.h"
#include "testing/locks/transcript.h"

namespace picklock::models::locks::redisson::multi_lock_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr std::int64_t kNone = 0;

LockOptions with(LockOptions options = {}) {
  options.ttl = 30s;
  options.renew = Renew::conditional;
  options.of<QuorumOptions>().validity = Validity::never;
  return options;
}
LockOptions leased(LockOptions options = {}) {
  options.ttl = 5s;
  options.renew = Renew::none;
  return options;
}

// Leaves out commands that are posted and waits for threads; shows releases as "at redis-2 gives
// back".
std::vector<std::string> told(const Transcript& self) {
  std::vector<std::string> all = readable(self.lines);
  std::erase_if(
      all, [](const std::string& line) { return line.starts_with("without") || line == "wait"; });
  for (std::string& line : all) {
    const std::size_t from = line.find("EVALSHA {give_back}");
    if (from != std::string::npos) line.replace(from, std::string::npos, "gives back");
  }
  return all;
}

std::string take_by(const std::string& owner, const std::string& lease = "30000") {
  return "EVALSHA {take} 1 lock " + lease + " " + owner;
}
std::string at(int server, const std::string& line) {
  return "at redis-" + std::to_string(server) + " " + line;
}

const std::string kTake1 = take_by("token-1:1");
const std::string kTake2 = at(2, take_by("token-2:1"));
const std::string kTake3 = at(3, take_by("token-3:1"));
const std::string kChannel = "redisson_lock__channel:{lock}";

// ---------------------------------------------------------------- MultiLock (1.6)

TEST(RedissonMultiLock, TakesItsLocksInOrder) {
  Transcript self;
  self.servers = 2;
  self.answers_nil();
  self.answers_nil();
  MultiLock lock(with());
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(told(self), ElementsAre(kTake1, kTake2));
}

TEST(RedissonMultiLock, GivesBackWhatItHasWhereOneIsRefused) {
  Transcript self;
  self.servers = 3;
  self.answers_nil();
  self.answers_nil();
  self.answers(30000);
  self.answers(1);
  self.answers(1);
  MultiLock lock(with());
  const Acquired acquired = lock.try_acquire(self, "lock");
  EXPECT_FALSE(acquired);
  EXPECT_FALSE(acquired.is_unknown());
  EXPECT_THAT(told(self), ElementsAre(kTake1, kTake2, kTake3, "gives back", at(2, "gives back")));
}

TEST(RedissonMultiLock, GivesTheOthersBackWhereTheFirstIsLostMeanwhile) {
  Transcript self;
  self.servers = 3;
  self.answers_nil();
  self.answers_nil();
  self.answers(30000);
  self.answers_nil();
  self.answers(1);
  MultiLock lock(with());
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
  EXPECT_EQ(told(self).back(), at(2, "gives back"));
}

// The one that may have been granted is released too, once.
TEST(RedissonMultiLock, BeginsAnewAfterATryWithoutAnswerWhileItIsPatient) {
  Transcript self;
  self.servers = 2;
  self.answers_nil();
  self.answers_late();
  self.answers_nil();
  self.answers(1);
  self.answers_nil();
  self.answers_nil();
  MultiLock lock(with({.acquire_timeout = 10s}));
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(told(self),
              ElementsAre(kTake1, kTake2, at(2, "gives back"), "gives back", kTake1, kTake2));
}

TEST(RedissonMultiLock, SpendsOnePatienceOnAllOfThem) {
  Transcript self;
  self.servers = 2;
  self.answers(2000);
  self.answers(2000);
  self.answers_nil();
  self.answers(30000);
  self.answers(30000);
  self.answers(1);
  MultiLock lock(with({.acquire_timeout = 5s}));
  EXPECT_FALSE(lock.acquire(self, "lock"));
  EXPECT_THAT(told(self),
              ElementsAre(kTake1, "subscribe " + kChannel, kTake1, "wait 2000ms", kTake1,
                          "unsubscribe " + kChannel, kTake2, at(2, "subscribe " + kChannel), kTake2,
                          "wait 3000ms", at(2, "unsubscribe " + kChannel), "gives back"));
  EXPECT_EQ(self.now, 5s);
}

TEST(RedissonMultiLock, BeginsAnewForEverWith1500MillisecondsForEachServer) {
  Transcript self;
  self.servers = 2;
  self.answers(30000);
  self.answers(30000);
  self.answers_nil();
  self.answers_nil();
  MultiLock lock(with());
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_EQ(self.now, 3s);
  EXPECT_EQ(told(self)[3], "wait 3000ms");
}

// The test client draws the maximum: for a lease of 5 s, from between 3 s and 5 s.
TEST(RedissonMultiLock, DrawsItsPatienceByTheLease) {
  for (const Duration lease : {5s, 2s}) {
    Transcript self;
    self.servers = 2;
    self.answers(30000);
    self.answers(30000);
    self.answers_nil();
    self.answers_nil();
    LockOptions options = leased();
    options.ttl = lease;
    MultiLock lock(options);
    EXPECT_TRUE(lock.acquire(self, "lock"));
    EXPECT_EQ(self.now, lease);
  }
}

TEST(RedissonMultiLock, HoldsOnAsLongAsTwiceItsPatienceAndSetsItsLeasesInTheEnd) {
  Transcript self;
  self.servers = 2;
  self.answers_nil();
  self.answers_nil();
  MultiLock lock(leased({.acquire_timeout = 4s}));
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(told(self),
              ElementsAre(take_by("token-1:1", "8000"), at(2, take_by("token-2:1", "8000"))));
  self.lines.clear();
  ASSERT_EQ(self.threads.size(), 4U);  // two watchdogs before these
  self.answers(kNone);
  self.answers(kNone);
  self.threads[2](self);
  self.threads[3](self);
  EXPECT_THAT(self.lines,
              ElementsAre("acquire: PEXPIRE lock 5000", "acquire: at redis-2 PEXPIRE lock 5000"));
}

TEST(RedissonMultiLock, TakesItsLeaseAtOnceWhereItDoesNotWait) {
  Transcript self;
  self.servers = 1;
  self.answers_nil();
  MultiLock lock(leased());
  EXPECT_TRUE(lock.try_acquire(self, "lock"));
  EXPECT_THAT(told(self), ElementsAre(take_by("token-1:1", "5000")));
}

// The first grant may have expired by then.
TEST(RedissonMultiLock, LooksAtWhatIsLeftOfItsLeasesIfToldTo) {
  for (const Validity validity : {Validity::never, Validity::after_answers}) {
    Transcript self;
    self.servers = 2;
    self.takes = 3s;
    self.answers_nil();
    self.answers_nil();
    self.answers(1);
    self.answers(1);
    MultiLock lock(leased({.own = QuorumOptions{.validity = validity}}));
    EXPECT_EQ(bool{lock.try_acquire(self, "lock")}, validity == Validity::never);
  }
}

TEST(RedissonMultiLock, GivesBackInOrder) {
  Transcript self;
  self.servers = 2;
  self.answers_nil();
  self.answers_nil();
  MultiLock lock(with());
  const Acquired acquired = lock.acquire(self, "lock");
  self.lines.clear();
  self.answers(1);
  self.answers(1);
  EXPECT_EQ(lock.release(self, acquired.lease()), Released::ok);
  EXPECT_THAT(told(self), ElementsAre("gives back", at(2, "gives back")));
}

TEST(RedissonMultiLock, GivesBackNoFurtherThanTheFirstThatIsLost) {
  Transcript self;
  self.servers = 2;
  self.answers_nil();
  self.answers_nil();
  MultiLock lock(with());
  const Acquired acquired = lock.acquire(self, "lock");
  self.lines.clear();
  self.answers_nil();
  EXPECT_EQ(lock.release(self, acquired.lease()), Released::not_held);
  EXPECT_THAT(told(self), ElementsAre("gives back"));
}

TEST(RedissonMultiLock, IsForcedOpenOnEveryServer) {
  Transcript self;
  self.servers = 2;
  self.answers(1);
  self.answers(kNone);
  MultiLock lock(with());
  EXPECT_EQ(lock.force_release(self, "lock", false), Released::not_held);
  EXPECT_THAT(told(self),
              ElementsAre("release: EVALSHA {force_open} 2 lock " + kChannel + " 0",
                          "release: at redis-2 EVALSHA {force_open} 2 lock " + kChannel + " 0"));
}

// ---------------------------------------------------------------- RedLock (1.7)

TEST(RedissonRedLock, IsGrantedByMoreThanHalf) {
  Transcript self;
  self.servers = 3;
  self.answers(30000);
  self.answers_nil();
  self.answers_nil();
  RedLock lock(with());
  EXPECT_TRUE(lock.try_acquire(self, "lock"));
  EXPECT_THAT(told(self), ElementsAre(kTake1, kTake2, kTake3));
}

TEST(RedissonRedLock, AsksTheRestThoughItHasItsMajority) {
  Transcript self;
  self.servers = 3;
  for (int i = 0; i < 3; ++i) self.answers_nil();
  RedLock lock(with());
  EXPECT_TRUE(lock.try_acquire(self, "lock"));
  EXPECT_THAT(told(self), ElementsAre(kTake1, kTake2, kTake3));
}

TEST(RedissonRedLock, GivesUpOnceAMajorityCannotBeHad) {
  Transcript self;
  self.servers = 3;
  self.answers_nil();
  self.answers(30000);
  self.answers(30000);
  self.answers(1);
  RedLock lock(with());
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
  EXPECT_THAT(told(self), ElementsAre(kTake1, kTake2, kTake3, "gives back"));
}

TEST(RedissonRedLock, GivesEachServerItsShareOfWhatItWasGivenAtFirst) {
  Transcript self;
  self.servers = 5;
  for (int i = 0; i < 4; ++i) self.answers(30000);
  for (int i = 0; i < 3; ++i) self.answers_nil();
  RedLock lock(with({.acquire_timeout = 10s}));
  EXPECT_TRUE(lock.acquire(self, "lock"));
  std::vector<std::string> waits = self.lines;
  std::erase_if(waits, [](const std::string& line) { return !line.starts_with("wait"); });
  EXPECT_THAT(waits, ElementsAre("wait 2000ms", "wait 2000ms"));
}

TEST(RedissonRedLock, GivesBackAllOfThemWhateverComesOfIt) {
  Transcript self;
  self.servers = 3;
  for (int i = 0; i < 3; ++i) self.answers_nil();
  RedLock lock(with());
  const Acquired acquired = lock.acquire(self, "lock");
  self.lines.clear();
  self.answers_nil();
  self.answers_late();
  self.answers(1);
  EXPECT_EQ(lock.release(self, acquired.lease()), Released::ok);
  EXPECT_THAT(told(self), ElementsAre("gives back", at(2, "gives back"), at(3, "gives back")));
}

// ---------------------------------------------------------------- RedLock, fixed

struct Enough {};

// Runs the watchdog of a server until it has renewed once and got this answer.
void renew_once(Transcript& self, std::size_t server, std::int64_t answer) {
  self.answers_numbers({answer});
  self.on_sleep = [passes = 0]() mutable {
    if (++passes == 2) throw Enough{};
  };
  EXPECT_THROW(self.threads.at(server - 1)(self), Enough);
}

TEST(RedissonRedLockFixed, BelievesAsLongAsMostOfItsServersHold) {
  Transcript self;
  self.servers = 3;
  self.takes = 1s;
  for (int i = 0; i < 3; ++i) self.answers_nil();
  const auto lock = redisson_redlock_fixed().make(as_it_comes(redisson_redlock_fixed()));
  const Acquired acquired = lock->acquire(self, "lock");
  ASSERT_TRUE(acquired);
  EXPECT_EQ(acquired.lease().deadline, 31s);  // sent at 0, 1 and 2 s
  renew_once(self, 1, 1);
  EXPECT_THAT(self.lines, testing::Contains("believes until 32000ms"));
}

TEST(RedissonRedLockFixed, IsLostOnceMostOfItsServersAre) {
  Transcript self;
  self.servers = 3;
  for (int i = 0; i < 3; ++i) self.answers_nil();
  const auto lock = redisson_redlock_fixed().make(as_it_comes(redisson_redlock_fixed()));
  ASSERT_TRUE(lock->acquire(self, "lock"));
  renew_once(self, 3, 0);
  EXPECT_THAT(self.lines, testing::Not(testing::Contains("lost")));
  renew_once(self, 1, 0);
  EXPECT_THAT(self.lines, testing::Contains("lost"));
}

TEST(RedissonRedLockFixed, IsRefusedWhereTheFirstLeasesAreOverWithTheLastGrant) {
  for (const Algorithm* algorithm : {&redisson_redlock(), &redisson_redlock_fixed()}) {
    Transcript self;
    self.servers = 3;
    self.takes = 40s;
    for (int i = 0; i < 3; ++i) self.answers_nil();
    const auto lock = algorithm->make(as_it_comes(*algorithm));
    EXPECT_EQ(bool{lock->try_acquire(self, "lock")}, algorithm == &redisson_redlock());
  }
}

}  // namespace
}  // namespace picklock::models::locks::redisson::multi_lock_tests
