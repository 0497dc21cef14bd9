// The watchdog over the simulated network (docs/facts/algorithms.md 1.4). Messages take 500 us each
// way.
#include "models/locks/redisson/renewal.h"

#include <gmock/gmock.h>

#include <iterator>
#include <sstream>

#include "models/locks/redisson/lock.h"
#include "testing/locks/readable.h"
#include "testing/small_world.h"

namespace picklock::models::locks::redisson::renewal_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

LockOptions with(LockOptions options = {}) {
  options.ttl = 30s;
  options.renew = Renew::conditional;
  return options;
}

class RedissonWatchdog : public testing::Test {
 protected:
  explicit RedissonWatchdog(LockOptions options = with()) : lock(options) {}

  // When each renewal was sent, and for which locks and owners' threads: "10.001 lock :1".
  std::vector<std::string> renewals() const {
    std::vector<std::string> all;
    for (const std::string& line : readable(world.sent())) {
      constexpr std::string_view kExtend = " redis-1 EVALSHA {extend} ";
      const std::size_t at = line.find(kExtend);
      if (at == std::string::npos) continue;
      std::string renewal = line.substr(0, at);
      const std::size_t keys = std::stoul(line.substr(at + kExtend.size()));
      std::istringstream rest(line.substr(line.find(' ', at + kExtend.size()) + 1));
      const std::vector<std::string> words{std::istream_iterator<std::string>(rest), {}};
      for (std::size_t i = 0; i < keys; ++i) {
        renewal += " " + words[i];
        renewal += words[keys + 1 + i].substr(words[keys + 1 + i].find(':'));
      }
      all.push_back(renewal);
    }
    return all;
  }
  std::vector<std::int64_t> losses() const {
    std::vector<std::int64_t> seconds;
    for (const history::HistoryEvent& event : world.history()) {
      if (event.what == history::What::loss_learned)
        seconds.push_back(sim::nanoseconds(event.at) / 1'000'000'000);
    }
    return seconds;
  }

  SmallWorld world{{.clients = 2, .tracing = true}};
  RedissonLock lock;
};

TEST_F(RedissonWatchdog, RenewsEveryThirdOfTheLeaseFromTheEndOfThePassBefore) {
  world.client(1, [this](SmallWorld&, Client& self) {
    lock.acquire(self, "lock");
    self.sleep(32s);
    EXPECT_EQ(redis::server(self).exists("lock").integer, 1);
  });
  world.run();
  // The first renewal loads the script: 3 ms after the acquire, which took as long.
  EXPECT_THAT(renewals(),
              ElementsAre("10.003 lock:1", "10.005 lock:1", "20.006 lock:1", "30.007 lock:1"));
}

TEST_F(RedissonWatchdog, StopsWithTheReleaseAndStartsWithTheNextAcquire) {
  world.client(1, [this](SmallWorld&, Client& self) {
    const Acquired acquired = lock.acquire(self, "lock");
    self.sleep(15s);
    EXPECT_EQ(lock.release(self, acquired.lease()), Released::ok);
    self.sleep(20s);
    lock.acquire(self, "lock");
    self.sleep(15s);
  });
  world.run();
  ASSERT_EQ(renewals().size(), 3U);
  EXPECT_THAT(renewals()[2], testing::StartsWith("45."));
}

TEST_F(RedissonWatchdog, RenewsNothingThatWasTakenWithALease) {
  RedissonLock leased(LockOptions{.ttl = 30s, .renew = Renew::none});
  world.client(1, [&](SmallWorld&, Client& self) {
    leased.acquire(self, "lock");
    self.sleep(20s);
  });
  world.run();
  EXPECT_THAT(renewals(), ElementsAre());
}

TEST_F(RedissonWatchdog, RenewsUntilTheLastOfSeveralHoldsIsGivenBack) {
  world.client(1, [this](SmallWorld&, Client& self) {
    const Acquired acquired = lock.acquire(self, "lock");
    lock.acquire(self, "lock");
    lock.release(self, acquired.lease());
    self.sleep(15s);
    lock.release(self, acquired.lease());
    self.sleep(15s);
  });
  world.run();
  EXPECT_EQ(renewals().size(), 2U);
}

TEST_F(RedissonWatchdog, RenewsTheLocksOfAProcessTogether) {
  world.client(1, [this](SmallWorld&, Client& self) {
    lock.acquire(self, "lock");
    lock.acquire(self, "other");
    self.sleep(15s);
  });
  world.run();
  EXPECT_EQ(renewals().back().substr(7), "lock:1 other:1");
}

TEST_F(RedissonWatchdog, ForgetsAReleaseWithoutAnswerLikeAnyOther) {  // 1.2
  world.client(1, [this](SmallWorld& all, Client& self) {
    const Acquired acquired = lock.acquire(self, "lock");
    all.play(Role::release);
    EXPECT_EQ(lock.release(self, acquired.lease()), Released::unknown);
    self.sleep(20s);
  });
  world.run({fault_where_applied(sim::Side::before, Role::release, sim::Verb::drop, {})});
  EXPECT_THAT(renewals(), ElementsAre());
}

// Thread 1, which held the lock three times, has lost it to thread 2: each pass forgets one hold of
// thread 1, and the lease of thread 2 expires before it is renewed.
TEST_F(RedissonWatchdog, LooksAfterTheFirstThreadOfANameOnly) {
  world.client(1, [this](SmallWorld&, Client& self) {
    for (int i = 0; i < 3; ++i) lock.acquire(self, "lock");
    redis::server(self).del("lock");
    self.sleep(45s);
  });
  world.client(
      1,
      [this](SmallWorld&, Client& self) {
        self.sleep(1s);
        EXPECT_TRUE(lock.acquire(self, "lock"));
        self.sleep(44s);
        EXPECT_EQ(redis::server(self).exists("lock").integer, 0);
      },
      2);
  world.run();
  ASSERT_EQ(renewals().size(), 5U);
  EXPECT_THAT(renewals()[1], testing::EndsWith("lock:1"));
  EXPECT_THAT(renewals()[3], testing::EndsWith("lock:1"));
  EXPECT_THAT(renewals()[4], testing::EndsWith("lock:2"));
}

TEST_F(RedissonWatchdog, ForgetsWhatIsRefusedAndTellsIt) {
  world.client(1, [this](SmallWorld&, Client& self) {
    lock.acquire(self, "lock");
    redis::server(self).del("lock");
    self.sleep(35s);
  });
  world.run();
  EXPECT_EQ(renewals().size(), 2U);
  EXPECT_THAT(losses(), ElementsAre(10));
}

TEST_F(RedissonWatchdog, GoesOnAfterARenewalWithoutAnswer) {
  world.client(1, [this](SmallWorld&, Client& self) {
    lock.acquire(self, "lock");
    self.sleep(35s);
  });
  world.run({fault_at(9s, sim::Verb::partition, "redis-1", 5s)});
  ASSERT_EQ(renewals().size(), 4U);
  EXPECT_THAT(renewals()[1], testing::StartsWith("23."));
  EXPECT_THAT(losses(), ElementsAre());
}

// The release came while the renewal was under way.
TEST_F(RedissonWatchdog, TellsNoLossOfWhatWasGivenBackMeanwhile) {
  world.client(1, [this](SmallWorld& all, Client& self) {
    const Acquired acquired = lock.acquire(self, "lock");
    self.sleep(sim::kStart + 10'003'400us - all.simulation.now());
    lock.release(self, acquired.lease());
    self.sleep(5s);
  });
  world.run();
  EXPECT_THAT(losses(), ElementsAre());
}

// ---------------------------------------------------------------- as shipped, and as of old

class RedissonSilentWatchdog : public RedissonWatchdog {
 protected:
  RedissonSilentWatchdog() : RedissonWatchdog(with({.tell_loss = false})) {}
};

TEST_F(RedissonSilentWatchdog, ForgetsInSilence) {
  world.client(1, [this](SmallWorld&, Client& self) {
    const Acquired acquired = lock.acquire(self, "lock");
    redis::server(self).del("lock");
    self.sleep(35s);
    EXPECT_EQ(lock.release(self, acquired.lease()), Released::not_held);
  });
  world.run();
  EXPECT_EQ(renewals().size(), 2U);
  EXPECT_THAT(losses(), ElementsAre());
}

// Interrupted during its acquire: the answer arms the watchdog all the same.
TEST_F(RedissonSilentWatchdog, RenewsForEverWhatAnInterruptedThreadWasGranted) {  // C-19
  sim::Thread& thread = world.client(1, [this](SmallWorld&, Client& self) {
    lock.try_acquire(self, "other");  // loads the script
    self.sleep(1s);
    EXPECT_TRUE(lock.acquire(self, "lock").is_unknown());
  });
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1'003'200us);
    all.simulation.scheduler.threads().interrupt(thread);
    self.sleep(98s);
    EXPECT_EQ(redis::server(self).exists("lock").integer, 1);
  });
  world.run();
  EXPECT_GT(renewals().size(), 8U);
  EXPECT_THAT(renewals().back(), testing::HasSubstr(" lock:1"));
}

class RedissonTimers : public RedissonWatchdog {
 protected:
  RedissonTimers()
      : RedissonWatchdog(
            with({.own = RedissonOptions{.timer_per_lock = true, .renew_after_error = false}})) {}
};

TEST_F(RedissonTimers, RenewEachLockByItself) {
  world.client(1, [this](SmallWorld&, Client& self) {
    lock.acquire(self, "lock");
    self.sleep(4s);
    lock.acquire(self, "other");
    self.sleep(21s);
  });
  world.run();
  std::vector<std::string> all;
  for (const std::string& one : renewals())
    all.push_back(one.substr(0, 2) + one.substr(one.find(' ')));
  EXPECT_THAT(all, ElementsAre("10 lock:1", "10 lock:1", "14 other:1", "20 lock:1", "24 other:1"));
}

// Each grant has its own timer; a release leaves none.
TEST_F(RedissonTimers, EndWithTheRelease) {
  world.client(1, [this](SmallWorld&, Client& self) {
    for (int i = 0; i < 30; ++i) {
      const Acquired acquired = lock.acquire(self, "lock");
      self.sleep(1s);
      lock.release(self, acquired.lease());
    }
  });
  world.run();
  EXPECT_TRUE(renewals().empty());
}

TEST_F(RedissonTimers, StopForGoodAfterARenewalWithoutAnswer) {  // 1.4: before 3.44
  world.client(1, [this](SmallWorld&, Client& self) {
    lock.acquire(self, "lock");
    self.sleep(45s);
    EXPECT_EQ(redis::server(self).exists("lock").integer, 0);
  });
  world.run({fault_at(9s, sim::Verb::partition, "redis-1", 5s)});
  EXPECT_EQ(renewals().size(), 1U);
}

class RedissonDeadlines : public RedissonWatchdog {
 protected:
  RedissonDeadlines() : RedissonWatchdog(with({.deadline = true})) {}
};

TEST_F(RedissonDeadlines, MoveOnWithEveryRenewalByTheTimeThatItWasSent) {
  world.client(1, [this](SmallWorld&, Client& self) {
    lock.acquire(self, "lock");
    self.sleep(60s);
  });
  world.run({fault_at(15s, sim::Verb::partition, "redis-1", 60s)});
  std::vector<std::int64_t> passed;
  for (const history::HistoryEvent& event : world.history()) {
    if (event.what == history::What::deadline_passed)
      passed.push_back(sim::nanoseconds(event.at) / 1'000'000);
  }
  EXPECT_THAT(passed, ElementsAre(40'003));
}

TEST_F(RedissonDeadlines, AreNotMovedByARenewalThatIsAnsweredAfterTheRelease) {
  world.client(1, [this](SmallWorld&, Client& self) {
    lock.release(self, lock.acquire(self, "lock").lease());
    const Acquired acquired = lock.acquire(self, "lock");
    self.sleep(9'996'500us);
    EXPECT_EQ(lock.release(self, acquired.lease()), Released::ok);
    EXPECT_EQ(renewals().size(), 1U);
    self.sleep(60s);
  });
  world.run();
  EXPECT_EQ(renewals().size(), 2U);  // the script is not loaded yet
  for (const history::HistoryEvent& event : world.history())
    EXPECT_NE(event.what, history::What::deadline_passed);
}

}  // namespace
}  // namespace picklock::models::locks::redisson::renewal_tests
