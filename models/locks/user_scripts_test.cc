// A user's own scripts in the place of those of every lock that has any.
#include "models/locks/user_scripts.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/locks/catalogue.h"
#include "models/locks/option_keys.h"
#include "testing/small_world.h"

namespace picklock::models::locks::user_scripts_tests {
namespace {

using namespace std::chrono_literals;

std::vector<const Algorithm*> with_scripts() {
  std::vector<const Algorithm*> found;
  for (const Algorithm* algorithm : all()) {
    if (!algorithm->scripts.empty()) found.push_back(algorithm);
  }
  return found;
}

class EveryLockWithScripts : public testing::TestWithParam<const Algorithm*> {};

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryLockWithScripts, testing::ValuesIn(with_scripts()),
                         [](const auto& one) {
                           std::string name(one.param->name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

LockOptions options_of(const Algorithm& algorithm) {
  LockOptions options = as_it_comes(algorithm);
  options.ttl = 6s;
  options.acquire_timeout = 1s;
  options.attempts = 0;
  if (takes(algorithm, "renew")) options.renew = Renew::conditional;
  return options;
}

// One client takes the lock, lets it be renewed, and releases it; another tries meanwhile without
// waiting. Returns what they sent.
std::vector<std::string> sent_with(const Algorithm& algorithm, const LockOptions& options,
                                   bool* ran = nullptr) {
  SmallWorld world({.clients = 2, .servers = algorithm.uses.servers ? 3U : 1U, .tracing = true});
  const std::unique_ptr<Lock> first = make_lock(algorithm, options);
  const std::unique_ptr<Lock> second = make_lock(algorithm, options);
  world.client(1, [&](SmallWorld& every, Client& self) {
    every.play(Role::acquire);
    const Acquired acquired = first->acquire(self, "lock");
    if (!acquired) return;
    self.sleep(3s);
    every.play(Role::release);
    first->release(self, acquired.lease());
  });
  world.client(2, [&](SmallWorld& every, Client& self) {
    self.sleep(1s);
    every.play(Role::acquire);
    second->try_acquire(self, "lock");
    if (ran == nullptr) return;
    self.sleep(5s);
    *ran = redis::server(self).get("ran").is_bulk("1");
  });
  world.run();
  return world.sent();
}

TEST_P(EveryLockWithScripts, HasAKeyForEachAndForNoOther) {
  std::set<std::string_view> named;
  for (const ScriptUse& one : GetParam()->scripts) named.insert(script_key_name(one.of));
  std::set<std::string_view> keys;
  for (const auto& key : GetParam()->keys) {
    if (key.name.ends_with("_script")) keys.insert(key.name);
  }
  EXPECT_EQ(named, keys);
}

// Each leaves a key behind, by which it is known that it has run.
TEST_P(EveryLockWithScripts, RunsTheUsersInPlaceOfItsOwn) {
  for (const ScriptUse& one : GetParam()->scripts) {
    SCOPED_TRACE(script_key_name(one.of));
    LockOptions options = options_of(*GetParam());
    options.scripts.set(one.of, "redis.call('set', 'ran', 1)\n" + one.script().body());
    bool ran = false;
    sent_with(*GetParam(), options, &ran);
    EXPECT_TRUE(ran);
  }
}

TEST_P(EveryLockWithScripts, DoesTheSameWithACopyOfItsOwnScripts) {
  LockOptions options = options_of(*GetParam());
  const std::vector<std::string> shipped = sent_with(*GetParam(), options);
  for (const ScriptUse& one : GetParam()->scripts) {
    // The lock takes its key by SET, and would now do so by a script.
    const bool by_set = one.of == ScriptOf::acquire && takes(*GetParam(), "retry_every");
    // npm's redlock renews by a script of its own.
    const bool another = one.of == ScriptOf::renew && GetParam()->name.starts_with("node-redlock");
    if (!by_set && !another) options.scripts.set(one.of, one.script().body());
  }
  EXPECT_EQ(sent_with(*GetParam(), options), shipped);
}

TEST(UserScripts, AreForEveryLockOnRedisThatHasScriptsToTakeReleaseOrRenewIt) {
  std::set<std::string_view> none;
  for (const Algorithm* algorithm : all()) {
    if (algorithm->uses.server == redis::kServer && algorithm->scripts.empty())
      none.insert(algorithm->name);
  }
  EXPECT_EQ(none, (std::set<std::string_view>{"naive-setnx", "setnx-timestamp"}));
}

}  // namespace
}  // namespace picklock::models::locks::user_scripts_tests
