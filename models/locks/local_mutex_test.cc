#include "models/locks/local_mutex.h"

#include <gmock/gmock.h>

#include "models/locks/set_px_lock.h"
#include "testing/locks/transcript.h"
#include "testing/small_world.h"

namespace picklock::models::locks::local_mutex_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr std::int64_t kNone = 0;
const Lease kLease{.key = "lock", .token = "token-1", .ttl = 10s};

LocalMutexInFront in_front(const LockOptions& options) {
  return {options, std::make_unique<LuaCheckDelete>(options)};
}

TEST(LocalMutex, IsLockedBeforeTheServerIsAsked) {
  Transcript self;
  self.answers_ok();
  LocalMutexInFront lock = in_front({.local_mutex = LocalMutex::kept_on_error});
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(self.lines, ElementsAre("locks its mutex", "SET lock token-1 NX PX 10000"));
}

TEST(LocalMutex, IsFreedAfterTheRelease) {
  Transcript self;
  self.answers_ok();
  LocalMutexInFront lock = in_front({.local_mutex = LocalMutex::kept_on_error});
  lock.acquire(self, "lock");
  self.lines.clear();
  self.answers(1);
  EXPECT_EQ(lock.release(self, kLease), Released::ok);
  EXPECT_THAT(self.lines, ElementsAre(testing::StartsWith("EVAL"), "frees its mutex"));
}

TEST(LocalMutex, IsFreedWhereTheLockIsRefused) {
  Transcript self;
  self.answers_nil();
  self.answers_late();
  LocalMutexInFront lock =
      in_front({.acquire_timeout = 50ms, .local_mutex = LocalMutex::kept_on_error});
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
  EXPECT_EQ(self.lines.back(), "frees its mutex");
  EXPECT_TRUE(lock.try_acquire(self, "lock").is_unknown());
  EXPECT_EQ(self.lines.back(), "frees its mutex");
  self.answers_nil();
  EXPECT_FALSE(lock.acquire(self, "lock"));
  EXPECT_EQ(self.lines.back(), "frees its mutex");
}

TEST(LocalMutex, KeepsOthersOfItsProcessFromTheServer) {
  Transcript self;
  self.answers_ok();
  LocalMutexInFront lock =
      in_front({.acquire_timeout = 4s, .local_mutex = LocalMutex::kept_on_error});
  lock.acquire(self, "lock");
  self.lines.clear();
  EXPECT_FALSE(lock.try_acquire(self, "lock"));
  EXPECT_FALSE(lock.acquire(self, "lock"));
  EXPECT_THAT(self.lines, ElementsAre("wait 4000ms"));
}

// docs/facts/failures.md D-12
TEST(LocalMutex, StaysLockedWhereTheReleaseFailsUnlessItIsFreedInAnyCase) {
  for (const LocalMutex how : {LocalMutex::kept_on_error, LocalMutex::freed}) {
    for (const bool answered : {true, false}) {
      Transcript self;
      self.answers_ok();
      LocalMutexInFront lock = in_front({.local_mutex = how});
      lock.acquire(self, "lock");
      answered ? self.answers(kNone) : self.answers_late();
      EXPECT_EQ(lock.release(self, kLease), answered ? Released::not_held : Released::unknown);
      EXPECT_EQ(self.lines.back() == "frees its mutex", how == LocalMutex::freed);
      self.answers_ok();
      EXPECT_EQ(bool{lock.try_acquire(self, "lock")}, how == LocalMutex::freed);
    }
  }
}

TEST(LocalMutex, LetsAnOperatorPass) {
  Transcript self;
  self.answers_ok();
  LocalMutexInFront lock = in_front({.local_mutex = LocalMutex::freed});
  lock.acquire(self, "lock");
  self.lines.clear();
  lock.force_release(self, "lock", false);
  lock.check_held(self, kLease);
  EXPECT_THAT(self.lines, ElementsAre(testing::_, "check: GET lock"));
}

TEST(LocalMutex, ServesTheThreadsOfItsProcessInOrder) {
  SmallWorld world;
  LocalMutexInFront lock = in_front({.retry_every = 1s, .local_mutex = LocalMutex::freed});
  std::vector<std::pair<int, std::int64_t>> served;
  for (int i = 1; i <= 3; ++i) {
    world.client(1, [&, i](SmallWorld& all, Client& self) {
      self.sleep(i * 10ms);
      const Acquired acquired = lock.acquire(self, "lock");
      served.emplace_back(i, all.milliseconds());
      self.sleep(100ms);
      lock.release(self, acquired.lease());
    });
  }
  world.run();
  // Each takes 1 ms for a command and 1 ms for the release before it; none has to poll.
  EXPECT_THAT(served, ElementsAre(std::pair(1, 11), std::pair(2, 113), std::pair(3, 215)));
}

// Another client holds the lock all the time: the second thread has spent three of its four seconds
// waiting for the first.
TEST(LocalMutex, SpendsOnePatienceOnTheMutexAndTheLock) {
  SmallWorld world({.clients = 2});
  LocalMutexInFront lock = in_front(
      {.retry_every = 100ms, .acquire_timeout = 4s, .local_mutex = LocalMutex::kept_on_error});
  world.client(2, [](SmallWorld&, Client& self) { redis::server(self).set("lock", "another's"); });
  std::vector<std::int64_t> gave_up;
  for (const Duration arrival : {10ms, 1010ms}) {
    world.client(1, [&, arrival](SmallWorld& all, Client& self) {
      self.sleep(arrival);
      EXPECT_FALSE(lock.acquire(self, "lock"));
      gave_up.push_back(all.milliseconds());
    });
  }
  world.run();
  ASSERT_EQ(gave_up.size(), 2U);
  EXPECT_NEAR(static_cast<double>(gave_up[0]), 4010, 105);
  EXPECT_NEAR(static_cast<double>(gave_up[1]), 5010, 105);
}

}  // namespace
}  // namespace picklock::models::locks::local_mutex_tests
