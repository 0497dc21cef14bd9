#include "models/locks/redis_py_lock.h"

#include <algorithm>
#include <array>
#include <string>

#include "models/locks/local_time.h"
#include "models/locks/promises.h"

namespace picklock::models::locks {
namespace {

const redis::Script& redis_py_delete_if_mine() {
  static const redis::Script script(R"(
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('del', KEYS[1])
return 1
)");
  return script;
}

const redis::Script& restore_lease_if_mine() {
  static const redis::Script script(R"(
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('pexpire', KEYS[1], ARGV[2])
return 1
)");
  return script;
}

constexpr std::array kRedisPyScripts = {
    ScriptUse{.of = ScriptOf::release,
              .keys = "the lock",
              .arguments = "token",
              .answers = "1: released; 0: the lock is not the token's",
              .script = redis_py_delete_if_mine},
    ScriptUse{.of = ScriptOf::renew,
              .keys = "the lock",
              .arguments = "token, lease in ms",
              .answers = "1: renewed; 0: the lock is not the token's",
              .script = restore_lease_if_mine}};

redis::Reply run(redis::Client& redis, Role role, const redis::Script& script,
                 std::initializer_list<std::string_view> keys,
                 std::initializer_list<std::string_view> args) {
  redis::Reply reply = redis.evalsha(script, keys, args, role);
  if (!reply.is_unknown_script()) return reply;
  const std::string_view load[] = {"SCRIPT", "LOAD", script.body()};
  redis.call(Role::upkeep, load);
  return redis.evalsha(script, keys, args, role);
}

}  // namespace

// It does not begin a sleep that would last beyond its time (2.2).
Acquired RedisPyLock::acquire(Client& self, std::string_view key) {
  const std::string token = self.fresh_token();
  const Patience patience = patience_of(self, options());
  for (std::uint32_t tries = 1;; ++tries) {
    Acquired acquired = attempt(self, key, token);
    if (acquired || acquired.is_unknown() || tries == options().attempts) return acquired;
    const Duration pause = retry_pause(self, options());
    if (!patience.endless() && patience.left() < pause) return std::nullopt;
    if (!self.sleep_interruptibly(pause)) return std::nullopt;
  }
}

Acquired RedisPyLock::try_acquire(Client& self, std::string_view key) {
  return attempt(self, key, self.fresh_token());
}

// A time-out is an exception, whatever the outcome of the command.
Acquired RedisPyLock::attempt(Client& self, std::string_view key, const std::string& token) {
  const Duration sent = now(self, options().clock);
  const std::string ttl = milliseconds(options().ttl);
  const std::array<std::string_view, 6> argv = {"SET", key, token, "PX", ttl, "NX"};
  const std::array<std::string_view, 4> endless = {"SET", key, token, "NX"};
  const redis::Reply reply = options().ttl > Duration::zero()
                                 ? redis::server(self).call_interruptibly(
                                       Role::acquire, argv, redis::Resend::unanswered, {})
                                 : redis::server(self).call_interruptibly(
                                       Role::acquire, endless, redis::Resend::unanswered, {});
  if (!reply.answered()) return Acquired::unknown();
  if (!reply.ok()) return std::nullopt;
  token_ = token;
  Lease lease{.key = std::string(key), .token = token, .ttl = options().ttl};
  if (options().deadline && options().ttl > Duration::zero()) lease.deadline = sent + options().ttl;
  // Users of `reacquire` have to write this loop themselves.
  if (options().ttl > Duration::zero() && options().renew != Renew::none) {
    renewals_.start(
        self, lease, options(),
        [scripts = options().scripts](redis::Client& redis, const Lease& mine) {
          const redis::Script& script =
              scripts.instead_of(ScriptOf::renew, restore_lease_if_mine());
          return run(redis, Role::renew, script, {mine.key}, {mine.token, milliseconds(mine.ttl)});
        });
  }
  return lease;
}

Released RedisPyLock::release(Client& self, const Lease& lease) {
  renewals_.stop(lease);
  if (token_ != lease.token) return Released::not_held;
  token_.clear();
  const redis::Reply reply =
      run(redis::server(self), Role::release,
          options().scripts.instead_of(ScriptOf::release, redis_py_delete_if_mine()), {lease.key},
          {lease.token});
  if (!reply.answered() || reply.is_error()) return Released::unknown;
  return reply.is_integer(1) ? Released::ok : Released::not_held;
}

Held RedisPyLock::check_held(Client& self, const Lease& lease) {
  redis::Client& asked =
      options().check_at == CheckAt::replica ? redis::replica(self) : redis::server(self);
  const redis::Reply reply = asked.get(lease.key, Role::check);
  if (!reply.answered() || reply.is_error()) return Held::unknown;
  return reply.is_bulk(lease.token) ? Held::yes : Held::no;
}

Released RedisPyLock::force_release(Client& self, std::string_view key, bool conditional) {
  redis::Reply reply;
  if (conditional) {
    const redis::Reply holder = redis::server(self).get(key, Role::check);
    if (!holder.answered() || holder.is_error()) return Released::unknown;
    if (holder.is_nil()) return Released::not_held;
    reply =
        run(redis::server(self), Role::release, redis_py_delete_if_mine(), {key}, {holder.text});
  } else {
    reply = redis::server(self).del(key, Role::release);
  }
  if (!reply.answered() || reply.is_error()) return Released::unknown;
  return reply.is_integer(1) ? Released::ok : Released::not_held;
}

namespace {

FaultClasses while_leases_end_or_none(const LockOptions& options) {
  return options.ttl == Duration::zero()
             ? while_leases_end(options).without({FaultClass::crash, FaultClass::lost_reply,
                                                  FaultClass::partition, FaultClass::late_command,
                                                  FaultClass::pause})
             : while_leases_end(options);
}

// An acquire without an answer in time is an exception.
std::vector<Promise> redis_py_promises(const LockOptions& options) {
  std::vector<Promise> all = leased(options, GivesBack::its_own, while_leases_end_or_none(options));
  for (Promise& one : all) {
    if (one.property == Property::available)
      one.under = while_patient(options, {FaultClass::late_write, FaultClass::client_clock});
  }
  return all;
}

Duration redis_py_bound(const LockOptions& options) {
  constexpr Duration kWithoutLease = std::chrono::seconds(60);
  const Duration one = lease_and_one_attempt(options);
  return options.ttl == Duration::zero() ? one + kWithoutLease : one;
}

}  // namespace

const Algorithm& redis_py_lock() {
  static const Algorithm algorithm{
      .name = "redis-py-lock",
      .summary =
          "redis-py's Lock: SET NX PX with a token for each acquire, polled; scripts release and "
          "extend it",
      .source = "redis-py 4.3 and 8.1; docs/facts/algorithms.md 2.2",
      .roles = {Role::acquire, Role::release},
      .marks = {},
      .uses = {.check = true, .force = true, .endless = true},
      .keys = joined({redis_leased_client_keys(), lease_keys(), polling_keys(),
                      comparing_renewal_keys(), renewal_pace_keys(), check_keys(), loss_keys(),
                      local_mutex_keys(), script_keys(kRedisPyScripts)}),
      .scripts = {kRedisPyScripts.begin(), kRedisPyScripts.end()},
      .promises = redis_py_promises,
      .bound = redis_py_bound,
      .versions = {{.name = "8.1", .source = "docs/facts/algorithms.md 2.2"},
                   {.name = "3.5",
                    .source = "docs/facts/algorithms.md 2.4",
                    .preset = [](LockOptions& options) { options.clock = ClientClock::wall; }}},
      .make = make<RedisPyLock>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks
