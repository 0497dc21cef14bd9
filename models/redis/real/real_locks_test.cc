// Every lock of the catalogue on real redis-servers, over real sockets and by real clocks: the same
// object code that the simulator judges. All of them at once, each on a key of its own: what takes
// long here is waiting for leases to end.
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "models/locks/catalogue.h"
#include "models/redis/real/real_world.h"

namespace picklock::models::redis::real {
namespace {

using namespace std::chrono_literals;

// Nobody waits as long, unless what he waits for never comes.
constexpr Duration kLong = 100s;
constexpr Duration kShortLease = 300ms;
constexpr Duration kLease = 1s;

// docs/facts/failures.md A-27.
bool releases_nothing(const Algorithm& algorithm) {
  return algorithm.name == "set-ex-hash-release";
}

bool renews(const Algorithm& algorithm) {
  return algorithm.uses.renew ||
         std::count(algorithm.roles.begin(), algorithm.roles.end(), Role::renew) > 0;
}

// Does not remove what another holds, even where its own lease has ended unnoticed.
bool releases_its_own_only(const Algorithm& algorithm) {
  const std::optional<Promise> own = promise(algorithm, Property::own_release, {});
  return algorithm.uses.lease && own && own->under.has(FaultClass::pause);
}

// Two clients of one lock, on a key of its own.
struct Pair {
  const Algorithm* algorithm = nullptr;
  std::string key;
  std::unique_ptr<Lock> locks[2];
  std::uint32_t numbers[2] = {};

  // What tests find.
  bool granted[2] = {};
  bool refused = false;
  bool waits = false;  // the second has begun to wait
  int inside = 0;      // critical sections under way
  int most_inside = 0;
  Released released{};
  std::int64_t pttl = 0;
  bool held = false;
  bool free_at_end = false;
  Duration from{};
  Duration until{};

  void enter() { most_inside = std::max(most_inside, ++inside); }
  void leave() { --inside; }
};

class RealLocks : public testing::Test {
 protected:
  // Those locks for which `concerned` is true, with these options.
  void prepare(const std::function<bool(const Algorithm&)>& concerned,
               const std::function<LockOptions(const Algorithm&)>& options) {
    for (const Algorithm* algorithm : locks::all()) {
      if (!concerned(*algorithm)) continue;
      Pair& pair = *pairs_.emplace_back(std::make_unique<Pair>());
      pair.algorithm = algorithm;
      pair.key = std::string(algorithm->name);
      for (std::uint32_t i = 0; i < 2; ++i) {
        pair.locks[i] = algorithm->make(options(*algorithm));
        pair.numbers[i] = static_cast<std::uint32_t>(2 * pairs_.size() - 1 + i);
      }
    }
    ASSERT_FALSE(pairs_.empty());
    world_ = std::make_unique<RealWorld>(static_cast<std::uint32_t>(2 * pairs_.size()));
  }

  void client(Pair& pair, int which, std::function<void(models::Client& self, Lock& lock)> body) {
    world_->client(pair.numbers[which],
                   [lock = pair.locks[which].get(), run = std::move(body)](
                       RealWorld&, models::Client& self) { run(self, *lock); });
  }

  // Until it is so. False: it has not become so.
  static bool await(models::Client& self, const std::function<bool()>& condition) {
    for (const Duration begun = self.monotonic_now(); !condition(); self.sleep(2ms)) {
      if (self.monotonic_now() - begun > kLong) return false;
    }
    return true;
  }

  RealWorld& world() { return *world_; }
  std::vector<std::unique_ptr<Pair>> pairs_;

 private:
  std::unique_ptr<RealWorld> world_;
};

bool any(const Algorithm&) { return true; }

// A lease that ends only where the lock has no other way to come free.
LockOptions patiently(const Algorithm& algorithm) {
  return {.ttl = releases_nothing(algorithm) ? 2s : 600s,
          .retry_every = 10ms,
          .acquire_timeout = kLong};
}

LockOptions briefly(const Algorithm&) {
  return {.ttl = kShortLease, .retry_every = 10ms, .acquire_timeout = kLong};
}

TEST_F(RealLocks, AreTakenAndGivenBack) {
  prepare(any, patiently);
  for (const auto& one : pairs_) {
    Pair& pair = *one;
    client(pair, 0, [&](models::Client& self, Lock& lock) {
      const Acquired acquired = lock.acquire(self, pair.key);
      pair.granted[0] = static_cast<bool>(acquired);
      if (!acquired) return;
      pair.held = world().held(pair.key);
      pair.pttl = world().onlookers[0].pttl(pair.key);
      pair.released = lock.release(self, acquired.lease());
      pair.free_at_end = !world().held(pair.key);
    });
  }
  world().run();
  for (const auto& pair : pairs_) {
    SCOPED_TRACE(pair->key);
    EXPECT_TRUE(pair->granted[0]);
    EXPECT_TRUE(pair->held);
    EXPECT_LE(pair->pttl, 600'000);
    EXPECT_EQ(pair->released,
              releases_nothing(*pair->algorithm) ? Released::not_held : Released::ok);
    EXPECT_NE(pair->free_at_end, releases_nothing(*pair->algorithm));
  }
}

TEST_F(RealLocks, RefuseASecondClientWhichGetsThemOnceTheyAreReleased) {
  prepare(any, patiently);
  for (const auto& one : pairs_) {
    Pair& pair = *one;
    client(pair, 0, [&](models::Client& self, Lock& lock) {
      const Acquired acquired = lock.acquire(self, pair.key);
      pair.granted[0] = static_cast<bool>(acquired);
      pair.enter();
      await(self, [&] { return pair.waits; });
      self.sleep(50ms);
      pair.leave();
      if (acquired) pair.released = lock.release(self, acquired.lease());
    });
    client(pair, 1, [&](models::Client& self, Lock& lock) {
      await(self, [&] { return pair.inside == 1; });
      // Its lease still runs: else the answer would prove nothing.
      const Acquired attempt = lock.try_acquire(self, pair.key);
      pair.refused = !attempt && !attempt.is_unknown();
      pair.waits = true;
      const Acquired acquired = lock.acquire(self, pair.key);
      pair.granted[1] = static_cast<bool>(acquired);
      pair.enter();
      pair.leave();
      if (acquired) lock.release(self, acquired.lease());
      pair.free_at_end = !world().held(pair.key);
    });
  }
  world().run();
  for (const auto& pair : pairs_) {
    SCOPED_TRACE(pair->key);
    EXPECT_TRUE(pair->granted[0]);
    EXPECT_TRUE(pair->refused);
    EXPECT_TRUE(pair->granted[1]);
    EXPECT_EQ(pair->most_inside, 1);
    EXPECT_NE(pair->free_at_end, releases_nothing(*pair->algorithm));
  }
}

TEST_F(RealLocks, ComeFreeWithTheirLeaseWhenTheHolderCrashes) {
  prepare([](const Algorithm& algorithm) { return algorithm.uses.lease; }, briefly);
  for (const auto& one : pairs_) {
    Pair& pair = *one;
    client(pair, 0, [&](models::Client& self, Lock& lock) {
      pair.from = self.monotonic_now();
      pair.granted[0] = static_cast<bool>(lock.acquire(self, pair.key));
      self.sleep(kLong);  // and is never heard of again
    });
    client(pair, 1, [&](models::Client& self, Lock& lock) {
      await(self, [&] { return pair.granted[0]; });
      world().crash(pair.numbers[0]);
      pair.granted[1] = static_cast<bool>(lock.acquire(self, pair.key));
      pair.until = self.monotonic_now();
    });
  }
  world().run();
  for (const auto& pair : pairs_) {
    SCOPED_TRACE(pair->key);
    EXPECT_TRUE(pair->granted[0]);
    EXPECT_TRUE(pair->granted[1]);
    // A server rounds by a millisecond, and its clock is not quite ours.
    EXPECT_GE(pair->until - pair->from, kShortLease - 5ms);
  }
}

TEST_F(RealLocks, StayHeldForEverByACrashedHolderWhereTheyHaveNoLease) {
  prepare([](const Algorithm& algorithm) { return !algorithm.uses.lease; },
          [](const Algorithm&) {
            return LockOptions{.ttl = kShortLease, .retry_every = 10ms, .acquire_timeout = 700ms};
          });
  for (const auto& one : pairs_) {
    Pair& pair = *one;
    client(pair, 0, [&](models::Client& self, Lock& lock) {
      pair.granted[0] = static_cast<bool>(lock.acquire(self, pair.key));
    });
    client(pair, 1, [&](models::Client& self, Lock& lock) {
      await(self, [&] { return pair.granted[0]; });
      world().crash(pair.numbers[0]);
      pair.granted[1] = static_cast<bool>(lock.acquire(self, pair.key));
      pair.pttl = world().onlookers[0].pttl(pair.key);
    });
  }
  world().run();
  for (const auto& pair : pairs_) {
    SCOPED_TRACE(pair->key);
    EXPECT_TRUE(pair->granted[0]);
    EXPECT_FALSE(pair->granted[1]);
    EXPECT_EQ(pair->pttl, -1);
  }
}

// A machine that stands still for a lease proves nothing about who renews it: then once more.
TEST_F(RealLocks, OutliveTheirLeaseWhereTheyRenewIt) {
  bool stood_still = true;
  for (int attempt = 0; attempt < 5 && stood_still; ++attempt) {
    stood_still = false;
    pairs_.clear();
    prepare(renews, [](const Algorithm&) {
      return LockOptions{.ttl = kLease,
                         .retry_every = 10ms,
                         .acquire_timeout = kLong,
                         .renew = Renew::conditional,
                         .renew_every = 50ms};
    });
    for (const auto& one : pairs_) {
      Pair& pair = *one;
      client(pair, 0, [&](models::Client& self, Lock& lock) {
        const Acquired acquired = lock.acquire(self, pair.key);
        pair.granted[0] = static_cast<bool>(acquired);
        if (!acquired) return;
        const Duration begun = self.monotonic_now();
        for (Duration before = begun; before - begun < 2 * kLease + 200ms;) {
          self.sleep(20ms);
          const Duration now = self.monotonic_now();
          stood_still = stood_still || now - before > kLease / 2;
          before = now;
        }
        pair.held = world().held(pair.key);
        pair.released = lock.release(self, acquired.lease());
      });
    }
    world().run();
  }
  ASSERT_FALSE(stood_still) << "this machine is too busy to tell";
  for (const auto& pair : pairs_) {
    SCOPED_TRACE(pair->key);
    EXPECT_TRUE(pair->granted[0]);
    EXPECT_TRUE(pair->held);
    EXPECT_EQ(pair->released, Released::ok);
  }
}

TEST_F(RealLocks, AreNotReleasedByAnotherWhereTheyCompareTheOwner) {
  prepare(releases_its_own_only, patiently);
  for (const auto& one : pairs_) {
    Pair& pair = *one;
    client(pair, 0, [&](models::Client& self, Lock& lock) {
      const Acquired acquired = lock.acquire(self, pair.key);
      pair.granted[0] = static_cast<bool>(acquired);
      await(self, [&] { return pair.waits; });
      pair.held = world().held(pair.key);
    });
    client(pair, 1, [&](models::Client& self, Lock& lock) {
      await(self, [&] { return pair.granted[0]; });
      pair.released = lock.release(
          self, {.key = pair.key, .token = self.fresh_token(), .ttl = lock.options().ttl});
      pair.waits = true;
    });
  }
  world().run();
  for (const auto& pair : pairs_) {
    SCOPED_TRACE(pair->key);
    EXPECT_TRUE(pair->granted[0]);
    EXPECT_TRUE(pair->held);
    EXPECT_EQ(pair->released, Released::not_held);
  }
}

}  // namespace
}  // namespace picklock::models::redis::real
