#include "models/locks/set_px_lock.h"

namespace picklock::models::locks {
namespace {

Released released(const redis::Reply& reply) {
  if (!reply.answered()) return Released::unknown;
  return reply.is_integer(1) ? Released::ok : Released::not_held;
}

// A crashed holder's lease runs out on the server, then the next attempt succeeds.
Duration lease_and_one_attempt(const LockOptions& options) {
  return options.ttl + options.retry_every + options.retry_jitter + std::chrono::milliseconds(100);
}

template <typename LockType>
std::unique_ptr<Lock> make(const LockOptions& options) {
  return std::make_unique<LockType>(options);
}

constexpr std::string_view kWithinLease =
    "every critical section ends within its lease, by the server's clock";
// Nothing that can make a lease end under a living holder, or a command act late.
constexpr FaultClasses kUnhurried = {FaultClass::client_clock, FaultClass::crash};
// What the lock is asked to survive at all; a lone server that forgets or fails over is outside.
constexpr FaultClasses kWhileServerRemembers =
    FaultClasses::all().without({FaultClass::failover, FaultClass::amnesia});

std::vector<Promise> promises(FaultClasses own_release, std::string_view own_release_premise) {
  return {
      {Property::mutual_exclusion, kUnhurried, kWithinLease},
      {Property::resource_exclusion, kUnhurried, kWithinLease},
      {Property::no_stale_write, kUnhurried, kWithinLease},
      {Property::own_release, own_release, own_release_premise},
      {Property::not_stuck, FaultClasses::all(), ""},
      {Property::no_deadlock, kWhileServerRemembers, "one lock, taken once at a time"},
      {Property::available, FaultClasses::all(),
       "the server is up and reachable and the key is free"},
  };
}

}  // namespace

Acquired SetPxLock::acquire(Client& self, std::string_view key) {
  if (token_.empty() || options().value == TokenPer::acquisition) token_ = self.fresh_token();
  return Lock::acquire(self, key);
}

Acquired SetPxLock::try_acquire(Client& self, std::string_view key) {
  if (token_.empty()) token_ = self.fresh_token();
  const redis::Reply reply = self.redis().set(key, token_, {.nx = true, .px = options().ttl});
  if (!reply.answered()) return Acquired::unknown();
  if (!reply.ok()) return std::nullopt;
  return Lease{.key = std::string(key), .token = token_, .ttl = options().ttl};
}

Released SetPxBlindDelete::release(Client& self, const Lease& lease) {
  return released(self.redis().del(lease.key));
}

Released SetPxCheckDelete::release(Client& self, const Lease& lease) {
  const redis::Reply holder = self.redis().get(lease.key, Role::check);
  if (!holder.answered()) return Released::unknown;
  if (!holder.is_bulk(lease.token)) return Released::not_held;
  return released(self.redis().del(lease.key));
}

Released LuaCheckDelete::release(Client& self, const Lease& lease) {
  static const redis::Script compare_and_delete(
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return "
      "0 end");
  return released(self.redis().eval(compare_and_delete, {lease.key}, {lease.token}));
}

const Algorithm& set_px_blind_delete() {
  static const Algorithm algorithm{
      .name = "set-px-blind-delete",
      .summary = "SET key token NX PX ttl; released by DEL, whoever holds the key by then",
      .source = "docs/facts/algorithms.md 2.1, docs/facts/failures.md A-01",
      .roles = {Role::acquire, Role::release},
      .marks = {},
      .promises = promises(kUnhurried, kWithinLease),
      .bound = lease_and_one_attempt,
      .make = make<SetPxBlindDelete>,
  };
  return algorithm;
}

const Algorithm& set_px_check_delete() {
  static const Algorithm algorithm{
      .name = "set-px-check-delete",
      .summary = "SET key token NX PX ttl; released by GET, a comparison in the client, and DEL",
      .source = "docs/facts/algorithms.md 2.1, docs/facts/failures.md A-02",
      .roles = {Role::acquire, Role::check, Role::release},
      .marks = {},
      .promises = promises(kUnhurried, kWithinLease),
      .bound = lease_and_one_attempt,
      .make = make<SetPxCheckDelete>,
  };
  return algorithm;
}

const Algorithm& lua_check_delete() {
  static const Algorithm algorithm{
      .name = "lua-check-delete",
      .summary =
          "SET key token NX PX ttl; released by a script that deletes the key if it still holds "
          "the token",
      .source = "redis.io, Distributed Locks with Redis; docs/facts/algorithms.md 2.1",
      .roles = {Role::acquire, Role::release},
      .marks = {},
      .promises = promises(FaultClasses::all(), "every acquisition has a token of its own"),
      .bound = lease_and_one_attempt,
      .make = make<LuaCheckDelete>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks
