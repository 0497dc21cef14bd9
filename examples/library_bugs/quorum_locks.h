// Locks of libraries on several Redis servers, before and after a fix.
#pragma once

#include <memory>
#include <string>

#include "redis_locks.h"

namespace library_bugs {

// Redlock: the same key and token on a majority of the servers, one server after the other, within
// the lease. A failed attempt is undone on all of them.
class QuorumLock : public Lock {
 public:
  using Lock::Lock;

  Acquired try_acquire(Client& self, std::string_view key) override {
    Lease lease{.key = std::string(key), .token = self.fresh_token(), .ttl = settings().ttl};
    const Duration asked_at = self.monotonic_now();
    std::size_t granted = 0;
    for (std::size_t i = 0; i < redis::server_count(self); ++i) {
      const auto reply =
          redis::server(self, i).set(key, lease.token, {.nx = true, .px = lease.ttl});
      if (!reply.answered() && !counts_as_refusal()) return Acquired::unknown();
      if (reply.ok()) ++granted;
    }
    if (is_majority(self, granted) && self.monotonic_now() < asked_at + validity())
      return begin(self, lease, asked_at);
    undo(self, lease);
    return std::nullopt;
  }

  Released release(Client& self, const Lease& lease) override {
    return is_majority(self, undo(self, lease)) ? Released::ok : Released::unknown;
  }

 protected:
  // Whether a server that does not answer is one that refuses. If not, the attempt ends with it.
  virtual bool counts_as_refusal() const { return true; }
  virtual Acquired begin(Client& /*self*/, const Lease& lease, Duration /*asked_at*/) {
    return lease;
  }

  static bool is_majority(Client& self, std::size_t servers) {
    return servers > redis::server_count(self) / 2;
  }
  Duration validity() const { return settings().ttl - settings().ttl / 100 - 2ms; }

  // How many servers have deleted the key.
  static std::size_t undo(Client& self, const Lease& lease) {
    std::size_t deleted = 0;
    for (std::size_t i = 0; i < redis::server_count(self); ++i) {
      const auto reply =
          redis::server(self, i).eval(kDeleteIfMine, {lease.key}, {lease.token}, Role::release);
      if (reply.is_integer(1)) ++deleted;
    }
    return deleted;
  }
};

// redlock-rb: an error of one server is an exception out of lock(), whatever the others say.
template <bool kFixed>
class RedlockRbLock final : public QuorumLock {
 public:
  using QuorumLock::QuorumLock;

 protected:
  bool counts_as_refusal() const override { return kFixed; }
};

// redsync: Extend() does not look how long it took, and no holder knows until when it may work.
template <bool kFixed>
class RedsyncLock final : public QuorumLock {
 public:
  using QuorumLock::QuorumLock;

  Released release(Client& self, const Lease& lease) override {
    *held_ = false;
    return QuorumLock::release(self, lease);
  }

  void abandon(Client& /*self*/, const Lease& /*lease*/) override { *held_ = false; }

 protected:
  Acquired begin(Client& self, const Lease& granted, Duration asked_at) override {
    Lease lease = granted;
    if constexpr (kFixed) lease.deadline = asked_at + validity();
    held_ = std::make_shared<bool>(true);
    self.spawn([this, held = held_, lease](Client& thread) {
      while (true) {
        thread.sleep(lease.ttl / 3);
        if (!*held) return;
        if (extend(thread, lease)) continue;
        if (*held) thread.witness().record_loss(lease);
        return;
      }
    });
    return lease;
  }

 private:
  bool extend(Client& self, const Lease& lease) {
    const Duration asked_at = self.monotonic_now();
    std::size_t extended = 0;
    for (std::size_t i = 0; i < redis::server_count(self); ++i) {
      const auto reply = redis::server(self, i).eval(
          kExtendIfMine, {lease.key}, {lease.token, milliseconds(lease.ttl)}, Role::renew);
      if (reply.is_integer(1)) ++extended;
    }
    if (!is_majority(self, extended)) return false;
    if constexpr (kFixed) {
      if (self.monotonic_now() >= asked_at + validity()) return false;
      self.witness().believe_until(lease, asked_at + validity());
    }
    return true;
  }

  std::shared_ptr<bool> held_ = std::make_shared<bool>(false);
};

}  // namespace library_bugs
