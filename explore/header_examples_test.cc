// The examples of the public headers, word for word (cmake/tidy_test.sh compares them), in locks
// that grant and release.
#include <gmock/gmock.h>
#include <picklock/mysql.h>
#include <picklock/test.h>
#include <picklock/zookeeper.h>
#include <rapidcheck/gtest.h>

#include <iostream>

namespace picklock {
namespace {

using namespace std::chrono_literals;

// client.h, redis.h, lock.h
class RedisLock : public Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::string token = self.fresh_token();
    const Duration asked_at = self.monotonic_now();
    self.mark("before-the-request");
    const auto reply = redis::server(self).set(key, token, {.nx = true, .px = settings().ttl});
    if (!reply.answered()) return Acquired::unknown();
    if (!reply.ok()) return std::nullopt;
    return Lease{.key = std::string(key),
                 .token = token,
                 .ttl = settings().ttl - (self.monotonic_now() - asked_at)};
  }
  Released release(Client& self, const Lease& lease) override {
    static const redis::Script compare_and_delete(
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end "
        "return 0");
    const auto reply = redis::server(self).eval(compare_and_delete, {lease.key}, {lease.token});
    if (!reply.answered()) return Released::unknown;
    const bool gone = reply.is_integer(0);
    if (gone) self.witness().record_loss(lease);
    return gone ? Released::not_held : Released::ok;
  }
};

class CheckedLock final : public RedisLock, public picklock::HolderCheck {
 public:
  using RedisLock::RedisLock;
  Held check_held(Client& self, const Lease& lease) override;
};

Held CheckedLock::check_held(Client& self, const Lease& lease) {
  const auto reply = redis::server(self).get(lease.key, Role::check);
  if (!reply.answered()) return Held::unknown;
  return reply.is_bulk(lease.token) ? Held::yes : Held::no;
}

class ZooKeeperLock final : public Lock {
 public:
  static constexpr LockServer server = zookeeper::kServer;
  using Lock::Lock;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const auto made = self.connection<zookeeper::Client>().create(
        "/" + std::string(key), self.name(), zookeeper::CreateMode::ephemeral);
    if (made.unknown()) return Acquired::unknown();
    if (!made.ok()) return std::nullopt;  // Code::node_exists: another session has it
    return Lease{.key = std::string(key), .token = std::string(self.name())};
  }
  Released release(Client& self, const Lease& lease) override {
    const auto removed = self.connection<zookeeper::Client>().remove("/" + lease.key);
    if (removed.unknown()) return Released::unknown;
    return removed.ok() ? Released::ok : Released::not_held;
  }
};

class MySqlLock final : public Lock {
 public:
  static constexpr LockServer server = mysql::kServer;
  using Lock::Lock;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const auto session = self.connection<mysql::Client>().connect();
    if (session == nullptr) return std::nullopt;
    const auto answer = session->execute(
        {.op = mysql::Op::insert, .table = "locks", .values = {{.value = std::string(key)}}});
    if (answer.error == mysql::Error::lost) return Acquired::unknown();
    if (!answer.ok()) return std::nullopt;
    return Lease{.key = std::string(key)};
  }
  Released release(Client& self, const Lease& lease) override {
    const auto session = self.connection<mysql::Client>().connect();
    if (session == nullptr) return Released::unknown;
    const auto answer =
        session->execute({.op = mysql::Op::remove, .table = "locks", .key = lease.key});
    return answer.ok() ? Released::ok : Released::unknown;
  }
};

class CarefulLock final : public picklock::Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;
};

Acquired CarefulLock::try_acquire(Client& self, std::string_view key) {
  return RedisLock(settings()).try_acquire(self, key);
}
Released CarefulLock::release(Client& self, const Lease& lease) {
  return RedisLock(settings()).release(self, lease);
}

TEST(HeaderExample, GrantsOnEveryKindOfServer) {
  EXPECT_EQ(run(contention<CarefulLock>()).grants, 6U);
  EXPECT_EQ(run(contention<ZooKeeperLock>()).grants, 6U);
  EXPECT_EQ(run(contention<MySqlLock>()).grants, 6U);
}

TEST(HeaderExample, ChecksWhetherItIsStillHeld) {
  auto scenario = contention<CheckedLock>();
  scenario.set("clients.check_before_write", "true");
  EXPECT_EQ(run(scenario).grants, 6U);
  EXPECT_THROW(contention<CarefulLock>().set("clients.check_before_write", "true"), BadInput);
}

// scenario.h
TEST(HeaderExample, Searches) {
  using MyLock = CarefulLock;
  auto scenario = picklock::contention<MyLock>({.clients = 3, .ttl = 10s, .hold = 4s});
  scenario.set("clients.cycles", "3").set("lock.acquire_timeout", "5s");
  const picklock::SearchResult found = picklock::search(scenario, {.runs = 200});
  if (found.outcome == picklock::SearchResult::Outcome::violated) std::cout << found.text;
  EXPECT_EQ(found.outcome, picklock::SearchResult::Outcome::clean) << found.text;
}

class TalkativeLock final : public RedisLock {
 public:
  using RedisLock::RedisLock;
  static std::vector<Promise> promises(const LockSettings& settings);
  static Duration bound(const LockSettings& settings);
  static Duration pause(const LockSettings& settings);
  static std::uint32_t quorum(std::uint32_t servers);
  static constexpr std::string_view value = "client";
  static constexpr bool shared = true;
  static constexpr LockServer server = redis::kServer;
};

std::vector<Promise> TalkativeLock::promises(const LockSettings&) {
  return {{.property = Property::mutual_exclusion, .under = {}, .premise = {}}};
}
Duration TalkativeLock::bound(const LockSettings& settings) { return 2 * settings.ttl; }
Duration TalkativeLock::pause(const LockSettings& settings) { return settings.retry_every; }
std::uint32_t TalkativeLock::quorum(std::uint32_t servers) { return servers / 2 + 1; }

TEST(HeaderExample, PromisesWhatItSays) {
  const RunResult result = run(contention<TalkativeLock>());
  EXPECT_TRUE(result.verdicts[0].promised);
  EXPECT_FALSE(result.verdicts[1].promised);
  EXPECT_TRUE(result.as_expected()) << result.text;
}

// test.h
using MyLock = CarefulLock;

const std::string kStory = R"(format = 1
[lock]
algorithm = "lua-check-delete"
)";

TEST(MyLock, KeepsItsPromises) {
  auto scenario = picklock::contention<MyLock>({.clients = 3, .ttl = 10s, .hold = 4s});
  EXPECT_CLEAN(picklock::search(scenario, {.runs = 200}));
}

TEST(MyLock, SurvivesAStory) {
  EXPECT_AS_EXPECTED(picklock::run(picklock::Scenario::from_text(kStory)));
}

RC_GTEST_PROP(MyLock, ExcludesBesideACrash, ()) {
  static const auto scenarios = picklock::arbitrary(
      picklock::contention<MyLock>(), {.classes = {picklock::FaultClass::crash}, .most = 2});
  const picklock::Scenario scenario = *scenarios;
  RC_ASSERT(!picklock::run(scenario).violated(picklock::Property::mutual_exclusion));
}

}  // namespace
}  // namespace picklock
