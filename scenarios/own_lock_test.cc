#include "scenarios/own_lock.h"

#include <gmock/gmock.h>

#include "keys/bad_input.h"
#include "models/locks/catalogue.h"
#include "models/locks/set_px_lock.h"
#include "models/servers/kind.h"
#include "picklock/lease_store.h"
#include "picklock/redis.h"
#include "scenarios/bounds.h"
#include "scenarios/loader.h"
#include "scenarios/premise.h"
#include "scenarios/runner.h"
#include "scenarios/world.h"
#include "scenarios/writer.h"

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;

// The shipped lock, as if a user had written it.
class Borrowed final : public Lock {
 public:
  explicit Borrowed(const LockSettings& settings)
      : Lock(settings), lock_({.ttl = settings.ttl, .retry_every = settings.retry_every}) {}
  Acquired acquire(Client& self, std::string_view key) override { return lock_.acquire(self, key); }
  Acquired try_acquire(Client& self, std::string_view key) override {
    return lock_.try_acquire(self, key);
  }
  Released release(Client& self, const Lease& lease) override { return lock_.release(self, lease); }

 private:
  models::locks::LuaCheckDelete lock_;
};

class SaysMoreOfItself final : public Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(Client&, std::string_view) override { return std::nullopt; }
  Released release(Client&, const Lease&) override { return Released::ok; }
  static std::vector<Promise> promises(const LockSettings&) {
    return {{Property::not_stuck, {FaultClass::pause}, ""}};
  }
  static Duration bound(const LockSettings& settings) { return 7 * settings.ttl; }
  static constexpr LockServer server = lease_store::kServer;
};

// Of its servers, all but one; its token is that of its process.
class OnSeveralServers final : public Lock {
 public:
  using Lock::Lock;
  static std::uint32_t quorum(std::uint32_t servers) { return servers - 1; }
  static constexpr std::string_view value = "client";
  static constexpr bool shared = true;
  Acquired try_acquire(Client&, std::string_view) override { return std::nullopt; }
  Released release(Client&, const Lease&) override { return Released::ok; }
};

TEST(OwnLock, IsCalledLikeItsClass) {
  EXPECT_EQ(algorithm_of(own_lock<Borrowed>()).name, "picklock::scenarios::Borrowed");
  EXPECT_EQ(algorithm_of(own_lock<SaysMoreOfItself>()).name,
            "picklock::scenarios::SaysMoreOfItself");
  EXPECT_EQ(detail::type_in("f() [with LockType = {anonymous}::MyLock; T = int]"), "MyLock");
  EXPECT_EQ(detail::type_in("f() [LockType = a::(anonymous namespace)::MyLock]"), "a::MyLock");
}

TEST(OwnLock, TakesNoNameOfAShippedOne) {
  static const OwnLock redlock{.name = "redlock"};
  EXPECT_THROW(algorithm_of(redlock), BadInput);
}

// Whether a critical section was within its lease is judged in every run. So faults that may end a
// lease early are no reason to promise nothing, as they are in the columns of the safety table.
TEST(OwnLock, PromisesWhatACarefulLeaseLockDoesAndExclusionUnderMoreFaults) {
  const models::Algorithm& careful = *models::locks::named("lua-check-delete");
  const models::Algorithm& own = algorithm_of(own_lock<Borrowed>());
  EXPECT_FALSE(own.says_promises);
  const std::vector<Promise> promised = own.promises({});
  const std::vector<Promise> expected = careful.promises({});
  ASSERT_EQ(promised.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(promised[i].property, expected[i].property);
    EXPECT_TRUE(promised[i].under.covers(expected[i].under));
    EXPECT_TRUE(is_judged(promised[i].premise)) << promised[i].premise;
  }
  const FaultClasses exclusion = promise(own, Property::mutual_exclusion, {})->under;
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    EXPECT_EQ(exclusion.has(one), one != FaultClass::failover && one != FaultClass::amnesia);
  }
  EXPECT_FALSE(promise(own, Property::no_stale_write, {})->under.has(FaultClass::late_write));
  EXPECT_EQ(algorithm_of(own_lock<Borrowed>()).bound({.ttl = 20s}), careful.bound({.ttl = 20s}));
}

TEST(OwnLock, MaySayMoreOfItself) {
  const models::Algorithm& one = algorithm_of(own_lock<SaysMoreOfItself>());
  ASSERT_EQ(one.promises({}).size(), 1U);
  EXPECT_EQ(one.promises({})[0].property, Property::not_stuck);
  EXPECT_TRUE(one.says_promises);
  EXPECT_EQ(one.bound({.ttl = 3s}), 21s);
  const Scenario scenario = contended(own_lock<SaysMoreOfItself>(), {});
  EXPECT_EQ(lock_server(scenario).server, lease_store::kServer);
  EXPECT_TRUE(scenario.network.links.empty());
}

TEST(OwnLock, SaysOnHowManyServersItsEntriesMakeAGrant) {
  EXPECT_EQ(algorithm_of(own_lock<OnSeveralServers>()).quorum(5, {}), 4U);
  EXPECT_EQ(algorithm_of(own_lock<Borrowed>()).quorum(5, {}), 3U) << "more than half of them";
  EXPECT_TRUE(algorithm_of(own_lock<OnSeveralServers>()).uses.shared);
  EXPECT_FALSE(algorithm_of(own_lock<Borrowed>()).uses.shared);
}

// A late command of such a lock may hit a later acquisition of its process.
TEST(OwnLock, PromisesLessIfATokenBelongsToSeveralAcquisitions) {
  const models::Algorithm& own = algorithm_of(own_lock<OnSeveralServers>());
  const auto of_acquisition = promise(own, Property::own_release, {});
  const auto of_client = promise(own, Property::own_release, {.value = models::TokenPer::client});
  EXPECT_TRUE(of_acquisition->under.has(FaultClass::late_command));
  EXPECT_FALSE(of_client->under.has(FaultClass::late_command));
}

TEST(OwnLock, IsContendedForAsTheTestSays) {
  const OwnLock& lock = own_lock<OnSeveralServers>();
  const Contention contention{
      .threads = 2, .connections = 5, .servers = 3, .keys = {"account:1", "account:2"}};
  const Scenario scenario = contended(lock, contention);
  EXPECT_EQ(scenario.clients.threads, 2U);
  EXPECT_EQ(scenario.lock.options.connections, 5U);
  EXPECT_EQ(scenario.clients.keys, (std::vector<std::string>{"account:1", "account:2"}));
  EXPECT_TRUE(scenario.network.links.empty()) << "no replica has one";
  EXPECT_FALSE(contended(lock, {}).network.links.empty());
  EXPECT_EQ(in_words(further_keys(lock, contention)),
            "lock.value = client, servers.redis.masters = 3");
  EXPECT_TRUE(further_keys(own_lock<Borrowed>(), {}).empty());
}

TEST(OwnLock, RefusesServersThatItsKindDoesNotHave) {
  EXPECT_THROW(further_keys(own_lock<SaysMoreOfItself>(), {.servers = 3}), BadInput);
}

class CanBeChecked final : public Lock, public HolderCheck {
 public:
  using Lock::Lock;
  Acquired try_acquire(Client&, std::string_view) override { return std::nullopt; }
  Released release(Client&, const Lease&) override { return Released::ok; }
  Held check_held(Client&, const Lease&) override { return Held::yes; }
};

TEST(OwnLock, DoesWhatItsClassAdds) {
  const models::Uses can = algorithm_of(own_lock<CanBeChecked>()).uses;
  EXPECT_TRUE(can.check);
  EXPECT_FALSE(can.database);
  EXPECT_FALSE(can.force);
  EXPECT_FALSE(algorithm_of(own_lock<Borrowed>()).uses.check);
}

// Its attempts are five seconds apart, whatever `retry_every` says.
class Unhurried : public Lock {
 public:
  using Lock::Lock;
  Acquired acquire(Client& self, std::string_view key) override {
    for (Duration waited{}; waited <= settings().acquire_timeout; waited += 5s) {
      if (Acquired attempt = try_acquire(self, key)) return attempt;
      self.sleep(5s);
    }
    return std::nullopt;
  }
  Acquired try_acquire(Client& self, std::string_view key) override {
    const auto granted = redis::server(self).set(key, "token", {.nx = true, .px = settings().ttl});
    return granted.ok() ? Acquired(Lease{.key = std::string(key)}) : Acquired(std::nullopt);
  }
  Released release(Client& self, const Lease& lease) override {
    redis::server(self).del(lease.key);
    return Released::ok;
  }
};

class SaysItsPause final : public Unhurried {
 public:
  using Unhurried::Unhurried;
  static Duration pause(const LockSettings&) { return 5s; }
};

properties::Outcome availability(const OwnLock& lock) {
  Scenario scenario = contended(lock, {.clients = 2, .ttl = 20s, .hold = 2s, .cycles = 1});
  scenario.lock.options.acquire_timeout = 4s;
  World world;
  world.set(scenario);
  world.run(1);
  return world.verdicts()[static_cast<std::size_t>(Property::available)].outcome;
}

// Client-2 finds the lock held, and gives up three seconds after it has become free.
TEST(OwnLock, IsNotBlamedForTheLengthOfItsOwnPauses) {
  EXPECT_EQ(availability(own_lock<Unhurried>()), properties::Outcome::holds);
  EXPECT_EQ(availability(own_lock<SaysItsPause>()), properties::Outcome::holds);
  EXPECT_EQ(acquire_bound(contended(own_lock<Unhurried>(), {})), 0s) << "unknown";
  EXPECT_GT(acquire_bound(contended(own_lock<SaysItsPause>(), {})), 5s);
  EXPECT_LT(acquire_bound(contended(own_lock<CanBeChecked>(), {})), 1s) << "that of Lock::acquire";
}

// A lock behaves the same whether it is shipped or a user's own.
TEST(OwnLock, RunsAsItWouldIfItWereShipped) {
  const Scenario own = contended(own_lock<Borrowed>(), {.clients = 3, .ttl = 5s, .hold = 2s});
  Scenario shipped = own;
  shipped.lock.algorithm = "lua-check-delete";
  shipped.lock.own = nullptr;
  World world;
  world.set(own);
  world.run(1);
  const std::uint64_t digest = world.digest();
  EXPECT_EQ(world.grants(), 6U);
  World other;
  other.set(shipped);
  other.run(1);
  EXPECT_EQ(other.digest(), digest);
}

TEST(OwnLock, IsReadBackByThoseWhoKnowIt) {
  Scenario scenario = contended(own_lock<Borrowed>(), {.clients = 2, .ttl = 5s, .hold = 2s});
  scenario.faults = {{.verb = sim::Verb::pause,
                      .target = "client-1",
                      .trigger = {.mark = "a-mark-that-only-its-code-knows"},
                      .lasts = 3s}};
  const std::string text = file_text(scenario);
  const Scenario again = parse(text, "again.toml", vocabulary_of(scenario));
  EXPECT_EQ(again.lock.own, scenario.lock.own);
  EXPECT_EQ(file_text(again), text);
  Runner runner;
  EXPECT_EQ(runner.run(again, 1, false).digest, runner.run(scenario, 1, false).digest);
  EXPECT_THROW(parse(text, "again.toml", shipped_vocabulary()), BadInput);
  EXPECT_EQ(Document(text, "again.toml").algorithm(), scenario.lock.algorithm);
}

TEST(OwnLock, MeetsTheShippedOnesInItsTwins) {
  const Scenario own = contended(own_lock<Borrowed>(), {});
  Document document(file_text(own), "own.toml");
  document.set({.path = "lock.algorithm", .value = "lua-check-delete"});
  EXPECT_EQ(document.scenario(vocabulary_of(own)).lock.own, nullptr);
}

}  // namespace
}  // namespace picklock::scenarios
