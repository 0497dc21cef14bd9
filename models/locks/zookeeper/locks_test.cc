#include <gmock/gmock.h>

#include "models/locks/catalogue.h"
#include "models/locks/zookeeper/ephemeral_lock.h"
#include "models/locks/zookeeper/sequential_lock.h"
#include "models/locks/zookeeper/session.h"
#include "models/zookeeper/kind.h"
#include "testing/small_world.h"

namespace picklock::models::locks::locks_tests {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using zookeeper::EphemeralOptions;
using zookeeper::FenceBy;
using zookeeper::QueueOptions;
using zookeeper::SessionOptions;
using zookeeper::StopsAt;

SmallWorld::Setup on_zookeeper(std::uint32_t clients, LockOptions options = {}) {
  return {.clients = clients, .other = &picklock::zookeeper::kKind, .options = std::move(options)};
}

LockOptions options_of(std::string_view algorithm) { return as_it_comes(*named(algorithm)); }

// A client's use of the lock: when it requests it, with which options, and how long it holds it.
struct Wish {
  sim::Duration at{};
  sim::Duration hold = 1s;
  LockOptions options{};
};

// The clients in the order of their grants; each requests once.
std::vector<std::uint32_t> granted(SmallWorld& world, std::string_view algorithm,
                                   const std::vector<Wish>& wishes, const sim::Plan& plan = {}) {
  std::vector<std::unique_ptr<Lock>> locks;
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < wishes.size(); ++i) {
    locks.push_back(make_lock(*named(algorithm), wishes[i].options));
    world.client(i + 1, [&, i](SmallWorld& all, Client& self) {
      self.sleep(wishes[i].at);
      all.play(Role::acquire);
      const Acquired acquired = locks[i]->acquire(self, "lock");
      if (!acquired) return;
      order.push_back(i + 1);
      self.sleep(wishes[i].hold);
      all.play(Role::release);
      locks[i]->release(self, acquired.lease());
    });
  }
  world.run(plan);
  return order;
}

class Queue : public testing::TestWithParam<std::string_view> {
 protected:
  Wish wish(sim::Duration at, sim::Duration hold = 1s) const {
    return {at, hold, options_of(GetParam())};
  }
};

INSTANTIATE_TEST_SUITE_P(ZooKeeper, Queue,
                         testing::Values("zk-sequential", "zk-sequential-naive", "curator-mutex",
                                         "kazoo-lock"),
                         [](const auto& tested) {
                           std::string name(tested.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(Queue, IsServedInTheOrderInWhichItCame) {
  SmallWorld world{on_zookeeper(4)};
  EXPECT_THAT(granted(world, GetParam(), {wish(30ms), wish(10ms), wish(40ms), wish(20ms)}),
              ElementsAre(2, 4, 1, 3));
}

TEST_P(Queue, GivesNoZnodeAnythingToStandInTheWayOnceItsClientHasGivenUp) {
  SmallWorld world{on_zookeeper(3)};
  Wish impatient = wish(100ms);
  impatient.options.acquire_timeout = 500ms;
  EXPECT_THAT(granted(world, GetParam(), {wish(0ms, 5s), impatient, wish(6s)}), ElementsAre(1, 3));
}

// docs/facts/failures.md A-21
TEST(SequentialLock, ListsAgainWhenTheZnodeBeforeItsOwnIsGoneUnlessItIsNaive) {
  for (const std::string_view algorithm : {"zk-sequential", "zk-sequential-naive"}) {
    SmallWorld world{on_zookeeper(3)};
    Wish patient{.at = 200ms, .hold = 1s, .options = options_of(algorithm)};
    Wish impatient = patient;
    impatient.at = 100ms;
    impatient.options.acquire_timeout = 1s;
    Wish first = patient;
    first.at = 0ms;
    first.hold = 10s;
    std::int64_t third = 0;
    std::vector<std::unique_ptr<Lock>> locks;
    const std::vector<Wish> wishes = {first, impatient, patient};
    for (std::uint32_t i = 0; i < 3; ++i) {
      locks.push_back(make_lock(*named(algorithm), wishes[i].options));
      world.client(i + 1, [&, i](SmallWorld& all, Client& self) {
        self.sleep(wishes[i].at);
        all.play(Role::acquire);
        const Acquired acquired = locks[i]->acquire(self, "lock");
        if (!acquired) return;
        if (i == 2) third = all.milliseconds();
        self.sleep(wishes[i].hold);
        locks[i]->release(self, acquired.lease());
      });
    }
    world.run();
    if (algorithm == "zk-sequential") {
      EXPECT_GT(third, 10'000);
    } else {
      EXPECT_LT(third, 2'000);
    }
  }
}

// The connection of client-1 is lost with the answer.
sim::Fault lost_answer(Role role, std::uint32_t nth) {
  sim::Fault fault;
  fault.verb = sim::Verb::drop;
  fault.target = "client-1";
  fault.trigger.side = sim::Side::before;
  fault.trigger.role = role;
  fault.trigger.phase = sim::Phase::applied;
  fault.trigger.nth = nth;
  return fault;
}

// The lost answer is that of the create itself; the first create made the directory.
sim::Fault lost_create() { return lost_answer(Role::acquire, 2); }

// docs/facts/failures.md C-13: the name shows the owner.
TEST(SequentialLock, FindsWhatALostAnswerHasCreated) {
  SmallWorld world{on_zookeeper(1)};
  EXPECT_THAT(
      granted(world, "zk-sequential", {{.options = options_of("zk-sequential")}}, {lost_create()}),
      ElementsAre(1));
}

std::vector<std::string> sorted(std::vector<std::string> children, zookeeper::OrderBy order_by) {
  return zookeeper::in_order(std::move(children), order_by);
}

// docs/facts/failures.md C-31 and C-35.
TEST(ZooKeeperLocks, SortTheirQueuesByNumbersTheirTextOrWholeNames) {
  using zookeeper::OrderBy;
  const std::vector<std::string> children = {"a-0000000002", "b--2147483647", "c-0000000001",
                                             "d--2147483648", "other"};
  EXPECT_THAT(sorted(children, OrderBy::number),
              ElementsAre("d--2147483648", "b--2147483647", "c-0000000001", "a-0000000002"));
  EXPECT_THAT(sorted(children, OrderBy::suffix),
              ElementsAre("b--2147483647", "d--2147483648", "c-0000000001", "a-0000000002"));
  EXPECT_THAT(sorted(children, OrderBy::name),
              ElementsAre("a-0000000002", "b--2147483647", "c-0000000001", "d--2147483648"));
}

// The session, not the acquisition, names the znode: once it has been found, both are granted.
TEST(SequentialLock, TakesTheZnodeOfItsSessionForItsOwn) {
  LockOptions options = options_of("zk-sequential");
  options.of<zookeeper::SequentialOptions>().named_by = zookeeper::NamedBy::session;
  EXPECT_TRUE(promise(*named("zk-sequential"), Property::mutual_exclusion, options).has_value());
  options.recognise_own = RecogniseOwn::always;
  EXPECT_FALSE(promise(*named("zk-sequential"), Property::mutual_exclusion, options).has_value());
  SmallWorld world{on_zookeeper(1)};
  int granted = 0;
  for (int thread = 0; thread < 2; ++thread) {
    world.client(1, [&, thread](SmallWorld& all, Client& self) {
      const auto lock = make_lock(*named("zk-sequential"), options);
      self.sleep(thread * 100ms);  // the second one finds the znode of the first
      all.play(Role::acquire);
      const Acquired acquired = lock->acquire(self, "lock");
      granted += self.monotonic_now() < 1s ? 1 : 0;
      self.sleep(1s);
      all.play(Role::release);
      lock->release(self, acquired.lease());
    });
  }
  world.run();
  EXPECT_EQ(granted, 2);
}

TEST(SequentialLock, WaitsForItselfIfItsZnodesAreAllAlike) {
  SmallWorld world{on_zookeeper(1)};
  LockOptions options = options_of("zk-sequential");
  options.recognise_own = RecogniseOwn::never;
  options.acquire_timeout = 60s;
  EXPECT_THAT(granted(world, "zk-sequential", {{.options = options}}, {lost_create()}),
              ElementsAre());
}

TEST(CuratorMutex, FindsWhatALostAnswerHasCreated) {
  SmallWorld world{on_zookeeper(1)};
  EXPECT_THAT(
      granted(world, "curator-mutex", {{.options = options_of("curator-mutex")}}, {lost_create()}),
      ElementsAre(1));
}

TEST(KazooLock, FindsWhatALostAnswerHasCreated) {
  SmallWorld world{on_zookeeper(1)};
  EXPECT_THAT(
      granted(world, "kazoo-lock", {{.options = options_of("kazoo-lock")}}, {lost_create()}),
      ElementsAre(1));
}

// A second one would wait behind the first forever.
TEST(ZooKeeperLocks, CreateNoOtherZnodeBeforeTheyHaveSeenWhatALostAnswerHasCreated) {
  for (const std::string_view algorithm :
       {"zk-ephemeral", "zk-sequential", "curator-mutex", "kazoo-lock"}) {
    SmallWorld world{on_zookeeper(1)};
    LockOptions options = options_of(algorithm);
    options.recognise_own = RecogniseOwn::after_unknown;
    options.acquire_timeout = 60s;
    const sim::Fault create = lost_answer(Role::acquire, algorithm == "zk-ephemeral" ? 1 : 2);
    EXPECT_THAT(
        granted(world, algorithm, {{.options = options}}, {create, lost_answer(Role::check, 1)}),
        ElementsAre(1))
        << algorithm;
  }
}

// The object remembers the znode of a failed acquisition, and looks for no other.
TEST(KazooLock, LeavesWhatALostAnswerHasCreatedIfItRemembersAnOlderZnode) {
  for (const bool remembers : {false, true}) {
    SmallWorld world{on_zookeeper(2)};
    LockOptions options = options_of("kazoo-lock");
    options.acquire_timeout = 5s;
    const std::unique_ptr<Lock> other = make_lock(*named("kazoo-lock"), options);
    options.acquire_timeout = options.retry_every / 2;
    const std::unique_ptr<Lock> mine = make_lock(*named("kazoo-lock"), options);
    bool left_free = false;
    world.client(1, [&](SmallWorld& all, Client& self) {
      all.play(Role::acquire);
      self.sleep(1s);
      if (remembers) {
        EXPECT_FALSE(mine->acquire(self, "lock"));
      }
      self.sleep(2s);
      EXPECT_FALSE(mine->acquire(self, "lock"));
    });
    world.client(2, [&](SmallWorld& all, Client& self) {
      all.play(Role::acquire);
      const Acquired first = other->acquire(self, "lock");
      self.sleep(2s);
      other->release(self, first.lease());
      self.sleep(5s);
      left_free = static_cast<bool>(other->acquire(self, "lock"));
    });
    world.run({lost_answer(Role::acquire, remembers ? 2 : 1)});
    EXPECT_EQ(left_free, !remembers);
  }
}

// docs/facts/algorithms.md 6.4: client-3 is woken at 1.1 s, when client-2 gives up.
TEST(KazooLock, WaitsItsWholeTimeOutAgainOnceItIsWoken) {
  for (const std::string_view algorithm : {"kazoo-lock", "curator-mutex"}) {
    SmallWorld world{on_zookeeper(3)};
    const auto wish = [algorithm](sim::Duration at, sim::Duration time_out) {
      Wish one{.at = at, .hold = 2700ms, .options = options_of(algorithm)};
      one.options.acquire_timeout = time_out;
      return one;
    };
    const std::vector<std::uint32_t> order =
        granted(world, algorithm, {wish(0ms, 0ms), wish(100ms, 1s), wish(200ms, 2s)});
    EXPECT_EQ(order.size(), algorithm == "kazoo-lock" ? 2 : 1) << algorithm;
  }
}

TEST(CuratorMutex, GrantsAThreadThatHoldsItAgainWithoutAWordToTheServer) {
  SmallWorld world{on_zookeeper(1)};
  const std::unique_ptr<Lock> lock =
      make_lock(*named("curator-mutex"), options_of("curator-mutex"));
  world.client(1, [&](SmallWorld& all, Client& self) {
    const Acquired once = lock->acquire(self, "lock");
    const auto before = all.milliseconds();
    const Acquired again = lock->acquire(self, "lock");
    ASSERT_TRUE(once);
    ASSERT_TRUE(again);
    EXPECT_EQ(all.milliseconds(), before);
    EXPECT_EQ(again.lease().token, once.lease().token);
    EXPECT_EQ(lock->release(self, again.lease()), Released::ok);
    EXPECT_EQ(dynamic_cast<HolderCheck&>(*lock).check_held(self, once.lease()), Held::yes);
    EXPECT_EQ(lock->release(self, once.lease()), Released::ok);
    EXPECT_EQ(dynamic_cast<HolderCheck&>(*lock).check_held(self, once.lease()), Held::no);
  });
  world.run();
}

// docs/facts/failures.md A-30
TEST(EphemeralLock, TriesAgainAtOnceIfWhatItWouldWatchIsGone) {
  for (const bool retries : {true, false}) {
    SmallWorld world{on_zookeeper(2)};
    sim::Fault late;
    late.verb = sim::Verb::delay;
    late.target = "client-2";
    late.trigger.side = sim::Side::before;
    late.trigger.role = Role::watch;
    late.trigger.phase = sim::Phase::sent;
    late.lasts = 3s;
    LockOptions options = options_of("zk-ephemeral");
    options.of<EphemeralOptions>().retry_missing = retries;
    options.acquire_timeout = 30s;
    const std::vector<std::uint32_t> order =
        granted(world, "zk-ephemeral",
                {{.hold = 1s, .options = options}, {.at = 500ms, .options = options}}, {late});
    EXPECT_EQ(order.size(), retries ? 2 : 1);
  }
}

TEST(EphemeralLock, LeavesAnothersZnodeAloneWhenItsOwnSessionIsGone) {
  SmallWorld world{on_zookeeper(2)};
  Wish paused{.hold = 2s, .options = options_of("zk-ephemeral")};
  EXPECT_THAT(granted(world, "zk-ephemeral",
                      {paused, {.at = 1s, .hold = 20s, .options = options_of("zk-ephemeral")}},
                      {fault_at(1500ms, sim::Verb::pause, "client-1", 15s)}),
              ElementsAre(1, 2));
  EXPECT_THAT(world.effects(),
              ElementsAre(AllOf(StartsWith("0.0"), EndsWith("entry created command by 1 of 0")),
                          AllOf(StartsWith("12.0"), EndsWith("session end by 0 of 1")),
                          AllOf(StartsWith("12.0"), EndsWith("entry created command by 2 of 0")),
                          AllOf(StartsWith("32.0"), EndsWith("entry removed command by 2 of 2"))));
}

TEST(EphemeralLock, DeletesTheZnodeOfWhoeverHasTheLockWhenItAsksAgain) {
  for (const std::uint32_t resend : {0u, 1u}) {
    SmallWorld world{on_zookeeper(2)};
    Wish first{.hold = 1s, .options = options_of("zk-ephemeral")};
    first.options.resend = resend;
    const Wish second{.at = 500ms, .hold = 20s, .options = options_of("zk-ephemeral")};
    EXPECT_THAT(granted(world, "zk-ephemeral", {first, second}, {lost_answer(Role::release, 1)}),
                ElementsAre(1, 2));
    EXPECT_THAT(world.effects().back(),
                EndsWith(resend > 0 ? "removed command by 1 of 2" : "removed command by 2 of 2"));
    const auto promised = promise(*named("zk-ephemeral"), Property::own_release, first.options);
    EXPECT_EQ(promised->under.has(FaultClass::lost_reply), resend == 0);
  }
}

TEST(ZooKeeperLocks, GiveTokensThatGrowFromGrantToGrant) {
  for (const std::string_view algorithm :
       {"zk-ephemeral", "zk-sequential", "curator-mutex", "kazoo-lock"}) {
    for (const FenceBy by : {FenceBy::zxid, FenceBy::sequence}) {
      SmallWorld world{on_zookeeper(2)};
      LockOptions options = options_of(algorithm);
      options.mint = Mint::in_script;
      options.of<QueueOptions>().fence_by = by;
      std::vector<std::unique_ptr<Lock>> locks;
      std::vector<std::int64_t> tokens;
      for (const std::uint32_t number : {1u, 2u}) {
        locks.push_back(make_lock(*named(algorithm), options));
        world.client(number, [&, lock = locks.back().get()](SmallWorld&, Client& self) {
          for (int i = 0; i < 3; ++i) {
            const Acquired acquired = lock->acquire(self, "lock");
            tokens.push_back(acquired.lease().fence);
            self.sleep(100ms);
            lock->release(self, acquired.lease());
          }
        });
      }
      world.run();
      EXPECT_EQ(tokens.size(), 6);
      EXPECT_GT(tokens.front(), 0);
      for (std::size_t i = 1; i < tokens.size(); ++i) EXPECT_GT(tokens[i], tokens[i - 1]);
    }
  }
}

// docs/facts/failures.md B-12: a client that waits to be told that its session is lost may be told
// too late.
TEST(ZooKeeperLocks, TellTheirHolderOfALostConnectionOrOfALostSessionAsTheyAreTold) {
  for (const auto& [stops_at, from, until] :
       std::vector<std::tuple<StopsAt, std::int64_t, std::int64_t>>{
           {StopsAt::suspended, 6'000, 9'500}, {StopsAt::lost, 31'000, 34'000}}) {
    SmallWorld world{on_zookeeper(1)};
    LockOptions options = options_of("zk-sequential");
    options.of<SessionOptions>().stops_at = stops_at;
    const std::unique_ptr<Lock> lock = make_lock(*named("zk-sequential"), options);
    world.client(1, [&](SmallWorld&, Client& self) {
      ASSERT_TRUE(lock->acquire(self, "lock"));
      self.sleep(60s);
    });
    world.run({fault_at(1s, sim::Verb::partition, "client-1", 30s)});
    std::int64_t told = 0;
    for (const history::HistoryEvent& event : world.history()) {
      if (event.what == history::What::loss_learned) told = sim::nanoseconds(event.at) / 1'000'000;
    }
    EXPECT_GT(told, from);
    EXPECT_LT(told, until);
  }
}

}  // namespace
}  // namespace picklock::models::locks::locks_tests
