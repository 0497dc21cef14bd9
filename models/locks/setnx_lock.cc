#include "models/locks/setnx_lock.h"

#include <utility>

#include "models/locks/promises.h"
#include "models/locks/renewal.h"

namespace picklock::models::locks {
namespace {

constexpr std::string_view kAnsweredAlone =
    "every command is answered before its client gives up on it, and nothing but the lock's "
    "commands sets its key";

LockOptions without_lease(LockOptions options) {
  options.ttl = Duration::zero();
  options.renew = Renew::none;
  return options;
}

Taken taken(const redis::Reply& setnx) {
  if (!setnx.answered()) return Taken::unknown();
  return setnx.is_integer(1) ? Taken::granted() : Taken{.resent = setnx.resent};
}

// Nothing expires, so only a DEL that acts twice, or for a later tenure, can hurt a holder; and
// only a DEL ever frees the key.
std::vector<Promise> without_lease_promises(const LockOptions& options) {
  using enum FaultClass;
  const bool adopts =
      options.value != TokenPer::acquisition && options.recognise_own != RecogniseOwn::never;
  FaultClasses holder = {late_write, server_clock};
  FaultClasses resource = {server_clock};
  if (options.resend == 0 && !adopts) {
    holder = FaultClasses::all().without({failover, amnesia, lost_reply});
    resource = holder.without({late_write, partition});
  }
  constexpr std::string_view kInTime = "every write arrives before its client gives up on it";
  return {
      {Property::mutual_exclusion, holder, ""},
      {Property::resource_exclusion, resource, kInTime},
      {Property::no_stale_write, resource, kInTime},
      {Property::own_release, holder, ""},
      {Property::loss_noticed, holder, ""},
      {Property::not_stuck, {late_write, server_clock, amnesia}, kAnswered},
      {Property::no_deadlock, FaultClasses::all(), kOneLock},
      available(options),
      progress(),
  };
}

std::vector<Promise> expire_promises(const LockOptions& options) {
  using enum FaultClass;
  std::vector<Promise> all =
      leased(options, GivesBack::blindly, {late_write, server_clock, amnesia});
  for (Promise& promise : all) {
    if (promise.property == Property::not_stuck) promise.premise = kAnsweredAlone;
  }
  return all;
}

OptionKeys setnx_keys() {
  return joined({redis_client_keys(), polling_keys(), token_keys(), own_token_keys(), wait_keys(),
                 check_keys()});
}

Duration a_minute(const LockOptions& options) {
  return std::chrono::minutes(1) + lease_and_one_attempt(without_lease(options));
}

}  // namespace

NaiveSetnx::NaiveSetnx(LockOptions options) : SetnxLock(without_lease(std::move(options))) {}

Taken NaiveSetnx::take(Client& self, std::string_view key, std::string_view token) {
  return taken(redis::server(self).setnx(key, token));
}

Taken SetnxExpire::take(Client& self, std::string_view key, std::string_view token) {
  Taken first = taken(redis::server(self).setnx(key, token));
  return first.outcome == Taken::Outcome::granted ? adopt(self, key, token) : first;
}

// Without an answer the client does not know whether the key will ever expire, and its call has
// failed: it does not enter.
Taken SetnxExpire::adopt(Client& self, std::string_view key, std::string_view) {
  const redis::Reply expire = redis::server(self).pexpire(key, options().ttl);
  return expire.answered() ? Taken::granted() : Taken::unknown();
}

Released SetnxLock::give_back(Client& self, const Lease& lease) {
  return released(redis::server(self).del(lease.key));
}

std::vector<UnusedKey> unused_without_expiry() {
  constexpr std::string_view kWhy = "with a lock whose entries do not expire";
  return {{"relative_expiry", kWhy}, {"clock_offset", kWhy}};
}

const Algorithm& naive_setnx() {
  static const Algorithm algorithm{
      .name = "naive-setnx",
      .summary = "SETNX key token, without any expiry; released by DEL",
      .source = "docs/facts/failures.md A-04",
      .roles = {Role::acquire, Role::release},
      .marks = {},
      .uses = {.check = true},
      .keys = setnx_keys(),
      .unused = unused_without_expiry(),
      .promises = without_lease_promises,
      .bound = a_minute,
      .make = make<NaiveSetnx>,
  };
  return algorithm;
}

const Algorithm& setnx_expire() {
  static const Algorithm algorithm{
      .name = "setnx-expire",
      .summary = "SETNX key token, then PEXPIRE key ttl as a second command; released by DEL",
      .source = "docs/facts/failures.md A-05",
      .roles = {Role::acquire, Role::release},
      .marks = {},
      .uses = {.check = true},
      .keys = joined({setnx_keys(), lease_keys(), renewal_keys(), renewal_pace_keys(),
                      script_keys({&kRenewScript, 1})}),
      .scripts = {kRenewScript},
      .promises = expire_promises,
      .bound = lease_and_one_attempt,
      .make = make<SetnxExpire>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks
