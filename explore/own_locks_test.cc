// Bugs of locks as users write them, and locks without them. With the default settings every bug is
// found, and a lock without one is clean, whatever the limits of its kind.

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "picklock/redis.h"
#include "picklock/scenario.h"
#include "testing/whole.h"

namespace picklock::own_locks {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using Outcome = SearchResult::Outcome;

const redis::Script kCompareAndDelete(
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0");
const redis::Script kCompareAndRenew(
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) "
    "end return 0");

// A token for every acquisition, compared and deleted in one step. The others differ by one thing.
class Careful : public Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::string token = self.fresh_token();
    const auto reply = redis::server(self).set(key, token, {.nx = true, .px = settings().ttl});
    if (!reply.answered()) return unanswered(self, key, token);
    if (!reply.ok()) return refused(self, key, token);
    return granted(self, key, token);
  }
  Released release(Client& self, const Lease& lease) override {
    const auto reply = redis::server(self).eval(kCompareAndDelete, {lease.key}, {lease.token});
    if (!reply.answered()) return Released::unknown;
    return reply.is_integer(1) ? Released::ok : Released::not_held;
  }

 protected:
  Lease lease_of(std::string_view key, const std::string& token) const {
    return {.key = std::string(key), .token = token, .ttl = settings().ttl};
  }
  virtual Acquired granted(Client&, std::string_view key, const std::string& token) {
    return lease_of(key, token);
  }
  virtual Acquired refused(Client&, std::string_view, const std::string&) { return std::nullopt; }
  virtual Acquired unanswered(Client&, std::string_view, const std::string&) {
    return Acquired::unknown();
  }
};

class DeletesBlindly : public Careful {
 public:
  using Careful::Careful;
  Released release(Client& self, const Lease& lease) override {
    return redis::server(self).del(lease.key).answered() ? Released::ok : Released::unknown;
  }
};

class ChecksThenDeletes : public Careful {
 public:
  using Careful::Careful;
  Released release(Client& self, const Lease& lease) override {
    const auto owner = redis::server(self).get(lease.key, Role::check);
    if (!owner.answered()) return Released::unknown;
    if (!owner.is_bulk(lease.token)) return Released::not_held;
    return redis::server(self).del(lease.key).answered() ? Released::ok : Released::unknown;
  }
};

class SetsThenExpires : public Careful {
 public:
  using Careful::Careful;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::string token = self.fresh_token();
    const auto reply = redis::server(self).setnx(key, token);
    if (!reply.answered()) return Acquired::unknown();
    if (!reply.is_integer(1)) return std::nullopt;
    if (!redis::server(self).pexpire(key, settings().ttl).answered()) return Acquired::unknown();
    return lease_of(key, token);
  }
};

class LooksThenSets : public Careful {
 public:
  using Careful::Careful;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::string token = self.fresh_token();
    const auto owner = redis::server(self).get(key, Role::check);
    if (!owner.answered()) return Acquired::unknown();
    if (!owner.is_nil()) return std::nullopt;
    const auto reply = redis::server(self).set(key, token, {.px = settings().ttl});
    if (!reply.answered()) return Acquired::unknown();
    return lease_of(key, token);
  }
};

class TakesSilenceForConsent : public Careful {
 public:
  using Careful::Careful;

 protected:
  Acquired unanswered(Client&, std::string_view key, const std::string& token) override {
    return lease_of(key, token);
  }
};

class CleansUpBlindly : public Careful {
 public:
  using Careful::Careful;

 protected:
  Acquired unanswered(Client& self, std::string_view key, const std::string&) override {
    redis::server(self).del(key);
    return std::nullopt;
  }
};

class CleansUpItsOwn : public Careful {
 public:
  using Careful::Careful;

 protected:
  Acquired unanswered(Client& self, std::string_view key, const std::string& token) override {
    redis::server(self).eval(kCompareAndDelete, {key}, {token});
    return std::nullopt;
  }
};

class ReleasesUntilItIsAnswered : public Careful {
 public:
  using Careful::Careful;
  Released release(Client& self, const Lease& lease) override {
    for (int i = 0; i < 3; ++i) {
      if (redis::server(self).del(lease.key).answered()) return Released::ok;
    }
    return Released::unknown;
  }
};

class FreesWhatExpiresSoon : public Careful {
 public:
  using Careful::Careful;

 protected:
  Acquired refused(Client& self, std::string_view key, const std::string&) override {
    const auto left = redis::server(self).pttl(key, Role::check);
    if (left.answered() && left.integer < 500) redis::server(self).del(key);
    return std::nullopt;
  }
};

class NamesTheClient : public Careful {
 public:
  using Careful::Careful;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::string token(self.name());
    const auto reply = redis::server(self).set(key, token, {.nx = true, .px = settings().ttl});
    if (!reply.answered()) return Acquired::unknown();
    if (!reply.ok()) return std::nullopt;
    return lease_of(key, token);
  }
};

class RecognizesItsName : public NamesTheClient {
 public:
  using NamesTheClient::NamesTheClient;
  Acquired try_acquire(Client& self, std::string_view key) override {
    Acquired acquired = NamesTheClient::try_acquire(self, key);
    if (acquired || acquired.is_unknown()) return acquired;
    const auto owner = redis::server(self).get(key, Role::check);
    if (owner.is_bulk(self.name())) return lease_of(key, std::string(self.name()));
    return std::nullopt;
  }
};

// Renews every third of the lease, until the release.
template <bool kCompares>
class Renews : public Careful {
 public:
  using Careful::Careful;
  Released release(Client& self, const Lease& lease) override {
    *held_ = false;
    return Careful::release(self, lease);
  }
  void abandon(Client&, const Lease&) override { *held_ = false; }

 protected:
  Acquired granted(Client& self, std::string_view key, const std::string& token) override {
    held_ = std::make_shared<bool>(true);
    Lease lease = lease_of(key, token);
    self.spawn([held = held_, lease](Client& renewer) {
      while (true) {
        renewer.sleep(lease.ttl / 3);
        if (!*held) return;
        if constexpr (kCompares) {
          const std::string length = std::to_string(
              std::chrono::duration_cast<std::chrono::milliseconds>(lease.ttl).count());
          const auto reply = redis::server(renewer).eval(kCompareAndRenew, {lease.key},
                                                         {lease.token, length}, Role::renew);
          if (reply.is_integer(0)) {
            if (*held) renewer.witness().record_loss(lease);
            *held = false;
          }
        } else {
          redis::server(renewer).pexpire(lease.key, lease.ttl, Role::renew);
        }
      }
    });
    return lease;
  }

 private:
  std::shared_ptr<bool> held_ = std::make_shared<bool>(false);
};

// SET key token XX PX: what it finds, it overwrites.
class RenewsByOverwriting : public Careful {
 public:
  using Careful::Careful;
  Released release(Client& self, const Lease& lease) override {
    *held_ = false;
    return Careful::release(self, lease);
  }

 protected:
  Acquired granted(Client& self, std::string_view key, const std::string& token) override {
    held_ = std::make_shared<bool>(true);
    Lease lease = lease_of(key, token);
    self.spawn([held = held_, lease](Client& renewer) {
      while (true) {
        renewer.sleep(lease.ttl / 3);
        if (!*held) return;
        redis::server(renewer).set(lease.key, lease.token, {.px = lease.ttl}, Role::renew);
      }
    });
    return lease;
  }

 private:
  std::shared_ptr<bool> held_ = std::make_shared<bool>(false);
};

// The server has seconds, the user had milliseconds.
class MistakesTheUnit : public Careful {
 public:
  using Careful::Careful;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::string token = self.fresh_token();
    const auto reply =
        redis::server(self).set(key, token, {.nx = true, .px = settings().ttl / 1000});
    if (!reply.answered()) return Acquired::unknown();
    if (!reply.ok()) return std::nullopt;
    return lease_of(key, token);
  }
};

class StopsAtItsDeadline : public Careful {
 public:
  using Careful::Careful;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const Duration asked_at = self.monotonic_now();
    Acquired acquired = Careful::try_acquire(self, key);
    if (!acquired) return acquired;
    Lease lease = acquired.lease();
    lease.deadline = asked_at + lease.ttl;
    return lease;
  }
};

// Redlock: all servers at once, within the lease. A failed attempt is undone.
class TakesTheMajority : public Careful {
 public:
  using Careful::Careful;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const Lease lease = lease_of(key, self.fresh_token());
    const Duration asked_at = self.monotonic_now();
    const bool granted = most(self, [lease](redis::Client& server) {
      return server.set(lease.key, lease.token, {.nx = true, .px = lease.ttl}, Role::acquire);
    });
    if (granted && self.monotonic_now() + lease.ttl / 50 < asked_at + lease.ttl) return lease;
    TakesTheMajority::release(self, lease);
    return std::nullopt;
  }
  Released release(Client& self, const Lease& lease) override {
    const bool released = most(self, [lease](redis::Client& server) {
      return server.eval(kCompareAndDelete, {lease.key}, {lease.token}, Role::release);
    });
    return released ? Released::ok : Released::unknown;
  }

 protected:
  static bool most(Client& self, std::function<redis::Reply(redis::Client&)> request) {
    const auto agreed = std::make_shared<std::size_t>(0);
    const std::shared_ptr<Semaphore> answered = self.semaphore(Awaits::threads);
    const std::size_t servers = redis::server_count(self);
    for (std::size_t i = 0; i < servers; ++i) {
      self.spawn([=](Client& thread) {
        const redis::Reply reply = request(redis::server(thread, i));
        if (reply.ok() || reply.is_integer(1)) ++*agreed;
        answered->release();
      });
    }
    for (std::size_t i = 0; i < servers; ++i) answered->acquire(Semaphore::kForever);
    return *agreed > servers / 2;
  }
};

// Extends its entries every third of the lease; the one that has a bug, whatever they have become.
template <bool kCompares>
class RenewsTheMajority final : public TakesTheMajority {
 public:
  using TakesTheMajority::TakesTheMajority;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const Duration asked_at = self.monotonic_now();
    Acquired acquired = TakesTheMajority::try_acquire(self, key);
    if (!acquired) return acquired;
    held_ = std::make_shared<bool>(true);
    self.spawn([held = held_, lease = acquired.lease(), asked_at](Client& thread) {
      for (Duration ends = asked_at + lease.ttl; thread.monotonic_now() < ends;) {
        thread.sleep(lease.ttl / 3);
        if (!*held) return;
        const Duration extended = thread.monotonic_now() + lease.ttl;
        if (most(thread, [lease](redis::Client& server) { return extend(server, lease); }))
          ends = extended;
      }
      if (*held) thread.witness().record_loss(lease);
    });
    return acquired;
  }
  Released release(Client& self, const Lease& lease) override {
    *held_ = false;
    return TakesTheMajority::release(self, lease);
  }
  void abandon(Client&, const Lease&) override { *held_ = false; }

 private:
  static redis::Reply extend(redis::Client& server, const Lease& lease) {
    const std::string length = std::to_string(lease.ttl / 1ms);
    if constexpr (kCompares)
      return server.eval(kCompareAndRenew, {lease.key}, {lease.token, length}, Role::renew);
    return server.set(lease.key, lease.token, {.px = lease.ttl}, Role::renew);
  }

  std::shared_ptr<bool> held_ = std::make_shared<bool>(false);
};

class OwnLocks : public ::testing::Test {
 protected:
  OwnLocks() {
    std::string pattern = ::testing::TempDir() + "picklock-own-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    setenv("PICKLOCK_OUT", folder_.c_str(), 1);
    unsetenv("PICKLOCK_REPLAY");
  }
  ~OwnLocks() override {
    unsetenv("PICKLOCK_OUT");
    std::filesystem::remove_all(folder_);
  }

  template <typename LockType>
  static void expect_found() {
    for (std::uint64_t seed = 1; seed <= shortened(3, 1); ++seed) {
      const SearchResult result = search(contention<LockType>(), {.seed = seed});
      EXPECT_EQ(result.outcome, Outcome::violated)
          << own_lock<LockType>().name << ", seed " << seed << ": " << result.text;
    }
  }

  template <typename LockType>
  static void expect_clean() {
    const std::uint64_t runs = shortened(1000, 100);
    for (std::uint64_t seed = 1; seed <= shortened(3, 1); ++seed) {
      const SearchResult result = search(contention<LockType>(), {.runs = runs, .seed = seed});
      EXPECT_EQ(result.outcome, Outcome::clean)
          << own_lock<LockType>().name << ", seed " << seed << ": " << result.text;
    }
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(OwnLocks, AreFoundToBreakWhereTheyRemoveOrAlterWhatIsAnothers) {
  if (tests_are_short()) GTEST_SKIP() << "eight searches more of the same kind";
  expect_found<DeletesBlindly>();
  expect_found<ChecksThenDeletes>();
  expect_found<CleansUpBlindly>();
  expect_found<ReleasesUntilItIsAnswered>();
  expect_found<FreesWhatExpiresSoon>();
  expect_found<NamesTheClient>();
  expect_found<Renews<false>>();
  expect_found<RenewsByOverwriting>();
}

TEST_F(OwnLocks, AreFoundToBreakWhereTheyGrantTwiceOrNeverAgain) {
  expect_found<SetsThenExpires>();
  if (tests_are_short()) GTEST_SKIP() << "four searches more of the same kind";
  expect_found<LooksThenSets>();
  expect_found<TakesSilenceForConsent>();
  expect_found<RecognizesItsName>();
  expect_found<MistakesTheUnit>();
}

TEST_F(OwnLocks, AreCleanWithoutABug) {
  expect_clean<Careful>();
  expect_clean<CleansUpItsOwn>();
  expect_clean<StopsAtItsDeadline>();
  expect_clean<Renews<true>>();
}

TEST_F(OwnLocks, AreComparedWithTheBestLockOfTheirKind) {
  const SearchResult renewing = search(contention<Renews<false>>());
  EXPECT_THAT(renewing.text, HasSubstr("\n  compared watchdog keeps it under "));
  const SearchResult broken = search(contention<ChecksThenDeletes>());
  EXPECT_THAT(broken.text, HasSubstr("\n  compared lua-check-delete keeps it under "));
  const SearchResult of_several = search(contention<Careful>({.servers = 3}), {.runs = 300});
  EXPECT_THAT(of_several.text, HasSubstr(" redlock"));
}

// The renewals of the shipped lock outlive a thread that has ended as well.
TEST_F(OwnLocks, ShareTheLimitsOfTheirKind) {
  const SearchResult asked = search(
      contention<Renews<true>>(),
      {.runs = shortened(2000, 500), .properties = {Property::not_stuck}, .against = "best"});
  EXPECT_EQ(asked.outcome, Outcome::clean) << asked.text;
  EXPECT_THAT(asked.text, HasSubstr(", apart from what watchdog violates too\n"));
  EXPECT_THAT(asked.text, HasSubstr("\n  limit    not-stuck in "));
  EXPECT_THAT(asked.text, HasSubstr("\n  such as  end a thread of "));
}

// One server that is free and answers is no reason to grant a lock that needs two.
TEST_F(OwnLocks, NeedAMajorityOfSeveralServers) {
  Scenario several = contention<TakesTheMajority>({.servers = 3});
  several.set("lock.attempts", "3");
  const SearchResult result = search(several, {.runs = shortened(1000, 200)});
  EXPECT_EQ(result.outcome, Outcome::clean) << result.text;
}

constexpr Contention kLongerThanALease{.ttl = 3s, .hold = 5s, .servers = 3};

TEST_F(OwnLocks, MayRenewTheirLeasesOnSeveralServers) {
  const SearchResult clean =
      search(contention<RenewsTheMajority<true>>(kLongerThanALease), {.runs = shortened(500, 20)});
  EXPECT_EQ(clean.outcome, Outcome::clean) << clean.text;
}

// The lock of the comparison renews as well: one that did not would lose each of these leases.
TEST_F(OwnLocks, AreFoundToExtendWhatIsNoLongerTheirs) {
  if (tests_are_short()) GTEST_SKIP() << "up to forty searches";
  const SearchResult broken = search(contention<RenewsTheMajority<false>>(kLongerThanALease));
  EXPECT_EQ(broken.outcome, Outcome::violated) << broken.text;
  EXPECT_THAT(broken.text,
              HasSubstr("\n  compared redlock with lock.renew = conditional keeps it under "));
}

// A server that was slow still has to handle what it was sent meanwhile: no client that gives up
// until then was refused a free lock.
TEST_F(OwnLocks, AreNotBlamedForAServerThatHasFallenBehind) {
  Scenario impatient = contention<Careful>();
  impatient.set("lock.command_timeout", "20ms").set("lock.acquire_timeout", "1s");
  const std::string slow =
      "[[fault]]\nslow = \"redis-1\"\nby = \"client-1\"\nbefore = \"release.sent\"\n"
      "step = \"500ms\"\nfor = \"50ms\"\n";
  const RunResult result = run(Scenario::from_text(impatient.text() + slow, &own_lock<Careful>()));
  EXPECT_THAT(result.text, HasSubstr("fault 1 is over"));
  EXPECT_FALSE(result.violated(Property::available)) << result.text;
}

TEST_F(OwnLocks, AreToldWhatElseBrokeBesideACleanResult) {
  const SearchResult result = search(contention<Careful>(), {.runs = shortened(2000, 400)});
  EXPECT_EQ(result.outcome, Outcome::clean);
  EXPECT_THAT(result.text,
              HasSubstr("\n  also     violated, but not promised: mutual-exclusion in "));
}

// A question is about this lock alone, and so is what its author promises.
TEST_F(OwnLocks, AreComparedWithNoneIfTheyAreAskedForAProperty) {
  SearchSettings settings{.runs = shortened(2000, 400), .properties = {Property::mutual_exclusion}};
  const SearchResult asked = search(contention<Careful>(), settings);
  EXPECT_EQ(asked.outcome, Outcome::violated);
  EXPECT_THAT(asked.text, Not(HasSubstr("compared")));
  settings.against = "lua-check-delete";
  const SearchResult compared = search(contention<Careful>(), settings);
  EXPECT_EQ(compared.outcome, Outcome::clean) << compared.text;
  EXPECT_THAT(compared.text, HasSubstr("\n  limit    mutual-exclusion in "));
  settings.against = "lua-check-delet";
  EXPECT_THROW(search(contention<Careful>(), settings), BadInput);
}

TEST_F(OwnLocks, AreSearchedOnPastWhatIsKnown) {
  const SearchResult first = search(contention<DeletesBlindly>(), {.runs = 500});
  EXPECT_EQ(first.outcome, Outcome::violated);
  SearchSettings settings{
      .runs = 500,
      .except = {"own-release", "mutual-exclusion", "resource-exclusion", "no-stale-write"}};
  const SearchResult past = search(contention<DeletesBlindly>(), settings);
  EXPECT_EQ(past.outcome, Outcome::clean) << past.text;
  EXPECT_THAT(past.text, HasSubstr(", apart from what is known"));
  EXPECT_THAT(past.text, HasSubstr("\n  known    own-release in "));
  settings.except = {"own-relase"};
  EXPECT_THROW(search(contention<DeletesBlindly>(), settings), BadInput);
}

}  // namespace
}  // namespace picklock::own_locks
