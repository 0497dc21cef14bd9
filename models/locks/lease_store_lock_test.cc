#include "models/locks/lease_store_lock.h"

#include <gmock/gmock.h>

#include "models/lease_store/kind.h"
#include "testing/locks/transcript.h"
#include "testing/small_world.h"

namespace picklock::models::locks::lease_store_lock_tests {
namespace {

using namespace std::chrono_literals;
using lease_store::Status;
using testing::ElementsAre;

TEST(LeaseStoreLock, OpensASessionAndTakesTheKeyForIt) {
  Transcript self;
  self.store_opens("s1");
  self.store_grants(7);
  LeaseStoreLock lock(LockOptions{.ttl = 10s, .own = LeaseStoreOptions{.lock_delay = 15s}});
  const Acquired acquired = lock.acquire(self, "lock");
  ASSERT_TRUE(acquired);
  EXPECT_EQ(acquired.lease().token, "s1");
  EXPECT_EQ(acquired.lease().ttl, 10s);
  EXPECT_EQ(acquired.lease().fence, 0);
  EXPECT_THAT(self.lines, ElementsAre("open 10000ms 15000ms", "acquire lock s1"));
}

TEST(LeaseStoreLock, TakesTheRevisionForAFencingToken) {
  Transcript self;
  self.store_opens("s1");
  self.store_grants(7);
  LeaseStoreLock lock(LockOptions{.mint = Mint::in_script});
  EXPECT_EQ(lock.acquire(self, "lock").lease().fence, 7);
}

TEST(LeaseStoreLock, WatchesAKeyThatIsAnothersAndTriesAgain) {
  Transcript self;
  self.store_opens("s1");
  self.store_answers(Status::refused);
  self.store_answers(Status::done);  // the watch: the key is free
  self.store_grants(8);
  LeaseStoreLock lock(LockOptions{.retry_every = 5s});
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(self.lines, ElementsAre("open 10000ms 0ms", "acquire lock s1", "watch lock 5000ms",
                                      "acquire lock s1"));
}

TEST(LeaseStoreLock, WaitsBeforeItAsksAStoreAgainThatDoesNotAnswer) {
  Transcript self;
  self.store_answers(Status::unknown);
  self.store_opens("s1");
  self.store_answers(Status::refused);
  self.store_answers(Status::unknown);  // the watch
  self.store_grants(8);
  LeaseStoreLock lock(LockOptions{.retry_every = 100ms});
  EXPECT_TRUE(lock.acquire(self, "lock"));
  EXPECT_THAT(self.lines,
              ElementsAre("open 10000ms 0ms", "sleep 100ms", "open 10000ms 0ms", "acquire lock s1",
                          "watch lock 100ms", "sleep 100ms", "acquire lock s1"));
}

TEST(LeaseStoreLock, OpensAnotherSessionWhereTheFirstIsGone) {
  Transcript self;
  self.store_opens("s1");
  self.store_answers(Status::gone);
  self.store_answers(Status::done);
  self.store_opens("s2");
  self.store_grants(8);
  LeaseStoreLock lock(LockOptions{});
  EXPECT_EQ(lock.acquire(self, "lock").lease().token, "s2");
}

// The store grants a key again to the session that holds it.
TEST(LeaseStoreLock, FindsAGrantWhoseAnswerWasLost) {
  Transcript self;
  self.store_opens("s1");
  self.store_answers(Status::unknown);
  self.store_grants(7);
  LeaseStoreLock lock(LockOptions{});
  EXPECT_EQ(lock.acquire(self, "lock").lease().token, "s1");
}

TEST(LeaseStoreLock, ClosesItsSessionWhenItGivesUp) {
  Transcript self;
  self.store_opens("s1");
  self.store_answers(Status::unknown);
  self.store_answers(Status::done);
  LeaseStoreLock lock(LockOptions{});
  const Acquired attempt = lock.try_acquire(self, "lock");
  EXPECT_FALSE(attempt);
  EXPECT_FALSE(attempt.is_unknown());
  EXPECT_EQ(self.lines.back(), "close s1");
}

TEST(LeaseStoreLock, DoesNotKnowWhatItHoldsWhenNeitherIsAnswered) {
  Transcript self;
  self.store_opens("s1");
  LeaseStoreLock lock(LockOptions{});
  EXPECT_TRUE(lock.try_acquire(self, "lock").is_unknown());
}

TEST(LeaseStoreLock, IsOutOfPatienceInTime) {
  Transcript self;
  self.store_opens("s1");
  for (int i = 0; i < 20; ++i) self.store_answers(Status::refused);
  self.on_sleep = [] { ADD_FAILURE() << "it watches instead"; };
  LeaseStoreLock lock(LockOptions{.retry_every = 2s, .acquire_timeout = 1s});
  EXPECT_FALSE(lock.acquire(self, "lock"));
  EXPECT_THAT(self.lines, ElementsAre("open 10000ms 0ms", "acquire lock s1", "close s1"));
}

// The thread that keeps the session alive ends after its third keep-alive.
TEST(LeaseStoreLock, KeepsItsSessionAliveAndTellsWhenItIsGone) {
  Transcript self;
  self.store_opens("s1");
  self.store_grants(7);
  LeaseStoreLock lock(LockOptions{.ttl = 9s});
  const Acquired acquired = lock.acquire(self, "lock");
  ASSERT_EQ(self.threads.size(), 1U);
  self.lines.clear();
  self.store_answers(Status::done);
  self.store_answers(Status::unknown);
  self.store_answers(Status::gone);
  self.threads[0](self);
  EXPECT_THAT(self.lines, ElementsAre("sleep 3000ms", "keep-alive s1", "sleep 3000ms",
                                      "keep-alive s1", "sleep 3000ms", "keep-alive s1", "lost"));
  self.lines.clear();
  EXPECT_EQ(lock.release(self, acquired.lease()), Released::not_held);
  EXPECT_TRUE(self.lines.empty());
}

TEST(LeaseStoreLock, ReleasesItsKeyAndClosesItsSession) {
  Transcript self;
  self.store_opens("s1");
  self.store_grants(7);
  LeaseStoreLock lock(LockOptions{});
  const Acquired acquired = lock.acquire(self, "lock");
  self.lines.clear();
  self.store_answers(Status::done);
  EXPECT_EQ(lock.release(self, acquired.lease()), Released::ok);
  EXPECT_THAT(self.lines, ElementsAre("release lock s1", "close s1"));
  self.lines.clear();
  self.threads[0](self);
  EXPECT_THAT(self.lines, ElementsAre("sleep 3333ms"));
}

TEST(LeaseStoreLock, LearnsFromItsReleaseThatTheLockWasLost) {
  for (const Status status : {Status::gone, Status::refused}) {
    Transcript self;
    self.store_opens("s1");
    self.store_grants(7);
    LeaseStoreLock lock(LockOptions{});
    const Acquired acquired = lock.acquire(self, "lock");
    self.store_answers(status);
    EXPECT_EQ(lock.release(self, acquired.lease()), Released::not_held);
  }
}

TEST(LeaseStoreLock, LeavesTheSessionToEndWhereItsReleaseIsNotAnswered) {
  Transcript self;
  self.store_opens("s1");
  self.store_grants(7);
  LeaseStoreLock lock(LockOptions{});
  const Acquired acquired = lock.acquire(self, "lock");
  EXPECT_EQ(lock.release(self, acquired.lease()), Released::unknown);
  EXPECT_EQ(self.lines.back(), "release lock s1");
}

TEST(LeaseStoreLock, HoldsAsLongAsItsProcessLives) {
  SmallWorld world{SmallWorld::Setup{.clients = 2, .other = &lease_store::kKind}};
  std::int64_t granted_ms = 0;
  world.client(1, [](SmallWorld&, Client& self) {
    LeaseStoreLock lock(LockOptions{});
    const Acquired acquired = lock.acquire(self, "lock");
    self.sleep(60s);
    EXPECT_EQ(lock.release(self, acquired.lease()), Released::ok);
  });
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1s);
    LeaseStoreLock lock(LockOptions{.retry_every = 5s});
    EXPECT_TRUE(lock.acquire(self, "lock"));
    granted_ms = all.milliseconds();
  });
  world.run();
  EXPECT_NEAR(static_cast<double>(granted_ms), 60'005, 5);
}

// A thread that waits for the lock is interrupted at 11 s; returns when it gave up.
std::int64_t gives_up_when_interrupted(const sim::Plan& plan) {
  SmallWorld world{
      SmallWorld::Setup{.clients = 2, .command_timeout = 500ms, .other = &lease_store::kKind}};
  std::int64_t gave_up_ms = 0;
  world.client(1, [](SmallWorld&, Client& self) {
    LeaseStoreLock lock(LockOptions{});
    const Acquired acquired = lock.acquire(self, "lock");
    self.sleep(60s);
    if (acquired) lock.release(self, acquired.lease());
  });
  sim::Thread& waiter = world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1s);
    LeaseStoreLock lock(LockOptions{.retry_every = 7s});
    EXPECT_FALSE(lock.acquire(self, "lock"));
    gave_up_ms = all.milliseconds();
  });
  world.client(1, [&](SmallWorld& all, Client& self) {
    self.sleep(11s);
    all.simulation.scheduler.threads().interrupt(waiter);
  });
  world.run(plan);
  return gave_up_ms;
}

// It closes its session before it returns.
TEST(LeaseStoreLock, GivesUpItsWatchWhenItIsInterrupted) {
  EXPECT_NEAR(static_cast<double>(gives_up_when_interrupted({})), 11'001, 1);
}

TEST(LeaseStoreLock, GivesUpItsPauseWhenItIsInterrupted) {
  const sim::Fault away = fault_at(0s, sim::Verb::partition, "store", 40s);
  EXPECT_NEAR(static_cast<double>(gives_up_when_interrupted({away})), 11'001, 1);
}

TEST(LeaseStoreLock, PromisesTheResourceMoreWithALockDelayAndAllWithRevisions) {
  const auto safe_writes = [](const LockOptions& options) {
    return promise(lease_store_lock(), Property::no_stale_write, options)->under;
  };
  EXPECT_FALSE(safe_writes({}).has(FaultClass::late_write));
  EXPECT_TRUE(
      safe_writes({.own = LeaseStoreOptions{.lock_delay = 15s}}).has(FaultClass::late_write));
  EXPECT_FALSE(safe_writes({.own = LeaseStoreOptions{.lock_delay = 15s}}).has(FaultClass::pause));
  EXPECT_TRUE(safe_writes({.mint = Mint::in_script}).covers(FaultClasses::all()));
}

}  // namespace
}  // namespace picklock::models::locks::lease_store_lock_tests
