#include "models/locks/redisson/multi_lock.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "models/locks/promises.h"
#include "models/locks/redisson/promises.h"
#include "models/locks/redisson/versions.h"
#include "models/locks/together.h"

namespace picklock::models::locks::redisson {
namespace {

constexpr Duration kBaseWait = std::chrono::milliseconds(1500);  // for each server
constexpr Duration kNothing = Duration::min();

}  // namespace

// The multi-lock needs the deadline of each member, whether or not anybody else does.
RedissonLock& MultiLock::member(Client& self, std::size_t server) {
  LockOptions of_member = options();
  of_member.deadline = true;
  while (members_.size() < redis::server_count(self)) {
    members_.push_back(std::make_unique<RedissonLock>(
        of_member, members_.size(),
        [this, i = members_.size()](Client& thread, std::uint32_t whose, const Lease&,
                                    std::optional<Duration> until) {
          renewed(thread, whose, i, until);
        }));
  }
  return *members_[server];
}

Duration MultiLock::lasts(const Whole& whole) const {
  const std::size_t servers = whole.until.size();
  std::vector<Duration> newest = whole.until;
  std::sort(newest.begin(), newest.end(), std::greater<>());
  return newest[servers - may_fail(servers) - 1];
}

void MultiLock::renewed(Client& self, std::uint32_t thread, std::size_t server,
                        std::optional<Duration> until) {
  const auto found = wholes_.find(thread);
  if (found == wholes_.end()) return;
  Whole& whole = found->second;
  const Duration before = lasts(whole);
  whole.until[server] = until.value_or(kNothing);
  const Duration after = lasts(whole);
  if (whole.holds == 0 || before == kNothing) return;
  if (after == kNothing) {
    if (options().tell_loss) self.witness().record_loss(whole.lease);
  } else if (options().deadline) {
    self.witness().believe_until(whole.lease, after);
  }
}

Acquired MultiLock::try_acquire(Client& self, std::string_view key) {
  return lock_once(self, key, {.patience = Duration{}, .lease = explicit_lease(options())});
}

// Without a time limit it starts over forever, each time with a new patience: fixed, or drawn at
// random if there is a lease. An interrupt only ends the turn of one server.
Acquired MultiLock::acquire(Client& self, std::string_view key) {
  if (options().attempts == 1) return try_acquire(self, key);
  const Duration lease = lease_;
  if (options().acquire_timeout > Duration::zero())
    return lock_once(self, key, {.patience = options().acquire_timeout, .lease = lease});
  const Duration base = kBaseWait * static_cast<std::int64_t>(redis::server_count(self));
  for (;;) {
    Duration patience = base;
    if (lease > Duration::zero())
      patience =
          lease <= base ? self.random_between(lease / 2, lease) : self.random_between(base, lease);
    Acquired acquired = lock_once(self, key, {.patience = patience, .lease = lease});
    if (acquired) return acquired;
  }
}

Acquired MultiLock::lock_once(Client& self, std::string_view key, const Terms& terms) {
  const std::size_t servers = redis::server_count(self);
  const bool waits = terms.patience > Duration::zero();
  Duration remain = waits ? terms.patience : Patience::kEndless;
  // A share of the initial patience, however little is left.
  const Duration for_each =
      waits ? std::max(share(remain, servers), Duration(std::chrono::milliseconds(1))) : Duration{};
  // During the attempt each lease is long enough for all servers.
  const Duration meanwhile =
      waits && terms.lease > Duration::zero() ? 2 * terms.patience : terms.lease;
  std::size_t may_fail_still = may_fail(servers);
  Members members;
  Duration last = now(self, options().clock);
  Whole& whole = wholes_[self.thread()];
  if (whole.until.empty()) whole.until.assign(servers, kNothing);
  for (std::size_t i = 0; i < servers; ++i) {
    const Duration patience = waits ? std::min(for_each, remain) : Duration{};
    const auto [one, timed_out] =
        member(self, i).lock_within(self, key, {.patience = patience, .lease = meanwhile});
    if (timed_out) unlock_one(self, key, i);
    if (one) {
      members.push_back(i);
      whole.until[i] = one.lease().deadline;
    } else {
      if (servers - members.size() == may_fail(servers)) break;
      if (may_fail_still == 0) {
        roll_back(self, key, members);
        if (!waits) return std::nullopt;
        members.clear();
        may_fail_still = may_fail(servers);
        i = static_cast<std::size_t>(-1);
      } else {
        --may_fail_still;
      }
    }
    if (waits) {
      const Duration at = now(self, options().clock);
      remain -= at - last;
      last = at;
      if (remain <= Duration::zero()) {
        roll_back(self, key, members);
        return std::nullopt;
      }
    }
  }
  return lease_of(self, key, members, terms);
}

Acquired MultiLock::lease_of(Client& self, std::string_view key, const Members& members,
                             const Terms& terms) {
  Whole& whole = wholes_[self.thread()];
  // Checked before the leases are set as well: by then another client may hold the keys.
  const auto valid = [&] {
    return quorum_.validity != Validity::after_answers || now(self, options().clock) < lasts(whole);
  };
  const bool sets = terms.lease > Duration::zero();
  if (sets && valid()) set_leases(self, key, members, terms.lease);
  if (!valid()) {
    roll_back(self, key, members);
    return std::nullopt;
  }
  whole.lease = {.key = std::string(key),
                 .token = std::to_string(self.thread()),
                 .ttl = sets ? terms.lease : options().ttl};
  if (options().deadline) whole.lease.deadline = lasts(whole);
  ++whole.holds;
  return whole.lease;
}

// The answers only show which keys are still held.
void MultiLock::set_leases(Client& self, std::string_view key, const Members& members,
                           Duration lease) {
  const Duration sent = now(self, options().clock);
  const auto answers = Together<bool>::ask(
      self, members.size(),
      [members, lease, name = std::string(key)](Client& thread, std::size_t i) {
        return redis::server(thread, members[i]).pexpire(name, lease, Role::acquire).is_integer(1);
      });
  Whole& whole = wholes_[self.thread()];
  for (const auto& [i, is_there] : answers)
    whole.until[members[i]] = is_there ? sent + lease : kNothing;
}

Released MultiLock::unlock_one(Client& self, std::string_view key, std::size_t server) {
  Whole& whole = wholes_[self.thread()];
  if (whole.holds == 0 && !whole.until.empty()) whole.until[server] = kNothing;
  RedissonLock& one = member(self, server);
  return one.release(self, {.key = std::string(key), .token = one.owner(self)});
}

// Undoes an attempt on each server, whatever the outcome on the others.
void MultiLock::roll_back(Client& self, std::string_view key, const Members& members) {
  for (const std::size_t server : members) unlock_one(self, key, server);
}

// Releases in order, and stops at the first failure.
Released MultiLock::unlock(Client& self, std::string_view key) {
  for (std::size_t server = 0; server < redis::server_count(self); ++server) {
    const Released released = unlock_one(self, key, server);
    if (released != Released::ok) return released;
  }
  return Released::ok;
}

Released MultiLock::release(Client& self, const Lease& lease) {
  Whole& whole = wholes_[self.thread()];
  if (whole.holds > 0) --whole.holds;
  return unlock(self, lease.key);
}

Released MultiLock::force_release(Client& self, std::string_view key, bool conditional) {
  Released all = Released::ok;
  for (std::size_t i = 0; i < redis::server_count(self); ++i) {
    const Released one = member(self, i).force_release(self, key, conditional);
    if (one != Released::ok) all = one;
  }
  return all;
}

Duration RedLock::share(Duration patience, std::size_t servers) const {
  return patience / static_cast<std::int64_t>(servers);
}

// Releases all of them, also those that have not granted, whatever the outcomes.
Released RedLock::unlock(Client& self, std::string_view key) {
  for (std::size_t server = 0; server < redis::server_count(self); ++server)
    unlock_one(self, key, server);
  return Released::ok;
}

// ---------------------------------------------------------------- as data

namespace {

Uses several() {
  Uses mine = uses();
  mine.check = false;
  mine.servers = true;
  return mine;
}

std::uint32_t all_of_them(std::uint32_t servers, const LockOptions&) { return servers; }
std::uint32_t most_of_them(std::uint32_t servers, const LockOptions&) { return servers / 2 + 1; }

// The time for one server; an attempt of several has it for each of them.
Duration one_server_in_time(const LockOptions&) { return kBaseWait; }

void multi_lock_as_shipped(LockOptions& options) {
  preset(options);
  options.of<QuorumOptions>().validity = Validity::never;
}

void multi_lock_as_fixed(LockOptions& options) {
  multi_lock_as_shipped(options);
  options.clock = ClientClock::monotonic;
  options.of<QuorumOptions>().validity = Validity::after_answers;
  options.tell_loss = true;
  options.deadline = true;
}

// It counts every acquire that waits, and the leases of its servers.
bool reads_clock(const LockOptions& options) {
  return options.attempts != 1 || options.deadline ||
         options.of<QuorumOptions>().validity == Validity::after_answers;
}

OptionKeys keys_of_several(const Algorithm& one) {
  return joined({redisson_keys(clock_keys(reads_clock, "while `attempts` is 1")), channel_keys(),
                 latch_keys(), script_keys(one.scripts), validity_keys()});
}

Algorithm of_several(std::string_view name, std::string_view summary, std::string_view source) {
  Algorithm one = renamed(redisson_lock(), name, summary, source);
  one.uses = several();
  one.keys = keys_of_several(one);
  one.versions = versions_with_latch();
  one.promises = promises_of_several;
  one.round_trip = one_server_in_time;
  one.preset = multi_lock_as_shipped;
  return one;
}

}  // namespace

const Algorithm& redisson_multilock() {
  static const Algorithm algorithm = [] {
    Algorithm one = of_several("redisson-multilock",
                               "Redisson's MultiLock: its re-entrant lock on all of several "
                               "servers, acquired one after the other",
                               "Redisson 4.7; docs/facts/algorithms.md 1.6");
    one.quorum = all_of_them;
    one.make = make<MultiLock>;
    return one;
  }();
  return algorithm;
}

const Algorithm& redisson_redlock() {
  static const Algorithm algorithm = [] {
    Algorithm one = of_several("redisson-redlock",
                               "Redisson's RedLock: its re-entrant lock on a majority of several "
                               "servers, without checking how long that took",
                               "Redisson 4.7; docs/facts/algorithms.md 1.7");
    one.quorum = most_of_them;
    one.make = make<RedLock>;
    return one;
  }();
  return algorithm;
}

const Algorithm& redisson_redlock_fixed() {
  static const Algorithm algorithm = [] {
    Algorithm one = renamed(redisson_redlock(), "redisson-redlock-fixed",
                            "redisson-redlock that checks the lease once all are granted, with a "
                            "deadline of the holder and reported losses",
                            "docs/facts/failures.md C-12");
    one.preset = multi_lock_as_fixed;
    return one;
  }();
  return algorithm;
}

}  // namespace picklock::models::locks::redisson
