// The locks of docs/own-locks.md: what a lock of one's own can say of itself, with a test for each.
#include <picklock/mysql.h>
#include <picklock/test.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace own_locks {
namespace {

using namespace picklock;
using namespace std::chrono_literals;

const redis::Script kDeleteIfMine(
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0");
const redis::Script kExtendIfMine(
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) "
    "end return 0");

std::string milliseconds(Duration length) { return std::to_string(length / 1ms); }

// ---------------------------------------------------------------- a token for each acquisition

class TokenLock : public Lock {
 public:
  using Lock::Lock;

  Acquired try_acquire(Client& self, std::string_view key) override {
    const Lease lease{.key = std::string(key), .token = token(self), .ttl = settings().ttl};
    const auto reply = redis::server(self).set(key, lease.token, {.nx = true, .px = lease.ttl});
    if (!reply.answered()) return Acquired::unknown();
    if (!reply.ok()) return std::nullopt;
    return lease;
  }

  Released release(Client& self, const Lease& lease) override {
    const auto reply = redis::server(self).eval(kDeleteIfMine, {lease.key}, {lease.token});
    if (!reply.answered()) return Released::unknown;
    return reply.is_integer(1) ? Released::ok : Released::not_held;
  }

 protected:
  virtual std::string token(Client& self) { return self.fresh_token(); }
};

TEST(TokenLock, IsWantedByThreadsOfOneProcess) {
  EXPECT_CLEAN(search(contention<TokenLock>({.clients = 2, .threads = 2}), {.runs = 500}));
}

// ---------------------------------------------------------------- a token for each process

class NamedLock : public TokenLock {
 public:
  using TokenLock::TokenLock;
  static constexpr std::string_view value = "client";

 protected:
  std::string token(Client& self) override { return std::string(self.name()); }
};

TEST(NamedLock, KeepsWhatSuchATokenCanKeep) {
  EXPECT_CLEAN(search(contention<NamedLock>(), {.runs = 500}));
}

class UndeclaredNamedLock final : public TokenLock {
 public:
  using TokenLock::TokenLock;

 protected:
  std::string token(Client& self) override { return std::string(self.name()); }
};

TEST(UndeclaredNamedLock, ReleasesWhatALaterAcquisitionOfItsProcessHas) {
  const SearchResult result = search(contention<UndeclaredNamedLock>());
  EXPECT_EQ(result.outcome, SearchResult::Outcome::violated);
  EXPECT_NE(result.text.find(" ✗ own-release: "), std::string::npos) << result.text;
}

// ---------------------------------------------------------------- renewal

// One object serves all threads of a process, so it keeps what belongs to each lease apart.
class RenewedLock : public TokenLock {
 public:
  using TokenLock::TokenLock;
  static constexpr bool shared = true;

  Acquired try_acquire(Client& self, std::string_view key) override {
    Acquired acquired = TokenLock::try_acquire(self, key);
    if (acquired) keep_renewing(self, acquired.lease());
    return acquired;
  }

  Released release(Client& self, const Lease& lease) override {
    stop_renewing(lease);
    return TokenLock::release(self, lease);
  }

  void abandon(Client& /*self*/, const Lease& lease) override { stop_renewing(lease); }

 protected:
  void keep_renewing(Client& self, const Lease& lease) {
    const auto held = std::make_shared<bool>(true);
    held_[lease.token] = held;
    self.spawn([held, lease](Client& thread) {
      while (true) {
        thread.sleep(lease.ttl / 3);
        if (!*held) return;
        const auto reply = redis::server(thread).eval(
            kExtendIfMine, {lease.key}, {lease.token, milliseconds(lease.ttl)}, Role::renew);
        if (!reply.is_integer(0)) continue;
        if (*held) thread.witness().record_loss(lease);
        return;
      }
    });
  }

  void stop_renewing(const Lease& lease) {
    const auto found = held_.find(lease.token);
    if (found == held_.end()) return;
    *found->second = false;
    held_.erase(found);
  }

 private:
  std::map<std::string, std::shared_ptr<bool>> held_;
};

TEST(RenewedLock, HoldsForLongerThanALease) {
  EXPECT_CLEAN(search(contention<RenewedLock>({.clients = 2, .ttl = 3s, .hold = 8s, .threads = 2}),
                      {.runs = 500}));
}

// ---------------------------------------------------------------- callbacks that come late

// An acquire that is interrupted returns at once, although its SET is under way. The answer comes
// later, to a callback.
class InterruptibleLock : public RenewedLock {
 public:
  using RenewedLock::RenewedLock;
  static Duration pause(const LockSettings& settings) { return settings.retry_every; }

  Acquired acquire(Client& self, std::string_view key) override {
    while (true) {
      bool interrupted = false;
      Acquired acquired = attempt(self, key, interrupted);
      if (acquired || interrupted) return acquired;
      if (!self.sleep_interruptibly(settings().retry_every)) return std::nullopt;
    }
  }

  Acquired try_acquire(Client& self, std::string_view key) override {
    bool interrupted = false;
    return attempt(self, key, interrupted);
  }

 protected:
  virtual void after_late_grant(Client& self, const Lease& lease) {
    TokenLock::release(self, lease);
  }

 private:
  Acquired attempt(Client& self, std::string_view key, bool& interrupted) {
    const Lease lease{.key = std::string(key), .token = token(self), .ttl = settings().ttl};
    const std::string ttl = milliseconds(lease.ttl);
    const std::shared_ptr<Semaphore> granted_late = self.semaphore(Awaits::threads);
    const auto reply = redis::server(self).call_interruptibly(
        Role::acquire, std::array<std::string_view, 6>{"SET", key, lease.token, "NX", "PX", ttl},
        redis::Resend::unanswered, [granted_late](const redis::Reply& late) {
          if (late.ok()) granted_late->release();
        });
    interrupted = reply.interrupted;
    if (interrupted) {
      self.spawn([this, granted_late, lease](Client& thread) {
        const auto woken = granted_late->acquire(lease.ttl);
        if (woken == Semaphore::Woken::by_permit) after_late_grant(thread, lease);
      });
    }
    if (!reply.answered()) return Acquired::unknown();
    if (!reply.ok()) return std::nullopt;
    keep_renewing(self, lease);
    return lease;
  }
};

TEST(InterruptibleLock, ReleasesTheGrantThatComesLate) {
  EXPECT_CLEAN(search(contention<InterruptibleLock>(), {.runs = 500}));
}

// As if the waiter were still there.
class RenewsLateGrants final : public InterruptibleLock {
 public:
  using InterruptibleLock::InterruptibleLock;

 protected:
  void after_late_grant(Client& self, const Lease& lease) override { keep_renewing(self, lease); }
};

TEST(RenewsLateGrants, IsFoundToHoldTheLockForNobody) {
  const SearchResult result = search(contention<RenewsLateGrants>());
  EXPECT_EQ(result.outcome, SearchResult::Outcome::violated);
  EXPECT_TRUE(result.text.starts_with("not-stuck violated")) << result.text;
  EXPECT_NE(result.text.find("  faults   interrupt a thread of "), std::string::npos);
}

// ---------------------------------------------------------------- several servers

// The same key on several servers. The holder extends all of them.
class MajorityLock : public Lock {
 public:
  using Lock::Lock;
  static std::uint32_t quorum(std::uint32_t servers) { return servers / 2 + 1; }

  Acquired try_acquire(Client& self, std::string_view key) override {
    const Lease lease{.key = std::string(key), .token = self.fresh_token(), .ttl = settings().ttl};
    const Duration ends = self.monotonic_now() + validity();
    const bool granted = agree(self, [lease](redis::Client& server) {
      return server.set(lease.key, lease.token, {.nx = true, .px = lease.ttl}, Role::acquire).ok();
    });
    if (granted && self.monotonic_now() < ends) {
      keep_extending(self, lease, ends);
      return lease;
    }
    forget(self, lease);
    return std::nullopt;
  }

  Released release(Client& self, const Lease& lease) override {
    *held_ = false;
    return forget(self, lease) ? Released::ok : Released::unknown;
  }

  void abandon(Client& /*self*/, const Lease& /*lease*/) override { *held_ = false; }

 private:
  // Less what clocks may differ by meanwhile.
  Duration validity() const { return settings().ttl - settings().ttl / 100; }

  // Whether enough of the servers do what is asked of all of them at once.
  static bool agree(Client& self, std::function<bool(redis::Client&)> ask) {
    const auto agreed = std::make_shared<std::uint32_t>(0);
    const std::shared_ptr<Semaphore> answered = self.semaphore(Awaits::threads);
    const auto servers = static_cast<std::uint32_t>(redis::server_count(self));
    for (std::uint32_t i = 0; i < servers; ++i) {
      self.spawn([=](Client& thread) {
        if (ask(redis::server(thread, i))) ++*agreed;
        answered->release();
      });
    }
    for (std::uint32_t i = 0; i < servers; ++i) answered->acquire(Semaphore::kForever);
    return *agreed >= quorum(servers);
  }

  static bool forget(Client& self, const Lease& lease) {
    return agree(self, [lease](redis::Client& server) {
      return server.eval(kDeleteIfMine, {lease.key}, {lease.token}, Role::release).is_integer(1);
    });
  }

  void keep_extending(Client& self, const Lease& lease, Duration ends) {
    held_ = std::make_shared<bool>(true);
    self.spawn([this, held = held_, lease, ends](Client& thread) mutable {
      while (true) {
        thread.sleep(lease.ttl / 3);
        if (!*held) return;
        const Duration extended = thread.monotonic_now() + validity();
        const bool agreed = agree(thread, [lease](redis::Client& server) {
          return server
              .eval(kExtendIfMine, {lease.key}, {lease.token, milliseconds(lease.ttl)}, Role::renew)
              .is_integer(1);
        });
        if (!*held) return;
        if (agreed && thread.monotonic_now() < extended) {
          ends = extended;
        } else if (thread.monotonic_now() >= ends) {
          thread.witness().record_loss(lease);
          return;
        }
      }
    });
  }

  std::shared_ptr<bool> held_ = std::make_shared<bool>(false);
};

TEST(MajorityLock, IsHeldOnMostOfThreeServers) {
  EXPECT_CLEAN(
      search(contention<MajorityLock>({.ttl = 3s, .hold = 4s, .servers = 3}), {.runs = 500}));
}

// ---------------------------------------------------------------- pools

// A named lock of MySQL belongs to its session, and so to one connection of the pool.
class SessionLock : public Lock {
 public:
  using Lock::Lock;
  static constexpr LockServer server = mysql::kServer;

  Acquired try_acquire(Client& self, std::string_view key) override {
    const Lease lease{.key = std::string(key), .token = self.fresh_token()};
    auto connection = self.connection<mysql::Client>().connect();
    if (connection == nullptr) return std::nullopt;
    const auto answer = connection->execute({.op = mysql::Op::get_lock, .name = lease.key});
    if (answer.error == mysql::Error::lost) return Acquired::unknown();
    if (!is_one(answer)) return std::nullopt;
    kept_[lease.token] = std::move(connection);
    return lease;
  }

  Released release(Client& /*self*/, const Lease& lease) override {
    const auto connection = std::move(kept_[lease.token]);
    kept_.erase(lease.token);
    const auto answer = connection->execute({.op = mysql::Op::release_lock, .name = lease.key});
    if (answer.error == mysql::Error::lost) return Released::unknown;
    return is_one(answer) ? Released::ok : Released::not_held;
  }

  void abandon(Client& /*self*/, const Lease& lease) override { kept_.erase(lease.token); }

 private:
  static bool is_one(const mysql::Answer& answer) {
    return answer.ok() && !answer.rows.empty() &&
           answer.rows[0][0] == mysql::Value(std::int64_t{1});
  }

  std::map<std::string, std::unique_ptr<mysql::Connection>> kept_;
};

TEST(SessionLock, LivesInAPoolThatThreadsShare) {
  auto scenario = contention<SessionLock>({.clients = 2, .threads = 2, .connections = 3});
  scenario.set("servers.mysql.wait_timeout", "60s");
  EXPECT_CLEAN(search(scenario, {.runs = 300}));
}

// ---------------------------------------------------------------- rows

// A row that says who holds the lock, until its holder deletes it.
class RowLock : public Lock {
 public:
  using Lock::Lock;
  static constexpr LockServer server = mysql::kServer;

  static std::vector<Promise> promises(const LockSettings& /*settings*/) {
    using enum FaultClass;
    const FaultClasses all = FaultClasses::all();
    return {{Property::mutual_exclusion, all.without({failover, amnesia}), ""},
            {Property::own_release, all, ""},
            {Property::progress, {}, ""}};
  }

  Acquired try_acquire(Client& self, std::string_view key) override {
    const auto connection = self.connection<mysql::Client>().connect();
    if (connection == nullptr) return std::nullopt;
    const Lease lease{.key = std::string(key), .token = self.fresh_token()};
    const auto answer = connection->execute(
        {.op = mysql::Op::insert,
         .table = "insert_locks",
         .values = {{.value = lease.key}, {.value = lease.token}, {.value = kNever}}});
    if (answer.ok()) return lease;
    if (answer.error == mysql::Error::lost) return Acquired::unknown();
    return std::nullopt;
  }

  Released release(Client& self, const Lease& lease) override {
    const auto connection = self.connection<mysql::Client>().connect();
    if (connection == nullptr) return Released::unknown;
    const auto answer = connection->execute(
        {.op = mysql::Op::remove,
         .table = "insert_locks",
         .key = lease.key,
         .where = {{"owner", mysql::Condition::Is::equal, {.value = lease.token}}}});
    if (answer.error == mysql::Error::lost) return Released::unknown;
    return answer.affected == 1 ? Released::ok : Released::not_held;
  }

 private:
  static constexpr std::int64_t kNever = std::int64_t{1} << 62;  // microseconds since 1970
};

TEST(RowLock, IsHeldUntilItsRowIsDeleted) {
  auto scenario = contention<RowLock>();
  scenario.set("servers.mysql.wait_timeout", "60s");
  EXPECT_CLEAN(search(scenario, {.runs = 300}));
}

// ---------------------------------------------------------------- several keys

TEST(TokenLock, IsHeldTwiceByEachClient) {
  EXPECT_CLEAN(search(contention<TokenLock>({.keys = {"account:1", "account:2"}}), {.runs = 500}));
}

TEST(RenewedLock, DeadlocksIfItsKeysAreTakenInTwoOrders) {
  auto scenario = contention<RenewedLock>({.keys = {"account:1", "account:2"}});
  scenario.set("client", R"([{name = "client-2", keys = ["account:2", "account:1"]}])");
  const SearchResult result =
      search(scenario, {.runs = 500, .properties = {Property::no_deadlock}});
  EXPECT_EQ(result.outcome, SearchResult::Outcome::violated) << result.text;
}

}  // namespace
}  // namespace own_locks
