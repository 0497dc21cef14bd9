#include "models/locks/redisson/lock.h"

#include <array>

#include <algorithm>
#include <span>
#include <utility>

#include "models/locks/promises.h"
#include "models/locks/redisson/names.h"
#include "models/locks/redisson/promises.h"
#include "models/locks/redisson/scripts.h"
#include "models/locks/redisson/versions.h"

namespace picklock::models::locks::redisson {

using Outcome = Attempt::Outcome;

namespace {

constexpr std::string_view kUnlocked = "0";
constexpr Duration kSubscriptionTimeout = std::chrono::milliseconds(7500);

// Leaves the channel, however a wait ends.
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

RedissonLock::RedissonLock(const LockOptions& options, std::size_t server, OnRenewal on_renewal)
    : ConfiguredLock(options),
      commands_(options, server),
      watchdog_(std::make_shared<Watchdog>(options, server,
                                           on_renewal ? std::move(on_renewal) : as_told(options))),
      channels_(std::make_shared<Channels>(server)) {}

std::string RedissonLock::wall_milliseconds(Client& self) const {
  return milliseconds(self.wall_now());
}

// As long as copies of the same release may arrive: a time-out and a pause for each (1.2).
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
  return lock_within(self, key, {.patience = Duration{}, .lease = lease_}).acquired;
}

Acquired RedissonLock::acquire(Client& self, std::string_view key) {
  if (options().attempts == 1) return try_acquire(self, key);
  return lock_within(self, key, {.patience = patience_of(options()), .lease = lease_}).acquired;
}

RedissonLock::Result RedissonLock::lock_within(Client& self, std::string_view key,
                                               const Terms& terms) {
  watchdog_->start(self);
  const std::string me = owner(self);
  const Taking taking{.key = key,
                      .owner = me,
                      .lease = terms.lease > Duration::zero() ? terms.lease : options().ttl,
                      .terms = terms};
  const Patience patience(self, options().clock, terms.patience);
  const Attempt first = attempt(self, taking);
  if (auto over = settled(self, taking, first)) return std::move(*over);
  // An acquire that does not wait reads no clock.
  if (terms.patience == Duration::zero() || patience.over()) {
    gives_up(self, taking);
    return {std::nullopt};
  }
  return wait_and_take(self, taking, patience, first.left);
}

// A grant that no replica has is undone and requested again, a few times (1.5).
Attempt RedissonLock::attempt(Client& self, const Taking& taking) {
  Attempt attempt = attempt_once(self, taking);
  for (std::uint32_t copies = 1; attempt.outcome == Outcome::unsynced && copies <= options().resend;
       ++copies) {
    pause_before_next(self, copies);
    attempt = attempt_once(self, taking);
  }
  return attempt;
}

void RedissonLock::pause_before_next(Client& self, std::uint32_t copies) const {
  const Duration whole =
      longest_resend_pause(options().resend_delay, options().resend_delay_most, copies);
  self.sleep(whole / 2 + self.random_between(Duration::zero(), whole / 2));
}

Attempt RedissonLock::attempt_once(Client& self, const Taking& taking) {
  const Duration sent = now(self, options().clock);
  // An answer that an interrupted thread does not wait for still arms the watchdog, and nobody is
  // left to disarm it (docs/facts/failures.md C-19).
  const bool watched = taking.terms.lease == Duration::zero();
  redis::Late late = [watched, watchdog = watchdog_, lease = lease(taking, 0, sent),
                      thread = self.thread(), tenancy = self.witness().tenancy(),
                      read = reader()](const redis::Reply& reply) {
    if (watched && read(reply).outcome == Outcome::granted) watchdog->add(lease, thread, tenancy);
  };
  const Commands::Synced told = take(self, taking, std::move(late));
  // Undone by the script alone: the watchdog keeps the owner's other holds.
  if (told.missed) {
    unlock(self, taking.key, taking.owner, latch_of(taking.key, self.fresh_token()));
    return {.outcome = Outcome::unsynced};
  }
  Attempt attempt = reader()(told.reply);
  attempt.sent = sent;
  return attempt;
}

Attempt RedissonLock::read(const redis::Reply& reply) {
  if (reply.interrupted) return {.outcome = Outcome::interrupted};
  if (!reply.answered()) {
    const bool never_left = reply.kind == redis::Reply::Kind::unsent;
    return {.outcome = never_left ? Outcome::refused : Outcome::unknown};
  }
  if (reply.is_error()) return {.outcome = Outcome::refused};
  if (reply.is_nil()) return {.outcome = Outcome::granted};
  return {.outcome = Outcome::held, .left = std::chrono::milliseconds(reply.integer)};
}

Commands::Synced RedissonLock::take(Client& self, const Taking& taking, redis::Late late) {
  const std::string lease = milliseconds(taking.lease);
  const std::string_view keys[] = {taking.key};
  const std::string_view args[] = {lease, taking.owner};
  return commands_.run_synced(
      self, {options().scripts.instead_of(ScriptOf::acquire, redisson::take()), keys, args},
      std::move(late));
}

Lease RedissonLock::lease(const Taking& taking, std::int64_t fence, Duration sent) const {
  Lease lease{
      .key = std::string(taking.key), .token = taking.owner, .ttl = taking.lease, .fence = fence};
  if (options().deadline) lease.deadline = sent + taking.lease;
  return lease;
}

Acquired RedissonLock::granted(Client& self, const Taking& taking, const Attempt& attempt) {
  Lease mine = lease(taking, attempt.fence, attempt.sent);
  const bool watched = taking.terms.lease == Duration::zero();
  if (watched) watchdog_->add(mine, self.thread(), self.witness().tenancy());
  return mine;
}

// Whether the attempt ends the call, and with which result.
std::optional<RedissonLock::Result> RedissonLock::settled(Client& self, const Taking& taking,
                                                          const Attempt& attempt) {
  switch (attempt.outcome) {
    case Outcome::granted:
      return Result{granted(self, taking, attempt)};
    case Outcome::held:
      return std::nullopt;
    case Outcome::refused:
    case Outcome::unsynced:
      return Result{std::nullopt};
    case Outcome::unknown:
      return Result{Acquired::unknown(), true};
    case Outcome::interrupted:
      break;
  }
  return Result{Acquired::unknown()};
}

// A thread that is interrupted, or that would wait forever but cannot subscribe, leaves by an
// exception; its place on the server stays (docs/facts/algorithms.md 9, pitfall 31).
RedissonLock::Result RedissonLock::wait_and_take(Client& self, const Taking& taking,
                                                 const Patience& patience, Duration left) {
  const Hearing hearing(*channels_, self, channel(taking.key, taking.owner),
                        patience.at_most(kSubscriptionTimeout));
  if (hearing.latch() == nullptr) {
    if (!patience.endless()) gives_up(self, taking);
    return {std::nullopt};
  }
  for (bool tries = redisson_.try_after_subscribing;; tries = true) {
    if (patience.over()) break;
    if (tries) {
      const Attempt next = attempt(self, taking);
      // Reported as a refusal (1.2).
      const bool lost_in_time = next.outcome == Outcome::unknown && !patience.endless();
      if (lost_in_time) break;
      if (auto over = settled(self, taking, next)) return std::move(*over);
      left = next.left;
      still_waits(self, taking);
      if (patience.over()) break;
    }
    Duration wait =
        left < Duration::zero() ? Semaphore::kForever : std::max(left, redisson_.wait_at_least);
    const Duration most = redisson_.wait_at_most;
    if (most > Duration::zero() && (wait < Duration::zero() || wait > most)) wait = most;
    if (hearing.latch()->acquire(patience.at_most(wait)) == Semaphore::Woken::by_interrupt)
      return {std::nullopt};
  }
  gives_up(self, taking);
  return {std::nullopt};
}

// ---------------------------------------------------------------- release

// The watchdog forgets a hold before the outcome is known, whatever it is. A release that no
// replica has is repeated (1.5), and finds the latch of the first.
Released RedissonLock::release(Client& self, const Lease& lease) {
  const std::string latch = latch_of(lease.key, self.fresh_token());
  for (std::uint32_t copies = 1;; ++copies) {
    const auto [reply, missed] = unlock(self, lease.key, lease.token, latch);
    watchdog_->remove(lease.key, self.thread());
    if (!reply.answered() || reply.is_error()) return Released::unknown;
    if (!missed) return reply.is_nil() ? Released::not_held : Released::ok;
    if (copies > options().resend) return Released::unknown;
    pause_before_next(self, copies);
  }
}

Commands::Synced RedissonLock::unlock(Client& self, std::string_view key, const std::string& owner,
                                      const std::string& latch) {
  Commands::Synced told = give_back(self, key, owner, latch);
  const bool thrown = told.missed || !told.reply.answered() || told.reply.is_error();
  if (redisson_.unlock_latch && !thrown) {
    const std::string_view forget[] = {"DEL", latch};
    commands_.redis(self).post(Role::upkeep, forget);
  }
  return told;
}

Commands::Synced RedissonLock::give_back(Client& self, std::string_view key,
                                         const std::string& owner, const std::string& latch) {
  const std::string where = channel(key, owner);
  const std::string lease = milliseconds(options().ttl);
  if (!redisson_.unlock_latch) {
    const std::string_view keys[] = {key, where};
    const std::string_view args[] = {kUnlocked, lease, owner};
    return commands_.run_synced(
        self,
        {options().scripts.instead_of(ScriptOf::release, give_back_without_latch()), keys, args});
  }
  const std::string life = latch_life();
  const std::string_view keys[] = {key, where, latch};
  const std::string_view args[] = {kUnlocked, lease, owner, life};
  return commands_.run_synced(
      self, {options().scripts.instead_of(ScriptOf::release, redisson::give_back()), keys, args});
}

Held RedissonLock::check_held(Client& self, const Lease& lease) {
  redis::Client& asked =
      options().check_at == CheckAt::replica ? redis::replica(self) : commands_.redis(self);
  const std::string_view argv[] = {"HEXISTS", lease.key, lease.token};
  const redis::Reply reply = asked.call(Role::check, argv);
  if (!reply.answered() || reply.is_error()) return Held::unknown;
  return reply.is_integer(1) ? Held::yes : Held::no;
}

Released RedissonLock::force_release(Client& self, std::string_view key, bool conditional) {
  std::string holder;
  if (conditional) {
    const std::string_view argv[] = {"HKEYS", key};
    const redis::Reply holders = commands_.redis(self).call(Role::check, argv);
    if (!holders.answered() || holders.is_error()) return Released::unknown;
    if (holders.elements.empty()) return Released::not_held;
    holder = holders.elements.front().text;
  }
  const redis::Reply reply = force_open(self, key, holder);
  if (!reply.answered() || reply.is_error()) return Released::unknown;
  return reply.is_integer(1) ? Released::ok : Released::not_held;
}

redis::Reply RedissonLock::force_open(Client& self, std::string_view key, std::string_view holder) {
  const std::string where = channel_of(key);
  const std::string_view keys[] = {key, where};
  const std::string_view args[] = {kUnlocked, holder};
  const auto given = std::span(args).first(holder.empty() ? 1 : 2);
  return commands_.run_freely(
      self, {holder.empty() ? redisson::force_open() : force_open_of(), keys, given},
      Role::release);
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
  options.of<RedissonOptions>().resend_scripts = false;
  options.connections = 8;
  options.keep_timed_out = true;
  options.tell_loss = false;
}

void as_fixed(LockOptions& options) {
  as_shipped(options);
  options.clock = ClientClock::monotonic;
  options.tell_loss = true;
  options.deadline = true;
  options.of<RedissonOptions>().wait_at_most = std::chrono::seconds(1);
}

}  // namespace

namespace {

constexpr std::array kScripts = {kTakeScript, kGiveBackScript, kExtendScript};

}  // namespace

Uses uses() { return {.check = true, .nests = true, .shared = true, .force = true}; }

void preset(LockOptions& options) { as_shipped(options); }

Algorithm renamed(Algorithm one, std::string_view name, std::string_view summary,
                  std::string_view source) {
  one.name = name;
  one.summary = summary;
  one.source = source;
  one.versions.clear();
  return one;
}

const Algorithm& redisson_lock() {
  static const Algorithm algorithm{
      .name = "redisson-lock",
      .summary =
          "Redisson's re-entrant lock as shipped: a hash that counts its owner's holds, renewed by "
          "a watchdog; a channel notifies waiters",
      .source = "Redisson 4.7; docs/facts/algorithms.md 1.2-1.5",
      .roles = {Role::acquire, Role::subscribe, Role::release},
      .marks = {},
      .uses = uses(),
      .keys = joined(
          {redisson_keys(), check_keys(), channel_keys(), latch_keys(), script_keys(kScripts)}),
      .scripts = {kScripts.begin(), kScripts.end()},
      .promises = promises,
      .bound = bound,
      .wakeup = wakeup,
      .versions = versions_with_latch(),
      .preset = as_shipped,
      .make = make<RedissonLock>,
      .gloss = gloss,
  };
  return algorithm;
}

const Algorithm& redisson_lock_fixed() {
  static const Algorithm algorithm = [] {
    Algorithm fixed = renamed(redisson_lock(), "redisson-lock-fixed",
                              "redisson-lock with a deadline of the holder on a monotonic clock, "
                              "reported losses, and waits of at most a second",
                              "docs/facts/failures.md A-09, A-11, D-03");
    fixed.preset = as_fixed;
    return fixed;
  }();
  return algorithm;
}

}  // namespace picklock::models::locks::redisson
