#include "models/locks/redisson/kin.h"

#include <algorithm>
#include <array>
#include <utility>

#include "keys/key_kinds.h"
#include "models/locks/promises.h"
#include "models/locks/redisson/names.h"
#include "models/locks/redisson/promises.h"
#include "models/locks/redisson/scripts.h"
#include "models/locks/redisson/versions.h"

namespace picklock::models::locks::redisson {
namespace {

constexpr std::string_view kFree = "0";

}  // namespace

// ---------------------------------------------------------------- spin lock

RedissonLock::Result SpinLock::wait_and_take(Client& self, const Taking& taking,
                                             const Patience& patience, Duration) {
  constexpr Duration kShortest = std::chrono::milliseconds(1);
  constexpr Duration kLongest = std::chrono::milliseconds(128);
  for (Duration pause = kShortest; !patience.over(); pause = std::min(2 * pause, kLongest)) {
    if (!self.sleep_interruptibly(patience.at_most(pause))) break;
    if (auto over = settled(self, taking, attempt(self, taking))) return std::move(*over);
  }
  return {std::nullopt};
}

Commands::Synced SpinLock::give_back(Client& self, std::string_view key, const std::string& owner,
                                     const std::string& latch) {
  const std::string lease = milliseconds(options().ttl);
  const std::string life = latch_life();
  const std::string_view keys[] = {key, latch};
  const std::string_view args[] = {lease, owner, life};
  return commands().run_synced(
      self, {options().scripts.instead_of(ScriptOf::release, give_back_silently()), keys, args});
}

// ---------------------------------------------------------------- fenced lock

// A grant that no replica has is not undone (1.5).
Commands::Synced FencedLock::take(Client& self, const Taking& taking, redis::Late late) {
  const std::string lease = milliseconds(taking.lease);
  const std::string token = token_of(taking.key);
  const std::string_view keys[] = {taking.key, token};
  const std::string_view args[] = {lease, taking.owner};
  return {
      commands()
          .run_synced(self,
                      {options().scripts.instead_of(ScriptOf::acquire, take_fenced()), keys, args},
                      std::move(late))
          .reply};
}

RedissonLock::Reader FencedLock::reader() const {
  return [](const redis::Reply& reply) -> Attempt {
    if (reply.kind != redis::Reply::Kind::array || reply.elements.size() != 2) return read(reply);
    const std::int64_t left = reply.elements[0].integer;
    const std::int64_t fence = reply.elements[1].integer;
    if (left == -1 && fence != -1) return {.outcome = Attempt::Outcome::granted, .fence = fence};
    return {.outcome = Attempt::Outcome::held, .left = std::chrono::milliseconds(left)};
  };
}

// ---------------------------------------------------------------- fair lock

std::string FairLock::channel(std::string_view key, const std::string& owner) const {
  return channel_of(key) + ":" + owner;
}

Duration FairLock::place_life(const Terms& terms) const {
  return terms.patience > Duration::zero() ? terms.patience : fair_.place_expires;
}

Commands::Synced FairLock::take(Client& self, const Taking& taking, redis::Late late) {
  const std::string lease = milliseconds(taking.lease);
  const std::string life = milliseconds(place_life(taking.terms));
  const std::string queue = queue_of(taking.key);
  const std::string places = places_of(taking.key);
  const std::string time = wall_milliseconds(self);
  const std::string_view keys[] = {taking.key, queue, places};
  const std::string_view args[] = {lease, taking.owner, life, time};
  const bool queues = taking.terms.patience != Duration::zero();
  const redis::Script& script =
      queues ? options().scripts.instead_of(ScriptOf::acquire, take_in_turn())
             : options().scripts.instead_of(ScriptOf::try_acquire, take_if_first());
  return commands().run_synced(self, {script, keys, args}, std::move(late));
}

void FairLock::still_waits(Client& self, const Taking& taking) {
  if (!fair_.refresh_place) return;
  const std::string places = places_of(taking.key);
  const std::string life = milliseconds(place_life(taking.terms));
  const std::string time = wall_milliseconds(self);
  const std::string_view keys[] = {places};
  const std::string_view args[] = {taking.owner, life, time};
  commands().run_freely(self, {keep_place(), keys, args}, Role::upkeep);
}

Commands::Synced FairLock::give_back(Client& self, std::string_view key, const std::string& owner,
                                     const std::string& latch) {
  const std::string lease = milliseconds(options().ttl);
  const std::string queue = queue_of(key);
  const std::string places = places_of(key);
  const std::string prefix = channel_of(key);
  const std::string time = wall_milliseconds(self);
  const std::string life = latch_life();
  const std::string_view keys[] = {key, queue, places, latch, prefix};
  const std::string_view args[] = {kFree, lease, owner, time, life};
  return commands().run_synced(
      self, {options().scripts.instead_of(ScriptOf::release, give_to_next()), keys, args});
}

redis::Reply FairLock::force_open(Client& self, std::string_view key, std::string_view holder) {
  const std::string queue = queue_of(key);
  const std::string places = places_of(key);
  const std::string prefix = channel_of(key);
  const std::string time = wall_milliseconds(self);
  const std::string_view keys[] = {key, queue, places, prefix};
  const std::string_view args[] = {kFree, time, holder};
  return commands().run_freely(self, {force_open_for_next(), keys, args}, Role::release);
}

void FairLock::gives_up(Client& self, const Taking& taking) {
  if (taking.terms.patience == Duration::zero()) return;
  const std::string queue = queue_of(taking.key);
  const std::string places = places_of(taking.key);
  const std::string life = milliseconds(place_life(taking.terms));
  const std::string_view keys[] = {queue, places};
  const std::string_view args[] = {taking.owner, life};
  commands().run_freely(self, {leave_queue(), keys, args}, Role::upkeep);
}

// ---------------------------------------------------------------- as data

namespace {

constexpr std::array kSpinScripts = {
    kTakeScript,
    ScriptUse{.of = ScriptOf::release,
              .keys = "the lock, the latch of this release",
              .arguments = "lease in ms, owner, life of the latch in ms",
              .answers = kGiveBackScript.answers,
              .script = give_back_silently},
    kExtendScript};

constexpr std::array kFencedScripts = {
    ScriptUse{.of = ScriptOf::acquire,
              .keys = "the lock, the counter of fencing tokens",
              .arguments = "lease in ms, owner",
              .answers = "{-1, fencing token}: granted; else {PTTL of the lock, -1}",
              .script = take_fenced},
    kGiveBackScript, kExtendScript};

constexpr std::string_view kQueueKeys = "the lock, the queue, the places in it";
constexpr std::string_view kQueueArguments =
    "lease in ms, owner, life of a place in ms, the client's wall clock in ms";

constexpr std::array kFairScripts = {
    ScriptUse{.of = ScriptOf::acquire,
              .keys = kQueueKeys,
              .arguments = kQueueArguments,
              .answers = "nil: granted; else for how many ms to wait for a message",
              .script = take_in_turn},
    ScriptUse{.of = ScriptOf::try_acquire,
              .keys = kQueueKeys,
              .arguments = kQueueArguments,
              .answers = "nil: granted; else refused",
              .script = take_if_first},
    ScriptUse{
        .of = ScriptOf::release,
        .keys = "the lock, the queue, the places in it, the latch of this release, the prefix "
                "of the waiters' channels",
        .arguments = "message, lease in ms, owner, the client's wall clock in ms, life of the "
                     "latch in ms",
        .answers = kGiveBackScript.answers,
        .script = give_to_next},
    kExtendScript};

void kin_as_fixed(LockOptions& options) {
  preset(options);
  options.of<FairOptions>().refresh_place = true;
  options.of<RedissonOptions>().wait_at_most = std::chrono::seconds(1);
  options.of<RedissonOptions>().wait_at_least = std::chrono::milliseconds(100);
  options.tell_loss = true;
}

OptionKeys fair_keys() {
  using namespace keys;
  return own_keys<FairOptions>({
      duration<FairOptions>("place_expires", Sign::positive, at<&FairOptions::place_expires>,
                            "how long a waiter keeps its place in the queue of a fair lock"),
      boolean<FairOptions>("refresh_place", at<&FairOptions::refresh_place>,
                           "whether a waiter in that queue renews its place"),
  });
}

Uses fenced_uses() {
  Uses mine = uses();
  mine.mint = true;
  return mine;
}

Duration fair_bound(const LockOptions& options) {
  return bound(options) + options.of<FairOptions>().place_expires;
}

Duration spin_wakeup(const LockOptions&) { return {}; }

// A waiter is not overtaken as long as its place does not expire. It can renew its place, but every
// grant takes that time away again. A grant that no replica has in time is undone, and its place in
// the queue is gone.
bool keeps_places(const LockOptions& options) {
  const auto& redisson = options.of<RedissonOptions>();
  const Duration most = redisson.wait_at_most;
  const Duration between = (most > Duration::zero() ? most : options.ttl) + options.command_timeout;
  const auto& fair = options.of<FairOptions>();
  return fair.refresh_place && between < fair.place_expires && !redisson.sync_replicas;
}

// One message wakes one waiter, unless the release is executed twice, or an operator releases the
// lock once more.
std::vector<Promise> fair_promises(const LockOptions& options) {
  std::vector<Promise> all = promises(options);
  if (keeps_places(options)) all.push_back({Property::fair_order, {}, kInPlace});
  all.push_back(
      {Property::bounded_wakeups, FaultClasses::all().without({FaultClass::lost_reply}), kNoForce});
  return all;
}

}  // namespace

const Algorithm& redisson_spin_lock() {
  static const Algorithm algorithm = [] {
    Algorithm spin = renamed(
        redisson_lock(), "redisson-spin-lock",
        "Redisson's re-entrant lock whose waiters poll, at growing intervals of up to 128 ms",
        "Redisson 4.7; docs/facts/algorithms.md 1.10");
    spin.roles = {Role::acquire, Role::release};
    // It waits and releases in its own way.
    spin.keys = joined({redisson_keys(), check_keys(), script_keys(kSpinScripts)});
    spin.scripts = {kSpinScripts.begin(), kSpinScripts.end()};
    spin.versions = versions();
    spin.wakeup = spin_wakeup;
    spin.make = make<SpinLock>;
    return spin;
  }();
  return algorithm;
}

const Algorithm& redisson_fenced_lock() {
  static const Algorithm algorithm = [] {
    Algorithm fenced = renamed(
        redisson_lock(), "redisson-fenced-lock",
        "Redisson's re-entrant lock whose every acquire mints a fencing token in the same script",
        "Redisson 4.7; docs/facts/algorithms.md 1.8");
    fenced.uses = fenced_uses();
    fenced.keys = joined(
        {redisson_keys(), check_keys(), channel_keys(), latch_keys(), script_keys(kFencedScripts)});
    fenced.scripts = {kFencedScripts.begin(), kFencedScripts.end()};
    fenced.versions = versions();
    fenced.make = make<FencedLock>;
    return fenced;
  }();
  return algorithm;
}

const Algorithm& redisson_fair_lock() {
  static const Algorithm algorithm = [] {
    Algorithm fair = renamed(redisson_lock(), "redisson-fair-lock",
                             "Redisson's re-entrant lock with a queue: first come, first served; a "
                             "channel for each waiter wakes it",
                             "Redisson 4.7; docs/facts/algorithms.md 1.9");
    fair.keys = joined(
        {redisson_keys(), check_keys(), channel_keys(), fair_keys(), script_keys(kFairScripts)});
    fair.scripts = {kFairScripts.begin(), kFairScripts.end()};
    fair.versions = versions();
    fair.promises = fair_promises;
    fair.bound = fair_bound;
    fair.overtakes = 0;
    fair.make = make<FairLock>;
    return fair;
  }();
  return algorithm;
}

const Algorithm& redisson_fair_lock_fixed() {
  static const Algorithm algorithm = [] {
    Algorithm fixed = renamed(
        redisson_fair_lock(), "redisson-fair-lock-fixed",
        "redisson-fair-lock whose waiters renew their places and check at least once a second",
        "docs/facts/failures.md D-06, D-07");
    fixed.preset = kin_as_fixed;
    return fixed;
  }();
  return algorithm;
}

}  // namespace picklock::models::locks::redisson
