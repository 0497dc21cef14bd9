#include "models/locks/set_px_lock.h"

#include <array>
#include <string>

#include "models/locks/local_time.h"
#include "models/locks/minting.h"
#include "models/locks/promises.h"
#include "models/resource/fencing.h"

namespace picklock::models::locks {
namespace {

const redis::Script& compare_and_delete() {
  static const redis::Script script(
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return "
      "0 end");
  return script;
}

constexpr ScriptUse kTakeAndMintScript = {
    .of = ScriptOf::acquire,
    .keys = "the lock, the counter of fencing tokens",
    .arguments = "token, lease in ms",
    .answers = "0: refused; else granted, with this fencing token",
    .script = take_and_mint};
constexpr ScriptUse kCompareAndDeleteScript = {
    .of = ScriptOf::release,
    .keys = "the lock",
    .arguments = "token",
    .answers = "1: released; 0: the lock is not the token's",
    .script = compare_and_delete};

constexpr std::array kSetPxScripts = {kTakeAndMintScript, kCompareAndDeleteScript, kRenewScript};
constexpr std::array kWithoutRelease = {kTakeAndMintScript, kRenewScript};

Taken minted(const redis::Reply& reply) {
  if (!reply.answered()) return Taken::unknown();
  if (reply.kind != redis::Reply::Kind::integer || reply.integer == 0)
    return {.resent = reply.resent};
  return Taken::granted(reply.integer);
}

Uses set_px_uses() { return {.check = true, .mint = true, .force = true}; }

OptionKeys set_px_keys() {
  return joined({redis_leased_client_keys(), lease_keys(), polling_keys(), token_keys(),
                 own_token_keys(), wait_keys(), check_keys(), renewal_keys(), renewal_pace_keys(),
                 loss_keys(), local_mutex_keys()});
}

template <GivesBack how>
std::vector<Promise> set_px_promises(const LockOptions& options) {
  return leased(options, how, while_leases_end(options));
}

}  // namespace

// By SET, unless a token is minted as well or a user has a script for it.
Taken SetPxLock::take(Client& self, std::string_view key, std::string_view token) {
  const UserScripts& own = options().scripts;
  if (options().mint == Mint::in_script || own.has(ScriptOf::acquire)) {
    return minted(redis::server(self).eval(own.instead_of(ScriptOf::acquire, take_and_mint()),
                                           {key, fencing_key(key)},
                                           {token, milliseconds(options().ttl)}));
  }
  const redis::Reply reply = redis::server(self).set(key, token, {.nx = true, .px = options().ttl});
  if (!reply.answered()) return Taken::unknown();
  return reply.ok() ? Taken::granted() : Taken{.resent = reply.resent};
}

// The token in the lost answer is lost; a later one is as good.
Taken SetPxLock::adopt(Client& self, std::string_view key, std::string_view token) {
  if (options().mint == Mint::none) return Taken::granted();
  static const redis::Script compare_and_mint(
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('incr', KEYS[2]) else "
      "return 0 end");
  return minted(redis::server(self).eval(compare_and_mint, {key, fencing_key(key)}, {token}));
}

Released SetPxBlindDelete::give_back(Client& self, const Lease& lease) {
  return released(redis::server(self).del(lease.key));
}

Released SetPxCheckDelete::give_back(Client& self, const Lease& lease) {
  const redis::Reply seen = holder(self, lease.key);
  if (!seen.answered() || seen.is_error()) return Released::unknown;
  if (!seen.is_bulk(lease.token)) return Released::not_held;
  return released(redis::server(self).del(lease.key));
}

Released LuaCheckDelete::give_back(Client& self, const Lease& lease) {
  return released(redis::server(self).eval(
      options().scripts.instead_of(ScriptOf::release, compare_and_delete()), {lease.key},
      {lease.token}));
}

Released SetPxLock::force_release(Client& self, std::string_view key, bool conditional) {
  if (!conditional) return released(redis::server(self).del(key, Role::release));
  const redis::Reply holder = redis::server(self).get(key, Role::check);
  if (holder.kind != redis::Reply::Kind::bulk) return Released::not_held;
  return released(
      redis::server(self).eval(compare_and_delete(), {key}, {holder.text}, Role::release));
}

const Algorithm& set_px_blind_delete() {
  static const Algorithm algorithm{
      .name = "set-px-blind-delete",
      .summary =
          "SET key token NX PX ttl; released by DEL, even if another client holds the key by then",
      .source = "docs/facts/algorithms.md 2.1, docs/facts/failures.md A-01",
      .roles = {Role::acquire, Role::release},
      .marks = {},
      .uses = set_px_uses(),
      .keys = joined({set_px_keys(), script_keys(kWithoutRelease)}),
      .scripts = {kWithoutRelease.begin(), kWithoutRelease.end()},
      .promises = set_px_promises<GivesBack::blindly>,
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
      .uses = set_px_uses(),
      .keys = joined({set_px_keys(), script_keys(kWithoutRelease)}),
      .scripts = {kWithoutRelease.begin(), kWithoutRelease.end()},
      .promises = set_px_promises<GivesBack::blindly>,
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
      .uses = set_px_uses(),
      .keys = joined({set_px_keys(), script_keys(kSetPxScripts)}),
      .scripts = {kSetPxScripts.begin(), kSetPxScripts.end()},
      .promises = set_px_promises<GivesBack::its_own>,
      .bound = lease_and_one_attempt,
      .make = make<LuaCheckDelete>,
  };
  return algorithm;
}

const Algorithm& watchdog() {
  static const Algorithm algorithm = [] {
    Algorithm renewed = lua_check_delete();
    renewed.name = "watchdog";
    renewed.summary =
        "SET key token NX PX ttl, extended by a script every third of the ttl while the holder "
        "works";
    renewed.source = "docs/facts/algorithms.md 2.1, 1.4";
    renewed.preset = [](LockOptions& options) {
      options.ttl = std::chrono::seconds(30);
      options.renew = Renew::conditional;
    };
    return renewed;
  }();
  return algorithm;
}

}  // namespace picklock::models::locks
