#include "models/locks/catalogue.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "models/servers/kind.h"
#include "picklock/mysql.h"
#include "picklock/redis.h"
#include "testing/small_world.h"

namespace picklock::models::locks::catalogue_tests {
namespace {

using namespace std::chrono_literals;

class EveryAlgorithm : public testing::TestWithParam<const Algorithm*> {};

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryAlgorithm, testing::ValuesIn(all().begin(), all().end()),
                         [](const auto& one) {
                           std::string name(one.param->name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A user's own lock is compared with them.
TEST(EveryKindOfServer, HasItsBestLocksAmongThoseThatUseIt) {
  for (const servers::Kind* kind : servers::kinds()) {
    EXPECT_FALSE(kind->best_lock.empty()) << kind->server.key;
    for (const std::string_view name :
         {kind->best_lock, kind->best_renewing_lock, kind->best_quorum_lock}) {
      if (name.empty()) continue;
      ASSERT_NE(named(name), nullptr) << name;
      EXPECT_EQ(named(name)->uses.server, kind->server) << name;
    }
  }
}

TEST_P(EveryAlgorithm, IsFoundByItsNameAndNoOtherHasIt) {
  EXPECT_EQ(named(GetParam()->name), GetParam());
}

TEST_P(EveryAlgorithm, SaysWhatItIsAndWhereItComesFrom) {
  EXPECT_FALSE(GetParam()->summary.empty());
  EXPECT_FALSE(GetParam()->source.empty());
}

// `lock.version` chooses among them by name, and the first is what the lock is without it.
TEST_P(EveryAlgorithm, HasTheNewestOfItsVersionsFirstAndOlderOnesThatDiffer) {
  std::set<std::string_view> names;
  for (const Version& version : GetParam()->versions) {
    EXPECT_TRUE(names.insert(version.name).second) << version.name;
    EXPECT_FALSE(version.source.empty());
    const LockOptions newest = models::as_it_comes(*GetParam());
    const LockOptions older = models::as_of(*GetParam(), version);
    int different = 0;
    for (const auto& key : GetParam()->keys) {
      if (key.show(older) == key.show(newest)) continue;
      ++different;
      LockOptions patient = older;  // a clock may be that of a patience which is the user's to set
      patient.acquire_timeout = 1s;
      EXPECT_TRUE(!key.needs || key.needs->met(older) || key.needs->met(patient))
          << version.name << ": " << key.name << " has no effect";
    }
    EXPECT_EQ(different == 0, names.size() == 1) << version.name;
  }
}

TEST_P(EveryAlgorithm, PromisesEachPropertyAtMostOnce) {
  std::set<Property> seen;
  for (const Promise& promise : GetParam()->promises({})) {
    EXPECT_TRUE(seen.insert(promise.property).second) << name(promise.property);
  }
  EXPECT_FALSE(seen.empty());
}

// An option that adds something may cost promises, but must not gain any.
TEST_P(EveryAlgorithm, PromisesNoMoreWithACarelessOption) {
  for (const LockOptions& careless :
       {LockOptions{.resend = 1}, LockOptions{.value = TokenPer::client},
        LockOptions{.value = TokenPer::machine}, LockOptions{.renew = Renew::blind},
        LockOptions{.value = TokenPer::client, .recognise_own = RecogniseOwn::always}}) {
    for (const Promise& usual : GetParam()->promises({})) {
      const std::optional<Promise> now = promise(*GetParam(), usual.property, careless);
      // Carelessness with tokens does not affect locks whose names the server makes.
      const bool of_token = careless.recognise_own != RecogniseOwn::never;
      if (!now || (of_token && !models::takes(*GetParam(), "value"))) continue;
      EXPECT_TRUE(usual.under.covers(now->under)) << name(usual.property);
    }
  }
}

// A lock cannot promise the resource more than it keeps itself, because fencing is not its own.
TEST_P(EveryAlgorithm, PromisesTheResourceNoMoreThanItself) {
  const std::optional<Promise> own = promise(*GetParam(), Property::mutual_exclusion, {});
  for (Property property : {Property::resource_exclusion, Property::no_stale_write}) {
    const std::optional<Promise> resource = promise(*GetParam(), property, {});
    if (!resource) continue;
    ASSERT_TRUE(own);
    EXPECT_TRUE(own->under.covers(resource->under)) << name(property);
  }
}

TEST_P(EveryAlgorithm, IsBoundByMoreThanItsLeaseAndARetry) {
  for (const LockOptions& options :
       {LockOptions{}, LockOptions{.ttl = 30s, .retry_every = 2s, .retry_jitter = 1s},
        LockOptions{.ttl = 1ms}}) {
    const Duration lease = models::takes(*GetParam(), "ttl") ? options.ttl : Duration::zero();
    EXPECT_GT(GetParam()->bound(options), lease + options.retry_every + options.retry_jitter);
  }
}

// docs/facts/failures.md A-27.
bool releases_nothing(const Algorithm& algorithm) {
  return algorithm.name == "set-ex-hash-release";
}

LockOptions within(const Algorithm& algorithm, Duration acquire_timeout) {
  LockOptions options = models::as_it_comes(algorithm);
  options.acquire_timeout = acquire_timeout;
  options.attempts = 0;
  return options;
}

SmallWorld::Setup setup_for(const Algorithm& algorithm, std::uint32_t clients) {
  SmallWorld::Setup setup{.clients = clients, .tracing = true};
  if (algorithm.uses.server != redis::kServer)
    setup.other = &servers::kind_of(algorithm.uses.server);
  if (algorithm.uses.server == picklock::mysql::kServer) setup.command_timeout = 60s;
  return setup;
}

TEST_P(EveryAlgorithm, AddsTheAbilitiesThatItDeclares) {
  const Uses& uses = GetParam()->uses;
  const std::unique_ptr<Lock> lock = make_lock(*GetParam(), models::as_it_comes(*GetParam()));
  EXPECT_TRUE(!uses.check || dynamic_cast<HolderCheck*>(lock.get()) != nullptr);
  EXPECT_EQ(uses.database, dynamic_cast<DatabaseWrite*>(lock.get()) != nullptr);
  EXPECT_EQ(uses.force, dynamic_cast<ForcedRelease*>(lock.get()) != nullptr);
}

// Two clients acquire it one after the other; the trace shows the roles in which they spoke to the
// server.
TEST_P(EveryAlgorithm, UsesExactlyTheRolesItDeclares) {
  SmallWorld world{setup_for(*GetParam(), 2)};
  std::vector<std::unique_ptr<Lock>> locks;
  int granted = 0;
  for (const std::uint32_t number : {1u, 2u}) {
    locks.push_back(make_lock(*GetParam(), within(*GetParam(), 20s)));
    world.client(number, [&, lock = locks.back().get(), number](SmallWorld& all, Client& self) {
      self.sleep(number * 100ms);
      all.play(Role::acquire);
      const Acquired acquired = lock->acquire(self, "lock");
      if (!acquired) return;
      ++granted;
      self.sleep(4s);
      all.play(Role::release);
      EXPECT_EQ(lock->release(self, acquired.lease()),
                releases_nothing(*GetParam()) ? Released::not_held : Released::ok);
    });
  }
  world.run();
  EXPECT_EQ(granted, 2);
  std::set<Role> used;
  for (const sim::TraceRecord& record :
       world.simulation.scheduler.record().tracer().trace().records) {
    if (record.kind == sim::TraceKind::sent && !record.reply && record.role != Role::none)
      used.insert(record.role);
  }
  EXPECT_EQ(used, std::set<Role>(GetParam()->roles.begin(), GetParam()->roles.end()));
}

TEST_P(EveryAlgorithm, ExcludesAndRecoversFromACrashedHolderWithinItsBoundIfItHasALease) {
  SmallWorld world{setup_for(*GetParam(), 2)};
  std::int64_t granted_ms = 0;
  LockOptions options{.acquire_timeout = 300s};
  const std::unique_ptr<Lock> first = make_lock(*GetParam(), options);
  const std::unique_ptr<Lock> second = make_lock(*GetParam(), options);
  world.client(1, [&](SmallWorld& all, Client& self) {
    all.play(Role::acquire);
    first->acquire(self, "lock");
  });
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1s);
    if (second->acquire(self, "lock")) granted_ms = all.milliseconds();
  });
  world.run({fault_at(500ms, sim::Verb::crash, "client-1")});
  if (!models::takes(*GetParam(), "ttl") && GetParam()->uses.server == picklock::mysql::kServer) {
    EXPECT_NEAR(static_cast<double>(granted_ms), 1004, 3)
        << "the session has ended with its client";
    return;
  }
  if (!models::takes(*GetParam(), "ttl")) {
    EXPECT_EQ(granted_ms, 0);
    return;
  }
  EXPECT_GT(granted_ms, 10'000);
  EXPECT_LT(granted_ms, 1000 + GetParam()->bound({}).count() / 1'000'000);
}

TEST(Catalogue, KnowsNoOtherName) { EXPECT_EQ(named("set-nx-hope"), nullptr); }

}  // namespace
}  // namespace picklock::models::locks::catalogue_tests
