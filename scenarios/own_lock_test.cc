#include "scenarios/own_lock.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "models/locks/catalogue.h"
#include "models/locks/set_px_lock.h"
#include "scenarios/bad_input.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"
#include "scenarios/world.h"
#include "scenarios/writer.h"

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;
using models::LockOptions;

// The shipped lock, as if a user had written it.
using Borrowed = models::locks::LuaCheckDelete;

class SaysMoreOfItself final : public Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(picklock::Client&, std::string_view) override { return std::nullopt; }
  Released release(picklock::Client&, const Lease&) override { return Released::ok; }
  static std::vector<Promise> promises(const LockOptions&) {
    return {{Property::not_stuck, {FaultClass::pause}, ""}};
  }
  static Duration bound(const LockOptions& options) { return 7 * options.ttl; }
  static models::Uses uses() { return {.server = LockServer::lease_store}; }
};

TEST(OwnLock, IsCalledLikeItsClass) {
  EXPECT_EQ(own_algorithm<Borrowed>().name, "picklock::models::locks::LuaCheckDelete");
  EXPECT_EQ(own_algorithm<SaysMoreOfItself>().name, "picklock::scenarios::SaysMoreOfItself");
  EXPECT_EQ(own_lock::type_in("f() [with LockType = {anonymous}::MyLock; T = int]"), "MyLock");
  EXPECT_EQ(own_lock::type_in("f() [LockType = a::(anonymous namespace)::MyLock]"), "a::MyLock");
}

TEST(OwnLock, TakesNoNameOfAShippedOne) {
  EXPECT_THROW(own_lock::algorithm("redlock"), std::invalid_argument);
}

TEST(OwnLock, PromisesWhatACarefulLeaseLockDoes) {
  const models::Algorithm& careful = *models::locks::named("lua-check-delete");
  const std::vector<Promise> promised = own_algorithm<Borrowed>().promises({});
  const std::vector<Promise> expected = careful.promises({});
  ASSERT_EQ(promised.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(promised[i].property, expected[i].property);
    EXPECT_TRUE(promised[i].under.covers(expected[i].under));
    EXPECT_TRUE(expected[i].under.covers(promised[i].under));
    EXPECT_EQ(promised[i].premise, expected[i].premise);
  }
  EXPECT_EQ(own_algorithm<Borrowed>().bound({.ttl = 20s}), careful.bound({.ttl = 20s}));
}

TEST(OwnLock, MaySayMoreOfItself) {
  const models::Algorithm& one = own_algorithm<SaysMoreOfItself>();
  ASSERT_EQ(one.promises({}).size(), 1U);
  EXPECT_EQ(one.promises({})[0].property, Property::not_stuck);
  EXPECT_EQ(one.bound({.ttl = 3s}), 21s);
  const Scenario scenario = contention<SaysMoreOfItself>();
  EXPECT_EQ(lock_server(scenario), LockServer::lease_store);
  EXPECT_TRUE(scenario.network.links.empty());
}

// A lock behaves the same whether it is shipped or a user's own.
TEST(OwnLock, RunsAsItWouldIfItWereShipped) {
  const Scenario own = contention<Borrowed>({.clients = 3, .ttl = 5s, .hold = 2s});
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
  Scenario scenario = contention<Borrowed>({.clients = 2, .ttl = 5s, .hold = 2s});
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
  const Scenario own = contention<Borrowed>();
  Document document(file_text(own), "own.toml");
  document.set({.path = "lock.algorithm", .value = "lua-check-delete"});
  EXPECT_EQ(document.scenario(vocabulary_of(own)).lock.own, nullptr);
}

}  // namespace
}  // namespace picklock::scenarios
