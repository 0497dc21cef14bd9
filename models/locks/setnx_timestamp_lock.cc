#include "models/locks/setnx_timestamp_lock.h"

#include <charconv>
#include <string>

#include "keys/key_kinds.h"
#include "models/locks/promises.h"
#include "models/locks/setnx_lock.h"

namespace picklock::models::locks {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kTimestampPassed = "timestamp-passed";

std::int64_t now_ms(Client& self) {
  return std::chrono::duration_cast<milliseconds>(self.wall_now()).count();
}

std::string stamp(Client& self, Duration ttl) {
  return std::to_string(now_ms(self) + std::chrono::duration_cast<milliseconds>(ttl).count() + 1);
}

// A value that is not a timestamp is an expired lease.
bool has_passed(std::string_view text, std::int64_t now) {
  std::int64_t until = 0;
  std::from_chars(text.data(), text.data() + text.size(), until);
  return until < now;
}

std::vector<Promise> timestamp_promises(const LockOptions& options) {
  using enum FaultClass;
  constexpr std::string_view kAgree =
      "every critical section ends within its lease, and the clients' clocks agree";
  // Others steal the lock of a dead holder, and only GETSET tells two thieves apart.
  FaultClasses holder = {late_write, server_clock};
  if (options.of<SetnxTimestampOptions>().steal == Steal::getset && options.resend == 0)
    holder.add(crash);
  return {
      {Property::mutual_exclusion, holder, kAgree},
      {Property::resource_exclusion, holder.without({late_write}), kAgree},
      {Property::no_stale_write, holder.without({late_write}), kAgree},
      {Property::own_release, {late_write, server_clock}, kAgree},
      {Property::not_stuck, FaultClasses::all().without({client_clock}),
       "the clients' clocks agree, and the server is eventually available"},
      {Property::no_deadlock, FaultClasses::all(), kOneLock},
      {Property::available, while_patient(options, FaultClasses::all()), kFreeKey},
      progress(),
  };
}

}  // namespace

Acquired SetnxTimestamp::try_acquire(Client& self, std::string_view key) {
  Acquired first = set_if_absent(self, key);
  if (first || first.is_unknown()) return first;
  const redis::Reply holder = redis::server(self).get(key);
  if (!holder.answered()) return std::nullopt;  // nothing was requested
  // Released in between: a client that took that for an expired lease would delete the next
  // holder's key.
  if (holder.is_nil() || !has_passed(holder.text, now_ms(self))) return std::nullopt;
  self.mark(kTimestampPassed);
  return steal(self, key);
}

Acquired SetnxTimestamp::set_if_absent(Client& self, std::string_view key) {
  const std::string until = stamp(self, options().ttl);
  const redis::Reply reply = redis::server(self).setnx(key, until);
  if (!reply.answered()) return Acquired::unknown();
  if (!reply.is_integer(1)) return std::nullopt;
  return Lease{.key = std::string(key), .token = until, .ttl = options().ttl};
}

Acquired SetnxTimestamp::steal(Client& self, std::string_view key) {
  if (options().of<SetnxTimestampOptions>().steal == Steal::del) {
    if (!redis::server(self).del(key).answered()) return std::nullopt;
    return set_if_absent(self, key);
  }
  // A client that finds an unexpired timestamp came second, and has only moved it a little.
  const std::string until = stamp(self, options().ttl);
  const redis::Reply before = redis::server(self).getset(key, until);
  if (!before.answered()) return Acquired::unknown();
  if (!before.is_nil() && !has_passed(before.text, now_ms(self))) return std::nullopt;
  return Lease{.key = std::string(key), .token = until, .ttl = options().ttl};
}

// After its own timestamp, the key may be another's.
Released SetnxTimestamp::release(Client& self, const Lease& lease) {
  if (has_passed(lease.token, now_ms(self))) return Released::not_held;
  const redis::Reply reply = redis::server(self).del(lease.key);
  if (!reply.answered()) return Released::unknown;
  return reply.is_integer(1) ? Released::ok : Released::not_held;
}

namespace {

OptionKeys steal_keys() {
  using namespace keys;
  return own_keys<SetnxTimestampOptions>({
      word<SetnxTimestampOptions>(
          "steal", {"del", "getset"}, at<&SetnxTimestampOptions::steal>,
          "setnx-timestamp: how a key whose timestamp has passed is taken: by DEL and SETNX, or by "
          "GETSET"),
  });
}

}  // namespace

const Algorithm& setnx_timestamp() {
  static const Algorithm algorithm{
      .name = "setnx-timestamp",
      .summary =
          "SETNX key timestamp; after that time another client steals the key, by DEL and SETNX or "
          "by GETSET; released by DEL",
      .source = "redis.io, SETNX, Design pattern: locking with SETNX; docs/facts/failures.md B-08",
      .roles = {Role::acquire, Role::release},
      .marks = {kTimestampPassed},
      .uses = {},
      .keys = joined({redis_client_keys(), lease_keys(), polling_keys(), steal_keys()}),
      .unused = unused_without_expiry(),
      .promises = timestamp_promises,
      .bound = lease_and_one_attempt,
      .make = make<SetnxTimestamp>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks
