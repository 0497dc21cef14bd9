// Locks of libraries on one Redis server, before and after a fix. `kFixed` is the fix: everything
// else is the same in both versions.
#pragma once

#include <picklock/redis.h>
#include <picklock/scenario.h>

#include <memory>
#include <string>

namespace library_bugs {

using namespace picklock;
using namespace std::chrono_literals;

inline const redis::Script kDeleteIfMine(
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0");
inline const redis::Script kExtendIfMine(
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) "
    "end return 0");

inline std::string milliseconds(Duration length) { return std::to_string(length / 1ms); }

// SET NX PX with a token for each acquire; a script compares the token and deletes the key.
class TokenLock : public Lock {
 public:
  using Lock::Lock;

  Acquired try_acquire(Client& self, std::string_view key) override {
    const Lease lease{
        .key = std::string(key), .token = self.fresh_token(), .ttl = length_of_lease()};
    const auto reply =
        redis::server(self).set(key, lease.token, {.nx = true, .px = length_of_lease()});
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
  virtual Duration length_of_lease() const { return settings().ttl; }
};

// A holder that extends its lease every third of it. Held::no from extend() is a loss.
class RenewedLock : public TokenLock {
 public:
  using TokenLock::TokenLock;

  Acquired try_acquire(Client& self, std::string_view key) override {
    Acquired acquired = TokenLock::try_acquire(self, key);
    if (!acquired) return acquired;
    held_ = std::make_shared<bool>(true);
    self.spawn([this, held = held_, lease = acquired.lease()](Client& thread) {
      while (true) {
        thread.sleep(lease.ttl / 3);
        if (!*held) return;
        if (extend(thread, lease) != Held::no) continue;
        if (*held) thread.witness().record_loss(lease);
        return;
      }
    });
    return acquired;
  }

  Released release(Client& self, const Lease& lease) override {
    *held_ = false;
    return TokenLock::release(self, lease);
  }

  void abandon(Client& /*self*/, const Lease& /*lease*/) override { *held_ = false; }

 protected:
  virtual Held extend(Client& self, const Lease& lease) = 0;

  static Held extend_if_mine(Client& self, const Lease& lease) {
    const auto reply = redis::server(self).eval(
        kExtendIfMine, {lease.key}, {lease.token, milliseconds(lease.ttl)}, Role::renew);
    if (!reply.answered()) return Held::unknown;
    return reply.is_integer(1) ? Held::yes : Held::no;
  }

 private:
  std::shared_ptr<bool> held_ = std::make_shared<bool>(false);
};

// sherlock: renew() runs the script of release().
template <bool kFixed>
class SherlockLock final : public RenewedLock {
 public:
  using RenewedLock::RenewedLock;

 protected:
  Held extend(Client& self, const Lease& lease) override {
    if constexpr (kFixed) return extend_if_mine(self, lease);
    const auto reply =
        redis::server(self).eval(kDeleteIfMine, {lease.key}, {lease.token}, Role::renew);
    if (!reply.answered()) return Held::unknown;
    return reply.is_integer(1) ? Held::yes : Held::no;
  }
};

// reinhardt: extend() releases the lock and acquires it again.
template <bool kFixed>
class ReinhardtLock final : public RenewedLock {
 public:
  using RenewedLock::RenewedLock;

 protected:
  Held extend(Client& self, const Lease& lease) override {
    if constexpr (kFixed) return extend_if_mine(self, lease);
    const auto freed =
        redis::server(self).eval(kDeleteIfMine, {lease.key}, {lease.token}, Role::renew);
    if (!freed.answered()) return Held::unknown;
    if (!freed.is_integer(1)) return Held::no;
    const auto reply =
        redis::server(self).set(lease.key, lease.token, {.nx = true, .px = lease.ttl}, Role::renew);
    if (!reply.answered()) return Held::unknown;
    return reply.ok() ? Held::yes : Held::no;
  }
};

// Symfony: a lock object counts its lease from the first attempt on. If the grant comes after that
// lease, the acquire fails with an exception. The application then tries with a new object.
template <bool kFixed>
class SymfonyLock final : public TokenLock {
 public:
  using TokenLock::TokenLock;

  Acquired acquire(Client& self, std::string_view key) override {
    while (true) {
      const Duration expires_at = self.wall_now() + settings().ttl;
      Acquired acquired = Lock::acquire(self, key);
      if (!acquired || self.wall_now() < expires_at) return acquired;
      if constexpr (kFixed) release(self, acquired.lease());
    }
  }
};

// Symfony: a lock object that is used again has its lease of the first time. After that time every
// acquire fails with an exception, and the application tries again.
template <bool kFixed>
class SymfonyReusedLock final : public TokenLock {
 public:
  using TokenLock::TokenLock;

  Acquired acquire(Client& self, std::string_view key) override {
    while (true) {
      if (kFixed || expires_at_ == Duration::zero()) expires_at_ = self.wall_now() + settings().ttl;
      Acquired acquired = Lock::acquire(self, key);
      if (!acquired || self.wall_now() < expires_at_) return acquired;
      release(self, acquired.lease());
      if (!self.sleep_interruptibly(settings().retry_every)) return std::nullopt;
    }
  }

 private:
  Duration expires_at_{};
};

// Hangfire.Redis.StackExchange: the entry of a job lives as long as another job would wait for it.
// The fix gives it a length of its own, and a timer extends it.
template <bool kFixed>
class HangfireLock;

template <>
class HangfireLock<false> final : public TokenLock {
 public:
  using TokenLock::TokenLock;

 protected:
  Duration length_of_lease() const override { return settings().acquire_timeout; }
};

template <>
class HangfireLock<true> final : public RenewedLock {
 public:
  using RenewedLock::RenewedLock;

 protected:
  Held extend(Client& self, const Lease& lease) override { return extend_if_mine(self, lease); }
};

}  // namespace library_bugs
