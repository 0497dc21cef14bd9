// Two locks of one's own under test, with nothing but these lines: the first is meant to fail, the
// second shows how it is mended.
#include <picklock/test.h>

using namespace picklock;
using namespace std::chrono_literals;

// Takes the key politely, drops it carelessly: release never asks whose it is.
class CarelessLock final : public Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::string token(self.name());
    const auto reply = redis::server(self).set(key, token, {.nx = true, .px = settings().ttl});
    if (!reply.answered()) return Acquired::unknown();
    if (!reply.ok()) return std::nullopt;
    return Lease{.key = std::string(key), .token = token, .ttl = settings().ttl};
  }
  Released release(Client& self, const Lease& lease) override {
    const auto reply = redis::server(self).del(lease.key);  // parks this client only
    return reply.answered() ? Released::ok : Released::unknown;
  }
};

TEST(CarelessLock, DeletesOnlyItsOwn) {
  auto scenario = contention<CarelessLock>({.clients = 3, .ttl = 10s, .hold = 4s});
  EXPECT_CLEAN(
      search(scenario, {.runs = 10'000, .faults = {.classes = {FaultClass::pause}, .most = 2}}));
}

// A token for every acquisition, compared and deleted in one step on the server.
class CarefulLock final : public Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::string token = self.fresh_token();
    const auto reply = redis::server(self).set(key, token, {.nx = true, .px = settings().ttl});
    if (!reply.answered()) return Acquired::unknown();
    if (!reply.ok()) return std::nullopt;
    return Lease{.key = std::string(key), .token = token, .ttl = settings().ttl};
  }
  Released release(Client& self, const Lease& lease) override {
    static const redis::Script compare_and_delete(
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end "
        "return 0");
    const auto reply = redis::server(self).eval(compare_and_delete, {lease.key}, {lease.token});
    if (!reply.answered()) return Released::unknown;
    return reply.is_integer(1) ? Released::ok : Released::not_held;
  }
};

// Under every fault that can act, everything that a careful lock with a lease promises.
TEST(CarefulLock, KeepsItsPromises) {
  auto scenario = contention<CarefulLock>({.clients = 3, .ttl = 10s, .hold = 4s});
  EXPECT_CLEAN(search(scenario, {.runs = 10'000}));
}
