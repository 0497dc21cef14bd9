#include "models/locks/quorum_requests.h"

#include <array>
#include <string>

#include "models/locks/local_time.h"
#include "models/locks/minting.h"
#include "models/locks/renewal.h"
#include "models/resource/fencing.h"

namespace picklock::models::locks {
namespace {

const redis::Script& set_if_absent() {
  static const redis::Script script(R"(
for _, key in ipairs(KEYS) do
  if redis.call('exists', key) == 1 then return 0 end
end
for _, key in ipairs(KEYS) do redis.call('set', key, ARGV[1], 'PX', ARGV[2]) end
return #KEYS
)");
  return script;
}

const redis::Script& quorum_delete_if_mine() {
  static const redis::Script script(R"(
local deleted = 0
for _, key in ipairs(KEYS) do
  if redis.call('get', key) == ARGV[1] then
    redis.call('del', key)
    deleted = deleted + 1
  end
end
return deleted
)");
  return script;
}

const redis::Script& set_again_if_mine() {
  static const redis::Script script(R"(
for _, key in ipairs(KEYS) do
  if redis.call('get', key) ~= ARGV[1] then return 0 end
end
for _, key in ipairs(KEYS) do redis.call('set', key, ARGV[1], 'PX', ARGV[2]) end
return #KEYS
)");
  return script;
}

// As in RedLock.net and redsync's SetNXOnExtend: an expired key is silently acquired again.
const redis::Script& extend_or_set() {
  static const redis::Script script(R"(
local value = redis.call('get', KEYS[1])
if value == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end
if value then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
)");
  return script;
}

// Only while the key is there: a later grant of this server then has a larger number.
const redis::Script& raise_counter() {
  static const redis::Script script(R"(
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
local number = tonumber(redis.call('get', KEYS[2]) or 0)
if number < tonumber(ARGV[2]) then redis.call('set', KEYS[2], ARGV[2]) end
return 1
)");
  return script;
}

const redis::Script* taking(const LockOptions& options) {
  const UserScripts& own = options.scripts;
  if (options.mint == Mint::in_script) return &own.instead_of(ScriptOf::acquire, take_and_mint());
  const bool sets = options.of<QuorumOptions>().speaks == Speaks::set;
  if (sets && !own.has(ScriptOf::acquire)) return nullptr;
  return &own.instead_of(ScriptOf::acquire, set_if_absent());
}

const redis::Script& prolonging(const QuorumOptions& own) {
  if (own.extend_missing) return extend_or_set();
  return own.speaks == Speaks::set ? compare_and_extend() : set_again_if_mine();
}

Vote vote_of(const redis::Reply& reply) {
  if (!reply.answered() || reply.is_error()) return {};
  return {reply.is_integer(1) ? Vote::Of::yes : Vote::Of::no};
}

constexpr std::array kQuorumScripts = {
    ScriptUse{.of = ScriptOf::acquire,
              .keys = "the lock; with `fencing = \"in-script\"`, the counter of fencing tokens",
              .arguments = "token, lease in ms",
              .answers = "1, or the fencing token: granted; 0: refused",
              .script = set_if_absent},
    ScriptUse{.of = ScriptOf::release,
              .keys = "the lock",
              .arguments = "token",
              .answers = "1: released; 0: the lock is not the token's",
              .script = quorum_delete_if_mine},
    ScriptUse{.of = ScriptOf::renew,
              .keys = kRenewScript.keys,
              .arguments = kRenewScript.arguments,
              .answers = kRenewScript.answers,
              .script = compare_and_extend}};

}  // namespace

QuorumRequests::QuorumRequests(const LockOptions& options)
    : how_(options.of<QuorumOptions>().speaks),
      counts_(options.mint == Mint::in_script),
      take_(taking(options)),
      forget_(&options.scripts.instead_of(ScriptOf::release, quorum_delete_if_mine())),
      prolong_(
          &options.scripts.instead_of(ScriptOf::renew, prolonging(options.of<QuorumOptions>()))) {}

redis::Reply QuorumRequests::run(redis::Client& redis, Role role, const redis::Script& script,
                                 std::initializer_list<std::string_view> keys,
                                 std::initializer_list<std::string_view> args) const {
  if (how_ != Speaks::script_names) return redis.eval(script, keys, args, role);
  const redis::Reply reply = redis.evalsha(script, keys, args, role);
  return reply.is_unknown_script() ? redis.eval(script, keys, args, role) : reply;
}

redis::Reply QuorumRequests::send_take(redis::Client& redis, const Lease& lease) const {
  if (take_ == nullptr)
    return redis.set(lease.key, lease.token, {.nx = true, .px = lease.ttl}, Role::acquire);
  if (!counts_)
    return run(redis, Role::acquire, *take_, {lease.key}, {lease.token, milliseconds(lease.ttl)});
  return run(redis, Role::acquire, *take_, {lease.key, fencing_key(lease.key)},
             {lease.token, milliseconds(lease.ttl)});
}

Vote QuorumRequests::take(redis::Client& redis, const Lease& lease) const {
  const redis::Reply reply = send_take(redis, lease);
  if (!reply.answered()) return {};
  if (counts_) {
    const bool granted = reply.kind == redis::Reply::Kind::integer && reply.integer > 0;
    return granted ? Vote{Vote::Of::yes, reply.integer} : Vote{Vote::Of::no};
  }
  return {reply.ok() || reply.is_integer(1) ? Vote::Of::yes : Vote::Of::no};
}

Vote QuorumRequests::forget(redis::Client& redis, const Lease& lease) const {
  return vote_of(run(redis, Role::release, *forget_, {lease.key}, {lease.token}));
}

Vote QuorumRequests::prolong(redis::Client& redis, const Lease& lease) const {
  return vote_of(
      run(redis, Role::renew, *prolong_, {lease.key}, {lease.token, milliseconds(lease.ttl)}));
}

Vote QuorumRequests::raise(redis::Client& redis, const Lease& lease) const {
  return vote_of(run(redis, Role::acquire, raise_counter(), {lease.key, fencing_key(lease.key)},
                     {lease.token, std::to_string(lease.fence)}));
}

std::span<const ScriptUse> quorum_scripts() { return kQuorumScripts; }

}  // namespace picklock::models::locks
