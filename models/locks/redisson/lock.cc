#include "models/locks/redisson/lock.h"

#include <algorithm>
#include <utility>

#include "models/locks/promises.h"
#include "models/locks/redisson/names.h"
#include "models/locks/redisson/promises.h"
#include "models/locks/redisson/scripts.h"

namespace picklock::models::locks::redisson {

using Outcome = Attempt::Outcome;

namespace {

constexpr std::string_view kUnlocked = "0";
constexpr Duration kSubscriptionTimeout = std::chrono::milliseconds(7500);
constexpr Duration kPauseAfterUnsynced = std::chrono::seconds(1);
constexpr int kUnsyncedTries = 4;

// However a wait ends, the channel is left.
class Hearing {
 public:
  Hearing(Channels& channels, Client& self, std::string channel, Duration patience)
      : channels_(channels),
        self_(self),
        channel_(std::move(channel)),
        latch_(channels.join(self, channel_, patience)) {}
  Hearing(const Hearing&) = delete;
  Hearing& operator=(const Hearing&) = delete;
  ~Hearing() {
    if (latch_ != nullptr) channels_.leave(self_, channel_);
  }
  Semaphore* latch() const { return latch_; }

 private:
  Channels& channels_;
  Client& self_;
  std::string channel_;
  Semaphore* latch_;
};

}  // namespace

RedissonLock::RedissonLock(const LockOptions& options, std::size_t server)
    : Lock(options),
      commands_(options, server),
      watchdog_(std::make_shared<Watchdog>(options, server)),
      channels_(std::make_shared<Channels>(server)) {}

std::string RedissonLock::wall_milliseconds(Client& self) const {
  return milliseconds(self.wall_now());
}

// As long as copies of the same release may come: a time-out and a pause for each (1.2).
std::string RedissonLock::latch_life() const {
  const Duration each =
      options().command_timeout + std::max(options().resend_delay, options().resend_delay_most);
  const Duration all = each * std::max<std::int64_t>(options().resend, 1);
  return milliseconds(std::max(all, Duration(std::chrono::milliseconds(1))));
}

std::string RedissonLock::owner(Client& self) {
  if (id_.empty()) id_ = self.fresh_token();
  return id_ + ":" + std::to_string(self.thread());
}

std::string RedissonLock::channel(std::string_view key, const std::string&) const {
  return channel_of(key);
}

// ---------------------------------------------------------------- acquire

Acquired RedissonLock::try_acquire(Client& self, std::string_view key) {
  const Duration lease = options().renew == Renew::none ? options().ttl : Duration{};
  return lock_within(self, key, {.patience = Duration{}, .lease = lease});
}

Acquired RedissonLock::acquire(Client& self, std::string_view key) {
  const Duration lease = options().renew == Renew::none ? options().ttl : Duration{};
  const bool once = options().attempts == 1;
  const Duration patience = options().acquire_timeout == Duration::zero()
                                ? Patience::kEndless
                                : options().acquire_timeout;
  return lock_within(self, key, {.patience = once ? Duration{} : patience, .lease = lease});
}

Acquired RedissonLock::lock_within(Client& self, std::string_view key, const Terms& terms) {
  watchdog_->start(self);
  const std::string me = owner(self);
  const Taking taking{.key = key,
                      .owner = me,
                      .lease = terms.lease > Duration::zero() ? terms.lease : options().ttl,
                      .terms = terms};
  const Patience patience(self, options().clock, terms.patience);
  const Attempt first = attempt(self, taking);
  if (auto over = settled(self, taking, first)) return std::move(*over);
  if (patience.over()) {
    gives_up(self, taking);
    return std::nullopt;
  }
  return wait_and_take(self, taking, patience, first.left);
}

// One that no replica has is undone and made again, a few times (1.5).
Attempt RedissonLock::attempt(Client& self, const Taking& taking) {
  Attempt attempt = attempt_once(self, taking);
  for (int tries = 0; attempt.outcome == Outcome::unsynced && tries < kUnsyncedTries; ++tries) {
    self.sleep(kPauseAfterUnsynced / 2 +
               self.random_between(Duration::zero(), kPauseAfterUnsynced / 2));
    attempt = attempt_once(self, taking);
  }
  return attempt;
}

Attempt RedissonLock::attempt_once(Client& self, const Taking& taking) {
  const Duration sent = now(self, options().clock);
  // The answer that an interrupted thread does not wait for still arms the watchdog, and nobody is
  // left who would disarm it (docs/facts/failures.md C-19).
  const bool watched = taking.terms.lease == Duration::zero();
  redis::Late late = [watched, watchdog = watchdog_, lease = lease(taking, 0, sent),
                      thread = self.thread(), tenancy = self.tenancy()](const redis::Reply& reply) {
    if (watched && reply.is_nil()) watchdog->add(lease, thread, tenancy);
  };
  Attempt attempt = take(self, taking, std::move(late));
  attempt.sent = sent;
  return attempt;
}

Attempt RedissonLock::read(const redis::Reply& reply) const {
  if (reply.interrupted) return {.outcome = Outcome::interrupted};
  if (!reply.answered()) {
    const bool never_left = reply.kind == redis::Reply::Kind::unsent;
    return {.outcome = never_left ? Outcome::refused : Outcome::unknown};
  }
  if (reply.is_error()) return {.outcome = Outcome::refused};
  if (reply.is_nil()) return {.outcome = Outcome::granted};
  return {.outcome = Outcome::held, .left = std::chrono::milliseconds(reply.integer)};
}

Attempt RedissonLock::take(Client& self, const Taking& taking, redis::Late late) {
  const std::string lease = milliseconds(taking.lease);
  const std::string_view keys[] = {taking.key};
  const std::string_view args[] = {lease, taking.owner};
  const Commands::Synced synced = commands_.run_synced(
      self, {or_own(options().scripts.acquire, redisson::take()), keys, args}, std::move(late));
  Attempt attempt = read(synced.reply);
  if (!synced.missed || attempt.outcome != Outcome::granted) return attempt;
  release_as(self, taking.key, taking.owner);
  return {.outcome = Outcome::unsynced};
}

Lease RedissonLock::lease(const Taking& taking, std::int64_t fence, Duration sent) const {
  Lease lease{
      .key = std::string(taking.key), .token = taking.owner, .ttl = taking.lease, .fence = fence};
  if (options().deadline) lease.deadline = sent + taking.lease;
  return lease;
}

Acquired RedissonLock::granted(Client& self, const Taking& taking, const Attempt& attempt) {
  Lease mine = lease(taking, attempt.fence, attempt.sent);
  if (taking.terms.lease == Duration::zero()) watchdog_->add(mine, self.thread(), self.tenancy());
  return mine;
}

// Whether the attempt ends the call, and how. Inside the loop a time-out is told as a refusal
// (1.2).
std::optional<Acquired> RedissonLock::settled(Client& self, const Taking& taking,
                                              const Attempt& attempt) {
  switch (attempt.outcome) {
    case Outcome::granted:
      return granted(self, taking, attempt);
    case Outcome::held:
      return std::nullopt;
    case Outcome::refused:
    case Outcome::unsynced:
      return Acquired(std::nullopt);
    case Outcome::unknown:
    case Outcome::interrupted:
      break;
  }
  return Acquired::unknown();
}

Acquired RedissonLock::wait_and_take(Client& self, const Taking& taking, const Patience& patience,
                                     Duration left) {
  const Hearing hearing(*channels_, self, channel(taking.key, taking.owner),
                        patience.at_most(kSubscriptionTimeout));
  if (hearing.latch() == nullptr) {
    gives_up(self, taking);
    return std::nullopt;
  }
  for (bool tries = options().try_after_subscribing;; tries = true) {
    if (patience.over()) break;
    if (tries) {
      const Attempt next = attempt(self, taking);
      const bool lost_in_time = next.outcome == Outcome::unknown && !patience.endless();
      if (lost_in_time) break;
      if (auto over = settled(self, taking, next)) return std::move(*over);
      left = next.left;
      still_waits(self, taking);
      if (patience.over()) break;
    }
    Duration wait = left < Duration::zero() ? Semaphore::kForever : left;
    const Duration most = options().wait_at_most;
    if (most > Duration::zero() && (wait < Duration::zero() || wait > most)) wait = most;
    if (hearing.latch()->acquire(patience.at_most(wait)) == Semaphore::Woken::by_interrupt) {
      gives_up(self, taking);
      return Acquired::unknown();
    }
  }
  gives_up(self, taking);
  return std::nullopt;
}

// ---------------------------------------------------------------- release

Released RedissonLock::release(Client& self, const Lease& lease) {
  return release_as(self, lease.key, lease.token);
}

// The watchdog forgets the lock before the outcome is looked at, whatever it is.
Released RedissonLock::release_as(Client& self, std::string_view key, const std::string& owner) {
  const std::string request = self.fresh_token();
  const std::string latch = latch_of(key, request);
  const redis::Reply reply = give_back(self, key, owner, latch);
  watchdog_->remove(key, self.thread());
  if (!reply.answered() || reply.is_error()) return Released::unknown;
  if (options().unlock_latch) {
    const std::string_view forget[] = {"DEL", latch};
    commands_.redis(self).post(Role::upkeep, forget);
  }
  return reply.is_nil() ? Released::not_held : Released::ok;
}

redis::Reply RedissonLock::give_back(Client& self, std::string_view key, const std::string& owner,
                                     const std::string& latch) {
  const std::string where = channel(key, owner);
  const std::string lease = milliseconds(options().ttl);
  if (!options().unlock_latch) {
    const std::string_view keys[] = {key, where};
    const std::string_view args[] = {kUnlocked, lease, owner};
    return commands_.run(
        self, {or_own(options().scripts.release, give_back_without_latch()), keys, args});
  }
  const std::string life = latch_life();
  const std::string_view keys[] = {key, where, latch};
  const std::string_view args[] = {kUnlocked, lease, owner, life};
  return commands_.run(self,
                       {or_own(options().scripts.release, redisson::give_back()), keys, args});
}

Held RedissonLock::look(Client& self, const Lease& lease) {
  redis::Client& asked =
      options().check_at == CheckAt::replica ? self.redis_replica() : commands_.redis(self);
  const std::string_view argv[] = {"HEXISTS", lease.key, lease.token};
  const redis::Reply reply = asked.call(Role::check, argv);
  if (!reply.answered() || reply.is_error()) return Held::unknown;
  return reply.is_integer(1) ? Held::yes : Held::no;
}

Released RedissonLock::force_release(Client& self, std::string_view key, bool conditional) {
  const std::string where = channel_of(key);
  const std::string_view keys[] = {key, where};
  redis::Reply reply;
  if (conditional) {
    const std::string_view argv[] = {"HKEYS", key};
    const redis::Reply holders = commands_.redis(self).call(Role::check, argv);
    if (holders.elements.empty()) return Released::not_held;
    const std::string_view args[] = {kUnlocked, holders.elements.front().text};
    reply = commands_.run_freely(self, {force_open_of(), keys, args}, Role::release);
  } else {
    const std::string_view args[] = {kUnlocked};
    reply = commands_.run_freely(self, {force_open(), keys, args}, Role::release);
  }
  if (!reply.answered()) return Released::unknown;
  return reply.is_integer(1) ? Released::ok : Released::not_held;
}

// ---------------------------------------------------------------- as data

namespace {

void as_shipped(LockOptions& options) {
  options.ttl = std::chrono::seconds(30);
  options.renew = Renew::conditional;
  options.clock = ClientClock::wall;
  options.resend = 4;
  options.resend_delay = std::chrono::seconds(1);
  options.resend_delay_most = std::chrono::seconds(2);
  options.resend_scripts = false;
  options.connections = 8;
  options.keep_timed_out = true;
  options.tell_loss = false;
}

void as_fixed(LockOptions& options) {
  as_shipped(options);
  options.clock = ClientClock::monotonic;
  options.tell_loss = true;
  options.deadline = true;
  options.wait_at_most = std::chrono::seconds(1);
}

}  // namespace

Uses uses() {
  return {.renew = true,
          .look = true,
          .nests = true,
          .shared = true,
          .force = true,
          .options = {"acquire_script", "release_script", "renew_script", "deadline", "tell_loss",
                      "local_mutex", "resend_scripts", "timer_per_lock", "renew_after_error",
                      "unlock_latch", "try_after_subscribing", "wait_at_most", "sync_replicas"}};
}

void preset(LockOptions& options) { as_shipped(options); }

Algorithm renamed(Algorithm one, std::string_view name, std::string_view summary,
                  std::string_view source) {
  one.name = name;
  one.summary = summary;
  one.source = source;
  return one;
}

const Algorithm& redisson_lock() {
  static const Algorithm algorithm{
      .name = "redisson-lock",
      .summary =
          "Redisson's re-entrant lock as shipped: a hash that counts its owner's holds, "
          "renewed by a watchdog; waiters hear a channel",
      .source = "Redisson 4.7; docs/facts/algorithms.md 1.2-1.5",
      .roles = {Role::acquire, Role::subscribe, Role::release},
      .marks = {},
      .uses = uses(),
      .promises = promises,
      .bound = bound,
      .wakeup = wakeup,
      .preset = as_shipped,
      .make = make<RedissonLock>,
  };
  return algorithm;
}

const Algorithm& redisson_lock_fixed() {
  static const Algorithm algorithm = [] {
    Algorithm fixed = renamed(
        redisson_lock(), "redisson-lock-fixed",
        "the same with a deadline of the holder's own, on a monotonic clock, losses told, and "
        "waits of a second at most",
        "docs/facts/failures.md A-09, A-11, D-03");
    fixed.preset = as_fixed;
    return fixed;
  }();
  return algorithm;
}

}  // namespace picklock::models::locks::redisson
