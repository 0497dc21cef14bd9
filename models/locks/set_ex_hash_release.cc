#include "models/locks/set_ex_hash_release.h"

#include <string>
#include <utility>

#include "models/locks/promises.h"

namespace picklock::models::locks {
namespace {

const redis::Script& count_down() {
  static const redis::Script script(R"(if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then
  return nil
end
local count = redis.call('hincrby', KEYS[1], ARGV[3], -1)
if count > 0 then
  redis.call('pexpire', KEYS[1], ARGV[2])
  return 0
end
redis.call('del', KEYS[1])
redis.call('publish', KEYS[2], ARGV[1])
return 1)");
  return script;
}

constexpr ScriptUse kCountDownScript = {
    .of = ScriptOf::release,
    .keys = "the lock, its channel",
    .arguments = "message, lease in ms, token",
    .answers = "1: released; 0: the owner has further holds; nil: the lock is not the token's",
    .script = count_down};

// The lease is in whole seconds.
LockOptions in_seconds(LockOptions options) {
  options.ttl = std::chrono::ceil<std::chrono::seconds>(options.ttl);
  options.renew = Renew::none;
  return options;
}

std::vector<Promise> hash_release_promises(const LockOptions& options) {
  std::vector<Promise> all = leased(in_seconds(options), GivesBack::its_own, FaultClasses::all());
  for (Promise& promise : all) {
    if (promise.property == Property::own_release)
      promise = {Property::own_release, FaultClasses::all(), "it never releases anything"};
  }
  std::erase_if(all, [](const Promise& one) { return one.property == Property::progress; });
  return all;
}

Duration hash_release_bound(const LockOptions& options) {
  return lease_and_one_attempt(in_seconds(options));
}

}  // namespace

SetExHashRelease::SetExHashRelease(LockOptions options)
    : TokenLock(in_seconds(std::move(options))) {}

Taken SetExHashRelease::take(Client& self, std::string_view key, std::string_view token) {
  const redis::Reply reply = redis::server(self).set(key, token, {.nx = true, .ex = options().ttl});
  if (!reply.answered()) return Taken::unknown();
  return reply.ok() ? Taken::granted() : Taken{.resent = reply.resent};
}

Released SetExHashRelease::give_back(Client& self, const Lease& lease) {
  const std::string channel = "lock-channel:" + lease.key;
  const auto ttl = std::chrono::duration_cast<std::chrono::milliseconds>(lease.ttl).count();
  return released(
      redis::server(self).eval(options().scripts.instead_of(ScriptOf::release, count_down()),
                               {lease.key, channel}, {"0", std::to_string(ttl), lease.token}));
}

const Algorithm& set_ex_hash_release() {
  static const Algorithm algorithm{
      .name = "set-ex-hash-release",
      .summary =
          "SET key token NX EX ttl; released by a script for a hash, which fails because the key "
          "is a string",
      .source = "docs/facts/failures.md A-27",
      .roles = {Role::acquire, Role::release},
      .marks = {},
      .uses = {.lease_unit = std::chrono::seconds(1)},
      .keys = joined({redis_client_keys(), lease_keys(), polling_keys(), token_keys(),
                      own_token_keys(), script_keys({&kCountDownScript, 1})}),
      .scripts = {kCountDownScript},
      .promises = hash_release_promises,
      .bound = hash_release_bound,
      .make = make<SetExHashRelease>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks
