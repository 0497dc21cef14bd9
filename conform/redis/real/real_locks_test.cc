// Every lock of the catalogue for Redis, on real redis-servers, over real sockets and by real
// clocks: the same object code that the simulator judges. All run at once, each on its own key,
// because most of the time is spent waiting for leases to end.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "models/locks/catalogue.h"
#include "models/locks/quorum_options.h"
#include "models/locks/redisson/options.h"
#include "picklock/redis.h"
#include "testing/conform/real_redis_world.h"

namespace picklock::conform::redis::real {
namespace {

using namespace std::chrono_literals;

// A longer wait means that the awaited event never comes.
constexpr Duration kLong = 100s;
constexpr Duration kShortLease = 300ms;
constexpr Duration kLease = 1s;

using Concerned = bool (*)(const models::Algorithm& algorithm);

bool any(const models::Algorithm&) { return true; }

// docs/facts/failures.md A-27.
bool releases_nothing(const models::Algorithm& algorithm) {
  return algorithm.name == "set-ex-hash-release";
}

bool sends(const models::Algorithm& algorithm, Role role) {
  return std::count(algorithm.roles.begin(), algorithm.roles.end(), role) > 0;
}

bool renews(const models::Algorithm& algorithm) {
  return models::takes(algorithm, "renew") || sends(algorithm, Role::renew);
}

bool hears_channels(const models::Algorithm& algorithm) {
  return sends(algorithm, Role::subscribe);
}

bool can_have_no_lease(const models::Algorithm& algorithm) {
  return !models::takes(algorithm, "ttl") || algorithm.uses.endless;
}

// It does not remove another client's key, even after its own lease has ended unnoticed.
bool releases_its_own_only(const models::Algorithm& algorithm) {
  const std::optional<Promise> own = promise(algorithm, Property::own_release, {});
  return models::takes(algorithm, "ttl") && own &&
         (own->under.has(FaultClass::pause) || algorithm.uses.nests);
}

// Its release does not say whether there was anything to release (docs/facts/algorithms.md 1.7).
bool releases_in_silence(const models::Algorithm& algorithm) {
  return algorithm.name.starts_with("redisson-redlock");
}

// As shipped, except for how it waits.
models::LockOptions shipped(const models::Algorithm& algorithm) {
  models::LockOptions options = models::as_it_comes(algorithm);
  options.retry_every = 10ms;
  options.retry_jitter = {};
  options.acquire_timeout = kLong;
  options.attempts = 0;
  options.command_timeout = RealWorld::kCommandTimeout;
  return options;
}

// The lease ends only if the lock has no other way to become free.
models::LockOptions patiently(const models::Algorithm& algorithm) {
  models::LockOptions options = shipped(algorithm);
  options.ttl = releases_nothing(algorithm) ? 2s : 600s;
  return options;
}

// A release may be tried as often as an acquire, which has no end where attempts have none.
models::LockOptions with_few_attempts(const models::Algorithm& algorithm) {
  models::LockOptions options = patiently(algorithm);
  options.attempts = 3;
  return options;
}

models::LockOptions briefly(const models::Algorithm& algorithm) {
  models::LockOptions options = shipped(algorithm);
  options.ttl = kShortLease;
  return options;
}

// Three clients of one lock, on a key of its own.
struct Party {
  static constexpr std::size_t kClients = 3;

  const models::Algorithm* algorithm = nullptr;
  std::string key;
  std::array<std::unique_ptr<Lock>, kClients> locks;
  std::uint32_t first = 0;  // of its clients

  // The observations of a test.
  std::array<bool, kClients> granted{};
  bool refused = false;
  bool waits = false;  // the second client has begun to wait
  int inside = 0;      // critical sections under way
  int most_inside = 0;
  std::vector<std::size_t> order;  // in which clients were served
  std::vector<std::int64_t> numbers;
  Released released{};
  std::int64_t pttl = 0;
  bool held = false;
  bool free_at_end = false;
  Duration from{};
  Duration until{};

  void enter(std::size_t client) {
    order.push_back(client);
    most_inside = std::max(most_inside, ++inside);
  }
  void leave() { --inside; }
};

class RealLocks : public testing::Test {
 protected:
  void prepare(Concerned concerned, models::LockOptions (*options_of)(const models::Algorithm&)) {
    parties_.clear();
    std::vector<models::LockOptions> options;
    for (const models::Algorithm* algorithm : models::locks::all()) {
      if (algorithm->uses.server != picklock::redis::kServer || !concerned(*algorithm)) continue;
      Party& party = *parties_.emplace_back(std::make_unique<Party>());
      party.algorithm = algorithm;
      party.key = std::string(algorithm->name);
      party.first = static_cast<std::uint32_t>(options.size() + 1);
      for (auto& lock : party.locks) {
        options.push_back(options_of(*algorithm));
        lock = models::locks::make_lock(*algorithm, options.back());
      }
    }
    ASSERT_FALSE(parties_.empty());
    world_ = std::make_unique<RealWorld>(options);
  }

  void client(Party& party, std::uint32_t which,
              std::function<void(picklock::Client& self, Lock& lock)> body) {
    world_->client(party.first + which,
                   [lock = party.locks[which].get(), run = std::move(body)](
                       RealWorld&, picklock::Client& self) { run(self, *lock); });
  }
  void crash(const Party& party, std::uint32_t which) { world_->crash(party.first + which); }

  // Waits until the condition is true. False: it has not become true in time.
  static bool await(picklock::Client& self, const std::function<bool()>& condition) {
    for (const Duration begun = self.monotonic_now(); !condition(); self.sleep(2ms)) {
      if (self.monotonic_now() - begun > kLong) return false;
    }
    return true;
  }

  // Checks every server: a release that has enough answers may still be under way to others.
  bool comes_free(picklock::Client& self, const Party& party) {
    if (releases_nothing(*party.algorithm)) return !world().held(party.key);
    return await(self, [&] { return !world().held(party.key); });
  }

  RealWorld& world() { return *world_; }
  Onlooker& onlooker() { return world_->onlookers[0]; }
  // How often the holder holds the lock, on the first server.
  std::int64_t holds(const Party& party) {
    const Frame counts = onlooker().ask({"HVALS", party.key});
    return counts.elements.size() == 1 ? std::stoll(counts.elements[0].text) : 0;
  }
  bool anybody_hears(const Party& party) {
    return !onlooker().ask({"PUBSUB", "CHANNELS", "*{" + party.key + "}*"}).elements.empty();
  }

  std::vector<std::unique_ptr<Party>> parties_;

 private:
  std::unique_ptr<RealWorld> world_;
};

TEST_F(RealLocks, AreTakenAndGivenBack) {
  prepare(any, patiently);
  for (const auto& one : parties_) {
    Party& party = *one;
    client(party, 0, [&](picklock::Client& self, Lock& lock) {
      const Acquired acquired = lock.acquire(self, party.key);
      party.granted[0] = static_cast<bool>(acquired);
      if (!acquired) return;
      party.held = world().held(party.key);
      party.pttl = onlooker().pttl(party.key);
      party.released = lock.release(self, acquired.lease());
      party.free_at_end = comes_free(self, party);
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_TRUE(party->granted[0]);
    EXPECT_TRUE(party->held);
    EXPECT_LE(party->pttl, 600'000);
    EXPECT_EQ(party->released,
              releases_nothing(*party->algorithm) ? Released::not_held : Released::ok);
    EXPECT_NE(party->free_at_end, releases_nothing(*party->algorithm));
  }
}

TEST_F(RealLocks, RefuseASecondClientWhichGetsThemOnceTheyAreReleased) {
  prepare(any, patiently);
  for (const auto& one : parties_) {
    Party& party = *one;
    client(party, 0, [&](picklock::Client& self, Lock& lock) {
      const Acquired acquired = lock.acquire(self, party.key);
      party.granted[0] = static_cast<bool>(acquired);
      party.enter(0);
      await(self, [&] { return party.waits; });
      self.sleep(50ms);
      party.leave();
      if (acquired) party.released = lock.release(self, acquired.lease());
    });
    client(party, 1, [&](picklock::Client& self, Lock& lock) {
      await(self, [&] { return party.inside == 1; });
      // Its lease must still run; otherwise the answer would prove nothing.
      const Acquired attempt = lock.try_acquire(self, party.key);
      party.refused = !attempt && !attempt.is_unknown();
      party.waits = true;
      const Acquired acquired = lock.acquire(self, party.key);
      party.granted[1] = static_cast<bool>(acquired);
      party.enter(1);
      party.leave();
      if (acquired) lock.release(self, acquired.lease());
      party.free_at_end = comes_free(self, party);
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_TRUE(party->granted[0]);
    EXPECT_TRUE(party->refused);
    EXPECT_TRUE(party->granted[1]);
    EXPECT_EQ(party->most_inside, 1);
    EXPECT_NE(party->free_at_end, releases_nothing(*party->algorithm));
  }
}

TEST_F(RealLocks, ComeFreeWithTheirLeaseWhenTheHolderCrashes) {
  prepare([](const models::Algorithm& algorithm) { return models::takes(algorithm, "ttl"); },
          briefly);
  for (const auto& one : parties_) {
    Party& party = *one;
    client(party, 0, [&](picklock::Client& self, Lock& lock) {
      party.from = self.monotonic_now();
      party.granted[0] = static_cast<bool>(lock.acquire(self, party.key));
      self.sleep(kLong);  // and never does anything again
    });
    client(party, 1, [&](picklock::Client& self, Lock& lock) {
      await(self, [&] { return party.granted[0]; });
      crash(party, 0);
      party.granted[1] = static_cast<bool>(lock.acquire(self, party.key));
      party.until = self.monotonic_now();
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_TRUE(party->granted[0]);
    EXPECT_TRUE(party->granted[1]);
    // A server rounds by a millisecond, and its clock differs a little from ours.
    EXPECT_GE(party->until - party->from, kShortLease - 5ms);
  }
}

TEST_F(RealLocks, StayHeldForEverByACrashedHolderWhereTheyHaveNoLease) {
  prepare(can_have_no_lease, [](const models::Algorithm& algorithm) {
    models::LockOptions options = briefly(algorithm);
    if (algorithm.uses.endless) options.ttl = {};
    options.acquire_timeout = 700ms;
    return options;
  });
  for (const auto& one : parties_) {
    Party& party = *one;
    client(party, 0, [&](picklock::Client& self, Lock& lock) {
      party.granted[0] = static_cast<bool>(lock.acquire(self, party.key));
    });
    client(party, 1, [&](picklock::Client& self, Lock& lock) {
      await(self, [&] { return party.granted[0]; });
      crash(party, 0);
      party.granted[1] = static_cast<bool>(lock.acquire(self, party.key));
      party.pttl = onlooker().pttl(party.key);
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_TRUE(party->granted[0]);
    EXPECT_FALSE(party->granted[1]);
    EXPECT_EQ(party->pttl, -1);
  }
}

// If the machine stood still for a lease, the test proves nothing about renewal, so it is repeated.
TEST_F(RealLocks, OutliveTheirLeaseWhereTheyRenewIt) {
  bool stood_still = true;
  for (int attempt = 0; attempt < 5 && stood_still; ++attempt) {
    stood_still = false;
    prepare(renews, [](const models::Algorithm& algorithm) {
      models::LockOptions options = shipped(algorithm);
      options.ttl = kLease;
      options.renew = models::Renew::conditional;
      options.renew_every = 50ms;
      return options;
    });
    for (const auto& one : parties_) {
      Party& party = *one;
      client(party, 0, [&](picklock::Client& self, Lock& lock) {
        const Acquired acquired = lock.acquire(self, party.key);
        party.granted[0] = static_cast<bool>(acquired);
        if (!acquired) return;
        const Duration begun = self.monotonic_now();
        for (Duration before = begun; before - begun < 2 * kLease + 200ms;) {
          self.sleep(20ms);
          const Duration now = self.monotonic_now();
          stood_still = stood_still || now - before > kLease / 2;
          before = now;
        }
        party.held = world().held(party.key);
        party.released = lock.release(self, acquired.lease());
      });
    }
    world().run();
  }
  ASSERT_FALSE(stood_still) << "this machine is too busy to tell";
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_TRUE(party->granted[0]);
    EXPECT_TRUE(party->held);
    EXPECT_EQ(party->released, Released::ok);
  }
}

// The second client loses its key before the first acquires the lock.
TEST_F(RealLocks, AreNotReleasedByAnotherWhereTheyCompareTheOwner) {
  prepare(releases_its_own_only, with_few_attempts);
  for (const auto& one : parties_) {
    Party& party = *one;
    client(party, 0, [&](picklock::Client& self, Lock& lock) {
      await(self, [&] { return party.granted[1]; });
      party.granted[0] = static_cast<bool>(lock.acquire(self, party.key));
      await(self, [&] { return party.waits; });
      party.held = world().held(party.key);
    });
    client(party, 1, [&](picklock::Client& self, Lock& lock) {
      const Acquired acquired = lock.acquire(self, party.key);
      for (Onlooker& onlooker : world().onlookers) onlooker.ask({"DEL", party.key});
      party.granted[1] = static_cast<bool>(acquired);
      await(self, [&] { return party.granted[0]; });
      party.released = lock.release(self, acquired.lease());
      party.waits = true;
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_TRUE(party->granted[0]);
    EXPECT_TRUE(party->held);
    EXPECT_EQ(party->released,
              releases_in_silence(*party->algorithm) ? Released::ok : Released::not_held);
  }
}

TEST_F(RealLocks, CountHowOftenTheirHolderHasThemWhereTheyNest) {
  prepare([](const models::Algorithm& algorithm) { return algorithm.uses.nests; }, patiently);
  for (const auto& one : parties_) {
    Party& party = *one;
    client(party, 0, [&](picklock::Client& self, Lock& lock) {
      const Acquired outer = lock.acquire(self, party.key);
      const Acquired inner = lock.acquire(self, party.key);
      party.granted = {static_cast<bool>(outer), static_cast<bool>(inner)};
      if (!outer || !inner) return;
      party.numbers.push_back(holds(party));
      lock.release(self, inner.lease());
      party.numbers.push_back(holds(party));
      party.released = lock.release(self, outer.lease());
      party.free_at_end = comes_free(self, party);
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_THAT(party->numbers, testing::ElementsAre(2, 1));
    EXPECT_EQ(party->released, Released::ok);
    EXPECT_TRUE(party->free_at_end);
  }
}

TEST_F(RealLocks, GiveEveryHolderALargerFencingTokenWhereTheyMintThem) {
  prepare([](const models::Algorithm& algorithm) { return algorithm.uses.mint; },
          [](const models::Algorithm& algorithm) {
            models::LockOptions options = patiently(algorithm);
            options.mint = models::Mint::in_script;
            options.of<models::locks::QuorumOptions>().tokens = models::locks::Tokens::raised;
            return options;
          });
  for (const auto& one : parties_) {
    Party& party = *one;
    for (std::uint32_t i = 0; i < Party::kClients; ++i) {
      client(party, i, [&](picklock::Client& self, Lock& lock) {
        for (int times = 0; times < 3; ++times) {
          const Acquired acquired = lock.acquire(self, party.key);
          if (!acquired) return;
          party.numbers.push_back(acquired.lease().fence);
          lock.release(self, acquired.lease());
        }
      });
    }
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    ASSERT_EQ(party->numbers.size(), 3 * Party::kClients);
    EXPECT_GT(party->numbers.front(), 0);
    for (std::size_t i = 1; i < party->numbers.size(); ++i)
      EXPECT_GT(party->numbers[i], party->numbers[i - 1]);
  }
}

TEST_F(RealLocks, AreServedInTheOrderOfTheirWaitersWhereTheyAreFair) {
  prepare([](const models::Algorithm& algorithm) { return algorithm.overtakes == 0; }, patiently);
  for (const auto& one : parties_) {
    Party& party = *one;
    const auto waiting = [&] {
      return onlooker().number({"LLEN", "redisson_lock_queue:{" + party.key + "}"});
    };
    for (std::uint32_t i = 0; i < Party::kClients; ++i) {
      client(party, i, [&, i, waiting](picklock::Client& self, Lock& lock) {
        // Each comes once all before it hold the lock, or wait.
        await(self, [&] { return i == 0 || (party.granted[0] && waiting() == i - 1); });
        const Acquired acquired = lock.acquire(self, party.key);
        party.granted[i] = static_cast<bool>(acquired);
        if (!acquired) return;
        party.enter(i);
        if (i == 0) await(self, [&] { return waiting() == Party::kClients - 1; });
        party.leave();
        lock.release(self, acquired.lease());
      });
    }
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_THAT(party->order, testing::ElementsAre(0, 1, 2));
    EXPECT_EQ(party->most_inside, 1);
  }
}

// The lease is ten minutes, and the waiter does not poll.
TEST_F(RealLocks, WakeASleepingWaiterByAMessageWhereTheyHearChannels) {
  prepare(hears_channels, [](const models::Algorithm& algorithm) {
    models::LockOptions options = patiently(algorithm);
    options.of<models::locks::redisson::RedissonOptions>().wait_at_most = {};
    return options;
  });
  for (const auto& one : parties_) {
    Party& party = *one;
    client(party, 0, [&](picklock::Client& self, Lock& lock) {
      const Acquired acquired = lock.acquire(self, party.key);
      party.granted[0] = static_cast<bool>(acquired);
      if (!acquired) return;
      party.waits = await(self, [&] { return anybody_hears(party); });
      self.sleep(50ms);
      party.from = self.monotonic_now();
      lock.release(self, acquired.lease());
    });
    client(party, 1, [&](picklock::Client& self, Lock& lock) {
      await(self, [&] { return party.granted[0]; });
      const Acquired acquired = lock.acquire(self, party.key);
      party.until = self.monotonic_now();
      party.granted[1] = static_cast<bool>(acquired);
      if (acquired) lock.release(self, acquired.lease());
      party.free_at_end = await(self, [&] { return !anybody_hears(party); });
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_TRUE(party->waits);
    EXPECT_TRUE(party->granted[1]);
    EXPECT_GE(party->until, party->from);
    EXPECT_LT(party->until - party->from, kLong / 3);
    EXPECT_TRUE(party->free_at_end) << "the channel is left";
  }
}

}  // namespace
}  // namespace picklock::conform::redis::real
