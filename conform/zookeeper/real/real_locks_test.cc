// Every lock of the catalogue for ZooKeeper, on a real server, over real sockets and by real
// clocks: the same object code that the simulator judges. All run at once, each on its own znode,
// because most of the time is spent waiting for sessions to end.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "models/locks/catalogue.h"
#include "models/locks/zookeeper/options.h"
#include "picklock/zookeeper.h"
#include "testing/conform/real_zookeeper_world.h"

namespace picklock::conform::zookeeper::real {
namespace {

using namespace std::chrono_literals;

// A longer wait means that the awaited event never comes.
constexpr Duration kLong = 100s;
constexpr Duration kShortSession = 1s;

using Concerned = bool (*)(const models::Algorithm& algorithm);

bool any(const models::Algorithm&) { return true; }

// Its waiters have places in a queue.
bool queues(const models::Algorithm& algorithm) { return algorithm.name != "zk-ephemeral"; }

// docs/facts/failures.md A-21.
bool takes_its_turn_unseen(const models::Algorithm& algorithm) {
  return algorithm.name == "zk-sequential-naive";
}

// As shipped, except for how it waits.
models::LockOptions patiently(const models::Algorithm& algorithm, std::size_t) {
  models::LockOptions options = models::as_it_comes(algorithm);
  options.ttl = RealWorld::kLongSession;
  options.retry_every = 10ms;
  options.acquire_timeout = kLong;
  return options;
}

// The first client's session ends soon after it falls silent.
models::LockOptions first_briefly(const models::Algorithm& algorithm, std::size_t client) {
  models::LockOptions options = patiently(algorithm, client);
  if (client == 0) options.ttl = kShortSession;
  return options;
}

// Three clients of one lock, on a znode of its own.
struct Party {
  static constexpr std::size_t kClients = 3;

  const models::Algorithm* algorithm = nullptr;
  std::string key;
  std::array<std::unique_ptr<Lock>, kClients> locks;
  std::array<sim::Thread*, kClients> threads{};
  std::uint32_t first = 0;  // of its clients

  // The observations of a test.
  std::array<bool, kClients> granted{};
  bool refused = false;
  bool waits = false;
  bool over = false;
  int inside = 0;  // critical sections under way
  int most_inside = 0;
  std::vector<std::size_t> order;  // in which clients were served
  std::vector<std::int64_t> numbers;
  std::array<Released, 2> released{Released::unknown, Released::unknown};
  std::vector<std::string> held;  // its ephemeral znodes, while it was held
  std::vector<std::string> left;  // and afterwards
  bool told = false;
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
  void prepare(Concerned concerned,
               models::LockOptions (*options_of)(const models::Algorithm&, std::size_t)) {
    static int prepared = 0;
    const std::string suffix = "-" + std::to_string(++prepared);
    world_.reset();
    parties_.clear();
    std::vector<models::LockOptions> options;
    for (const models::Algorithm* algorithm : models::locks::all()) {
      if (algorithm->uses.server != picklock::zookeeper::kServer || !concerned(*algorithm))
        continue;
      Party& party = *parties_.emplace_back(std::make_unique<Party>());
      party.algorithm = algorithm;
      party.key = "/" + std::string(algorithm->name) + suffix;
      party.first = static_cast<std::uint32_t>(options.size() + 1);
      for (std::size_t i = 0; i < Party::kClients; ++i) {
        options.push_back(options_of(*algorithm, i));
        party.locks[i] = models::locks::make_lock(*algorithm, options.back());
      }
    }
    ASSERT_FALSE(parties_.empty());
    world_ = std::make_unique<RealWorld>(options);
  }

  void client(Party& party, std::uint32_t which,
              std::function<void(picklock::Client& self, Lock& lock)> body) {
    party.threads[which] = &world_->client(
        party.first + which, [lock = party.locks[which].get(), run = std::move(body)](
                                 RealWorld&, picklock::Client& self) { run(self, *lock); });
  }

  // Waits until the condition is true. False: it has not become true in time.
  static bool await(picklock::Client& self, const std::function<bool()>& condition) {
    for (const Duration begun = self.monotonic_now(); !condition(); self.sleep(5ms)) {
      if (self.monotonic_now() - begun > kLong) return false;
    }
    return true;
  }

  RealWorld& world() { return *world_; }
  std::vector<std::string> znodes(const Party& party) {
    return world().onlooker.ephemerals(party.key);
  }
  // The number of clients that sleep until a znode of the lock vanishes.
  std::size_t waiting(const Party& party) {
    std::size_t count = 0;
    for (const std::string& path : znodes(party)) count += world().onlooker.watchers(path);
    return count;
  }

  // Holds the lock while `meanwhile` runs.
  void hold(Party& party, std::size_t which, picklock::Client& self, Lock& lock,
            const std::function<void()>& meanwhile) {
    const Acquired acquired = lock.acquire(self, party.key);
    party.granted[which] = static_cast<bool>(acquired);
    if (!acquired) return;
    party.enter(which);
    meanwhile();
    party.leave();
    lock.release(self, acquired.lease());
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
      party.held = znodes(party);
      party.released[0] = lock.release(self, acquired.lease());
      party.left = znodes(party);
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_TRUE(party->granted[0]);
    EXPECT_EQ(party->held.size(), 1);
    EXPECT_EQ(party->released[0], Released::ok);
    EXPECT_THAT(party->left, testing::IsEmpty());
  }
}

TEST_F(RealLocks, AdmitOneClientAtATimeAndAllOfThemInTheEnd) {
  constexpr std::size_t kTimes = 10;
  prepare(any, patiently);
  for (const auto& one : parties_) {
    Party& party = *one;
    for (std::uint32_t i = 0; i < Party::kClients; ++i) {
      client(party, i, [&, i](picklock::Client& self, Lock& lock) {
        for (std::size_t times = 0; times < kTimes; ++times)
          hold(party, i, self, lock, [&] { self.sleep(1ms); });
      });
    }
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_EQ(party->most_inside, 1);
    EXPECT_EQ(party->order.size(), kTimes * Party::kClients);
    EXPECT_THAT(znodes(*party), testing::IsEmpty());
  }
}

TEST_F(RealLocks, RefuseASecondClientWhichGetsThemOnceTheyAreReleased) {
  prepare(any, patiently);
  for (const auto& one : parties_) {
    Party& party = *one;
    client(party, 0, [&](picklock::Client& self, Lock& lock) {
      hold(party, 0, self, lock,
           [&] { party.waits = await(self, [&] { return party.over && waiting(party) == 1; }); });
    });
    client(party, 1, [&](picklock::Client& self, Lock& lock) {
      await(self, [&] { return party.inside == 1; });
      const Acquired attempt = lock.try_acquire(self, party.key);
      party.refused = !attempt && !attempt.is_unknown();
      party.left = znodes(party);
      party.over = true;
      hold(party, 1, self, lock, [] {});
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_TRUE(party->refused);
    EXPECT_EQ(party->left.size(), 1) << "the holder's alone";
    EXPECT_TRUE(party->waits);
    EXPECT_THAT(party->granted, testing::ElementsAre(true, true, false));
    EXPECT_EQ(party->most_inside, 1);
  }
}

TEST_F(RealLocks, AreServedInTheOrderOfTheirWaitersWhereTheyQueue) {
  prepare(queues, patiently);
  for (const auto& one : parties_) {
    Party& party = *one;
    for (std::uint32_t i = 0; i < Party::kClients; ++i) {
      client(party, i, [&, i](picklock::Client& self, Lock& lock) {
        // Each comes once all before it hold the lock, or wait.
        await(self, [&] { return i == 0 || (party.granted[0] && waiting(party) == i - 1); });
        hold(party, i, self, lock, [&] {
          if (i == 0) await(self, [&] { return waiting(party) == Party::kClients - 1; });
        });
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

TEST_F(RealLocks, LoseNothingToAWaiterThatRunsOutOfPatience) {
  static constexpr Duration kPatience = 150ms;
  prepare(any, [](const models::Algorithm& algorithm, std::size_t client) {
    models::LockOptions options = patiently(algorithm, client);
    if (client == 1) options.acquire_timeout = kPatience;
    return options;
  });
  for (const auto& one : parties_) {
    Party& party = *one;
    client(party, 0, [&](picklock::Client& self, Lock& lock) {
      hold(party, 0, self, lock, [&] {
        party.held = znodes(party);
        await(self, [&] { return party.over; });
        party.left = znodes(party);
      });
    });
    client(party, 1, [&](picklock::Client& self, Lock& lock) {
      await(self, [&] { return party.inside == 1; });
      party.from = self.monotonic_now();
      const Acquired acquired = lock.acquire(self, party.key);
      party.until = self.monotonic_now();
      party.refused = !acquired && !acquired.is_unknown();
      party.over = true;
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_TRUE(party->refused);
    EXPECT_GE(party->until - party->from, kPatience);
    EXPECT_EQ(party->held.size(), 1);
    EXPECT_EQ(party->left, party->held);
  }
}

// a waiter in the middle leaves. The waiter behind it does not get the lock by that.
TEST_F(RealLocks, LetNobodyInWhenAWaiterIsInterruptedUnlessTheyTakeTheirTurnUnseen) {
  prepare(queues, patiently);
  for (const auto& one : parties_) {
    Party& party = *one;
    client(party, 0, [&](picklock::Client& self, Lock& lock) {
      hold(party, 0, self, lock, [&] {
        await(self, [&] { return waiting(party) == 2; });
        world().simulation.scheduler.threads().interrupt(*party.threads[1]);
        const std::string own = znodes(party).front();
        // The watch of the client that has left still exists.
        party.waits = await(self, [&] {
          return party.inside == 2 || (party.refused && world().onlooker.watchers(own) == 2);
        });
        party.left = znodes(party);
        party.over = true;
      });
    });
    client(party, 1, [&](picklock::Client& self, Lock& lock) {
      await(self, [&] { return party.inside == 1; });
      const Acquired acquired = lock.acquire(self, party.key);
      party.refused = !acquired && !acquired.is_unknown();
    });
    client(party, 2, [&](picklock::Client& self, Lock& lock) {
      await(self, [&] { return waiting(party) == 1; });
      hold(party, 2, self, lock, [&] { await(self, [&] { return party.over; }); });
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_TRUE(party->refused);
    EXPECT_TRUE(party->waits);
    EXPECT_EQ(party->left.size(), 2) << "the holder's, and that of the last";
    EXPECT_TRUE(party->granted[2]);
    EXPECT_EQ(party->most_inside, takes_its_turn_unseen(*party->algorithm) ? 2 : 1);
  }
}

TEST_F(RealLocks, ComeFreeWithItsSessionWhenTheHolderCrashes) {
  prepare(any, first_briefly);
  for (const auto& one : parties_) {
    Party& party = *one;
    client(party, 0, [&](picklock::Client& self, Lock& lock) {
      party.from = self.monotonic_now();
      party.granted[0] = static_cast<bool>(lock.acquire(self, party.key));
      self.sleep(kLong);  // and never does anything again
    });
    client(party, 1, [&](picklock::Client& self, Lock& lock) {
      await(self, [&] { return party.granted[0]; });
      world().crash(party.first);
      party.granted[1] = static_cast<bool>(lock.acquire(self, party.key));
      party.until = self.monotonic_now();
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_THAT(party->granted, testing::ElementsAre(true, true, false));
    // Its connection was closed long before.
    EXPECT_GE(party->until - party->from, kShortSession);
  }
}

// Z11: the holder's process is paused for longer than its session lives.
TEST_F(RealLocks, AreHeldTwiceWhenTheHolderIsPausedWhichIsToldLaterAndReleasesNothing) {
  prepare(any, first_briefly);
  for (const auto& one : parties_) {
    Party& party = *one;
    client(party, 0, [&](picklock::Client& self, Lock& lock) {
      const Acquired acquired = lock.acquire(self, party.key);
      party.granted[0] = static_cast<bool>(acquired);
      if (!acquired) return;
      party.enter(0);
      await(self, [&] { return party.granted[1]; });
      party.told = await(self, [&] { return world().has_lost(party.first); });
      party.leave();
      await(self, [&] {
        return self.connection<picklock::zookeeper::Client>().state() == State::connected;
      });
      party.released[0] = lock.release(self, acquired.lease());
      party.over = true;
    });
    client(party, 1, [&](picklock::Client& self, Lock& lock) {
      await(self, [&] { return party.granted[0]; });
      world().pause(party.first);
      const Acquired acquired = lock.acquire(self, party.key);
      party.granted[1] = static_cast<bool>(acquired);
      if (acquired) party.enter(1);
      party.held = znodes(party);
      world().resume(party.first);
      await(self, [&] { return party.over; });
      party.left = znodes(party);
      if (acquired) party.released[1] = lock.release(self, acquired.lease());
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_THAT(party->granted, testing::ElementsAre(true, true, false));
    EXPECT_EQ(party->most_inside, 2);
    EXPECT_TRUE(party->told);
    EXPECT_NE(party->released[0], Released::ok);
    EXPECT_EQ(party->released[1], Released::ok);
    EXPECT_EQ(party->held.size(), 1);
    EXPECT_EQ(party->left, party->held);
  }
}

TEST_F(RealLocks, StayHeldUntilTheirHolderHasReleasedThemAsOftenAsItAcquiredThemWhereTheyNest) {
  prepare([](const models::Algorithm& algorithm) { return algorithm.uses.nests; }, patiently);
  for (const auto& one : parties_) {
    Party& party = *one;
    client(party, 0, [&](picklock::Client& self, Lock& lock) {
      const Acquired outer = lock.acquire(self, party.key);
      const Acquired inner = lock.acquire(self, party.key);
      party.granted = {static_cast<bool>(outer), static_cast<bool>(inner)};
      if (!outer || !inner) return;
      party.released[0] = lock.release(self, inner.lease());
      party.held = znodes(party);
      party.released[1] = lock.release(self, outer.lease());
      party.left = znodes(party);
    });
  }
  world().run();
  for (const auto& party : parties_) {
    SCOPED_TRACE(party->key);
    EXPECT_THAT(party->granted, testing::ElementsAre(true, true, false));
    EXPECT_THAT(party->released, testing::ElementsAre(Released::ok, Released::ok));
    EXPECT_EQ(party->held.size(), 1);
    EXPECT_THAT(party->left, testing::IsEmpty());
  }
}

template <models::locks::zookeeper::FenceBy by>
models::LockOptions fenced(const models::Algorithm& algorithm, std::size_t client) {
  models::LockOptions options = patiently(algorithm, client);
  options.mint = models::Mint::in_script;
  options.of<models::locks::zookeeper::QueueOptions>().fence_by = by;
  return options;
}

TEST_F(RealLocks, GiveEveryHolderALargerFencingToken) {
  for (const auto options_of : {fenced<models::locks::zookeeper::FenceBy::zxid>,
                                fenced<models::locks::zookeeper::FenceBy::sequence>}) {
    prepare([](const models::Algorithm& algorithm) { return algorithm.uses.mint; }, options_of);
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
}

}  // namespace
}  // namespace picklock::conform::zookeeper::real
