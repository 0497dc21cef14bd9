#include "models/locks/quorum_lock.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "keys/key_kinds.h"
#include "models/locks/local_time.h"
#include "models/locks/promises.h"
#include "models/locks/renewal.h"
#include "models/locks/together.h"

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

redis::Reply run(redis::Client& redis, Speaks how, Role role, const redis::Script& script,
                 std::initializer_list<std::string_view> keys,
                 std::initializer_list<std::string_view> args) {
  if (how != Speaks::script_names) return redis.eval(script, keys, args, role);
  const redis::Reply reply = redis.evalsha(script, keys, args, role);
  return reply.is_unknown_script() ? redis.eval(script, keys, args, role) : reply;
}

}  // namespace

// ---------------------------------------------------------------- votes

std::uint32_t QuorumLock::quorum(Client& self) const {
  const auto servers = static_cast<std::uint32_t>(redis::server_count(self));
  return own_.quorum > 0 ? own_.quorum : servers / 2 + 1;
}

// Enough servers have agreed or refused; a server that fails counts as a refusal (3.2).
bool QuorumLock::decided(const Count& count, std::uint32_t quorum) const {
  return own_.hears == Hears::majority &&
         (count.yes >= quorum || count.no + count.failed >= quorum);
}

template <typename Ask>
QuorumLock::Count QuorumLock::ask_all(Client& self, Ask ask) const {
  const std::size_t servers = redis::server_count(self);
  const std::uint32_t needed = quorum(self);
  const auto counted = [servers](const auto& answers) {
    Count count;
    count.servers = static_cast<std::uint32_t>(servers);
    count.granted.assign(servers, false);
    for (const auto& [server, vote] : answers) {
      if (vote == Vote::yes) ++count.yes;
      if (vote == Vote::no) ++count.no;
      if (vote == Vote::none) ++count.failed;
      count.granted[server] = vote == Vote::yes;
    }
    return count;
  };
  if (own_.asks == Asks::in_turn) {
    std::vector<std::pair<std::size_t, Vote>> answers;
    for (std::size_t i = 0; i < servers && !decided(counted(answers), needed); ++i)
      answers.emplace_back(i, ask(redis::server(self, i)));
    return counted(answers);
  }
  Count count = counted(Together<Vote>::ask(
      self, servers, [ask](Client& thread, std::size_t i) { return ask(redis::server(thread, i)); },
      [&](const auto& answers) { return decided(counted(answers), needed); }));
  // After a tie, a client that waits for a majority waits forever (3.2).
  if (own_.hears == Hears::majority && !decided(count, needed))
    self.semaphore(Awaits::threads)->acquire(Semaphore::kForever);
  return count;
}

// ---------------------------------------------------------------- requests to one server

QuorumLock::Vote QuorumLock::set(redis::Client& redis, const Lease& lease, Speaks how) {
  const redis::Reply reply =
      how == Speaks::set
          ? redis.set(lease.key, lease.token, {.nx = true, .px = lease.ttl}, Role::acquire)
          : run(redis, how, Role::acquire, set_if_absent(), {lease.key},
                {lease.token, milliseconds(lease.ttl)});
  if (!reply.answered()) return Vote::none;
  return reply.ok() || reply.is_integer(1) ? Vote::yes : Vote::no;
}

QuorumLock::Vote QuorumLock::forget(redis::Client& redis, const Lease& lease, Speaks how) {
  const redis::Reply reply =
      run(redis, how, Role::release, quorum_delete_if_mine(), {lease.key}, {lease.token});
  if (!reply.answered() || reply.is_error()) return Vote::none;
  return reply.is_integer(1) ? Vote::yes : Vote::no;
}

QuorumLock::Vote QuorumLock::prolong(redis::Client& redis, const Lease& lease, Speaks how,
                                     bool missing) {
  const redis::Script& script = missing              ? extend_or_set()
                                : how == Speaks::set ? compare_and_extend()
                                                     : set_again_if_mine();
  const redis::Reply reply =
      run(redis, how, Role::renew, script, {lease.key}, {lease.token, milliseconds(lease.ttl)});
  if (!reply.answered() || reply.is_error()) return Vote::none;
  return reply.is_integer(1) ? Vote::yes : Vote::no;
}

// ---------------------------------------------------------------- acquire

// Subtracts the allowance for clock drift.
Duration QuorumLock::validity_ends(Duration started) const {
  const Duration drift =
      Duration(options().ttl.count() / 1'000'000 * own_.drift_ppm) + own_.drift_extra;
  return started + options().ttl - drift;
}

Acquired QuorumLock::try_acquire(Client& self, std::string_view key) {
  const Lease wanted{.key = std::string(key), .token = self.fresh_token(), .ttl = options().ttl};
  Attempt only = attempt(self, wanted);
  if (!only.acquired) undo(self, wanted, only.count);
  return std::move(only.acquired);
}

// All attempts of one acquire have the same value: a key that one attempt has left behind may block
// the next.
Acquired QuorumLock::acquire(Client& self, std::string_view key) {
  const Lease wanted{.key = std::string(key), .token = self.fresh_token(), .ttl = options().ttl};
  const Patience patience = patience_of(self, options());
  for (std::uint32_t tries = 1;; ++tries) {
    const Duration pause = retry_pause(self, options());
    Attempt one = attempt(self, wanted);
    if (one.acquired) return std::move(one.acquired);
    const bool last =
        tries == options().attempts || (!patience.endless() && patience.left() < pause);
    const bool undone = last || own_.undo_after == UndoAfter::each_attempt;
    if (undone) undo(self, wanted, one.count);
    if (last) return std::nullopt;
    if (self.sleep_interruptibly(pause)) continue;
    if (!undone) undo(self, wanted, one.count);
    return std::nullopt;
  }
}

QuorumLock::Attempt QuorumLock::attempt(Client& self, const Lease& wanted) {
  const Speaks how = own_.speaks;
  const Duration started = now(self, options().clock);
  Count count =
      ask_all(self, [wanted, how](redis::Client& redis) { return set(redis, wanted, how); });
  self.mark("answers-counted");
  const Duration ends = validity_ends(started);
  const Duration read =
      own_.validity == Validity::after_answers ? now(self, options().clock) : started;
  const bool in_time = own_.validity == Validity::never || read < ends;
  if (count.yes < quorum(self) || !in_time) return {std::nullopt, std::move(count)};
  self.mark("elapsed-checked");
  Lease lease = wanted;
  if (options().deadline) lease.deadline = ends;
  keep_extending(self, lease, ends);
  return {std::move(lease), std::move(count)};
}

void QuorumLock::undo(Client& self, const Lease& lease, const Count& count) const {
  const bool everywhere = own_.undo_at == UndoAt::all;
  const Speaks how = own_.speaks;
  Together<Vote>::ask(self, redis::server_count(self), [=](Client& thread, std::size_t i) {
    if (!everywhere && !count.granted[i]) return Vote::none;
    return forget(redis::server(thread, i), lease, how);
  });
}

// ---------------------------------------------------------------- extension

void QuorumLock::keep_extending(Client& self, const Lease& lease, Duration ends) {
  if (options().renew == Renew::none) return;
  const auto extending = std::make_shared<Extending>(Extending{.lease = lease, .ends = ends});
  extending_.push_back(extending);
  self.spawn([this, extending](Client& thread) { extend(thread, *extending); });
}

// The lock is lost if no majority extends it in time. If failed attempts are undone, an extension
// is tried as often as an acquire: servers that received neither may still have the key.
void QuorumLock::extend(Client& self, Extending& extending) const {
  const Duration every = renewal_interval(options());
  const Speaks how = own_.speaks;
  const bool missing = own_.extend_missing;
  const Lease lease = extending.lease;
  Duration ends = extending.ends;
  const bool as_acquired = own_.extends == Extends::as_acquired;
  const bool undoes = as_acquired && own_.undo_after == UndoAfter::each_attempt;
  std::uint32_t undoings = 0;  // since the last extension
  for (bool over = false; !over;) {
    self.sleep(undoings > 0 ? retry_pause(self, options()) : every);
    if (extending.stopped) return;
    const Duration started = now(self, options().clock);
    if (as_acquired && undoings == 0 && started >= ends) break;
    const Count count = ask_all(self, [lease, how, missing](redis::Client& redis) {
      return prolong(redis, lease, how, missing);
    });
    if (extending.stopped) return;
    const Duration extended = validity_ends(started);
    if (count.yes >= quorum(self) && now(self, options().clock) < extended) {
      ends = extended;
      undoings = 0;
      if (options().deadline) self.witness().believe_until(lease, ends);
      continue;
    }
    if (undoes) {
      undo(self, lease, count);
      if (extending.stopped) return;
      over = ++undoings == options().attempts;
    } else {
      over = now(self, options().clock) >= ends || count.no + quorum(self) > count.servers;
    }
  }
  if (options().tell_loss) self.witness().record_loss(lease);
}

// ---------------------------------------------------------------- release

Released QuorumLock::release(Client& self, const Lease& lease) {
  for (const auto& one : extending_) one->stopped = one->stopped || one->lease.token == lease.token;
  std::erase_if(extending_, [](const auto& one) { return one->stopped; });
  const Speaks how = own_.speaks;
  const Count count =
      ask_all(self, [lease, how](redis::Client& redis) { return forget(redis, lease, how); });
  return released(count, quorum(self));
}

Released QuorumLock::released(const Count& count, std::uint32_t quorum) const {
  if (count.yes >= quorum) return Released::ok;
  const bool certain = count.no + quorum > count.servers;
  return certain ? Released::not_held : Released::unknown;
}

Released QuorumLock::force_release(Client& self, std::string_view key, bool conditional) {
  const std::string name(key);
  const Speaks how = own_.speaks;
  const Count count = ask_all(self, [name, how, conditional](redis::Client& redis) {
    if (!conditional) {
      const redis::Reply reply = redis.del(name, Role::release);
      return reply.is_integer(1) ? Vote::yes : reply.answered() ? Vote::no : Vote::none;
    }
    const redis::Reply holder = redis.get(name, Role::check);
    if (!holder.answered() || holder.is_error()) return Vote::none;
    if (holder.is_nil()) return Vote::no;
    return forget(redis, {.key = name, .token = holder.text}, how);
  });
  return released(count, quorum(self));
}

// ---------------------------------------------------------------- as data

namespace {

std::uint32_t majority(std::uint32_t servers, const LockOptions& options) {
  const std::uint32_t quorum = options.of<QuorumOptions>().quorum;
  return quorum > 0 ? quorum : servers / 2 + 1;
}

std::vector<Promise> quorum_promises(const LockOptions& options) {
  using enum FaultClass;
  FaultClasses under = {crash, lost_reply};
  if (options.clock == ClientClock::monotonic) under.add(client_clock);
  if (options.of<QuorumOptions>().validity == Validity::after_answers) under.add(late_command);
  // An extension that only got no answer releases the lock before its holder learns of it.
  const bool undoes = options.renew != Renew::none &&
                      options.of<QuorumOptions>().extends == Extends::as_acquired &&
                      options.of<QuorumOptions>().undo_after == UndoAfter::each_attempt;
  if (undoes) under = under.without({crash, lost_reply, late_command});
  return {
      {Property::mutual_exclusion, under, kWithinLease},
      {Property::resource_exclusion, under.without({lost_reply}), kWithinLease},
      {Property::no_stale_write, under.without({lost_reply}), kWithinLease},
      {Property::own_release, FaultClasses::all(), kOwnToken},
      {Property::not_stuck, while_leases_end(options), kOwnCommands},
      {Property::no_deadlock, FaultClasses::all(), kOneLock},
      progress(),
  };
}

Duration quorum_bound(const LockOptions& options) {
  return lease_and_one_attempt(options) + 2 * options.command_timeout;
}

Uses quorum_uses() { return {.servers = true, .force = true}; }

OptionKeys quorum_keys() {
  using namespace keys;
  return joined(
      {redis_client_keys(), lease_keys(), polling_keys(), renewal_keys(), renewal_pace_keys(),
       loss_keys(), local_mutex_keys(), validity_keys(),
       own_keys<QuorumOptions>({
           integer<QuorumOptions>(
               "quorum", 0, 1000, at<&QuorumOptions::quorum>,
               "how many servers make a grant; 0: more than half or all of them, as the lock "
               "defines "
               "it"),
           integer<QuorumOptions>("drift_ppm", 0, 1'000'000, at<&QuorumOptions::drift_ppm>,
                                  "millionths of the lease that are subtracted from its validity"),
           duration<QuorumOptions>("drift_extra", Sign::not_negative,
                                   at<&QuorumOptions::drift_extra>,
                                   "time that is subtracted as well"),
           word<QuorumOptions>(
               "asks", {"together", "in-turn"}, at<&QuorumOptions::asks>,
               "whether a client sends to several servers at once or to one after the other"),
           word<QuorumOptions>(
               "hears", {"all", "majority"}, at<&QuorumOptions::hears>,
               "whether it waits for all replies or only for as many as decide the outcome"),
           word<QuorumOptions>(
               "speaks", {"set", "scripts", "script-names"}, at<&QuorumOptions::speaks>,
               "how a lock on several servers takes its key: by SET, by a script in full (EVAL), "
               "or by "
               "the SHA-1 of a script (EVALSHA)"),
           word<QuorumOptions>(
               "undo_at", {"all", "granted"}, at<&QuorumOptions::undo_at>,
               "which servers are told to undo a failed attempt: all, or those that granted it"),
           word<QuorumOptions>(
               "undo_after", {"each-attempt", "last-attempt"}, at<&QuorumOptions::undo_after>,
               "after which failed attempts they are told: each one, or only the last"),
           word<QuorumOptions>(
               "extends", {"by-asking", "as-acquired"}, at<&QuorumOptions::extends>,
               "how a lock on several servers is extended: whatever the clock says; or like one "
               "more "
               "acquire, that is, only within the lease, and undone if it fails"),
           boolean<QuorumOptions>("extend_missing", at<&QuorumOptions::extend_missing>,
                                  "whether a renewal sets a key again that is gone"),
       })});
}

void as_specified(LockOptions& options) {
  options.command_timeout = std::chrono::milliseconds(50);
  options.retry_every = std::chrono::milliseconds(100);
  options.retry_jitter = std::chrono::milliseconds(200);
}

void as_node_v4(LockOptions& options) {
  options.retry_every = std::chrono::milliseconds(100);
  options.retry_jitter = std::chrono::milliseconds(200);
  options.attempts = 11;
  options.clock = ClientClock::wall;
  auto& own = options.of<QuorumOptions>();
  own.speaks = Speaks::script_names;
  own.extends = Extends::as_acquired;
}

void as_node_v5(LockOptions& options) {
  as_node_v4(options);
  auto& own = options.of<QuorumOptions>();
  own.hears = Hears::majority;
  own.validity = Validity::never;
  own.undo_after = UndoAfter::last_attempt;
}

void as_redsync(LockOptions& options) {
  options.ttl = std::chrono::seconds(8);
  options.retry_every = std::chrono::milliseconds(50);
  options.retry_jitter = std::chrono::milliseconds(200);
  options.attempts = 32;
  options.command_timeout = std::chrono::milliseconds(400);
  options.of<QuorumOptions>().drift_extra = {};
}

Algorithm variant(std::string_view name, std::string_view summary, std::string_view source,
                  void (*preset)(LockOptions&)) {
  return {.name = name,
          .summary = summary,
          .source = source,
          .roles = {Role::acquire, Role::release},
          .marks = {"answers-counted", "elapsed-checked"},
          .uses = quorum_uses(),
          .keys = quorum_keys(),
          .promises = quorum_promises,
          .bound = quorum_bound,
          .quorum = majority,
          .preset = preset,
          .make = make<QuorumLock>};
}

}  // namespace

OptionKeys validity_keys() {
  using namespace keys;
  return own_keys<QuorumOptions>({
      word<QuorumOptions>(
          "validity", {"after-answers", "before-answers", "never"}, at<&QuorumOptions::validity>,
          "when a client reads its clock to see whether enough of the lease is left"),
  });
}

const Algorithm& redlock() {
  static const Algorithm algorithm =
      variant("redlock",
              "the same key and random value on a majority of several independent servers, set "
              "within the lease",
              "redis.io, Distributed Locks with Redis; docs/facts/algorithms.md 3", as_specified);
  return algorithm;
}

const Algorithm& node_redlock_v4() {
  static const Algorithm algorithm =
      variant("node-redlock-v4",
              "Redlock as in npm's redlock 4.2: scripts, waits for all answers, checks the lease "
              "on the wall clock",
              "node-redlock 4.2.0; docs/facts/algorithms.md 3.1", as_node_v4);
  return algorithm;
}

const Algorithm& node_redlock_v5() {
  static const Algorithm algorithm =
      variant("node-redlock-v5",
              "Redlock as in npm's redlock 5: waits only for the answers that decide, does not "
              "check the rest of the lease, undoes failed attempts after the last one",
              "node-redlock main after 5.0.0-beta.2; docs/facts/algorithms.md 3.2", as_node_v5);
  return algorithm;
}

const Algorithm& redsync() {
  static const Algorithm algorithm =
      variant("redsync",
              "Redlock as in Go's redsync: SET NX, all answers within a twentieth of the lease, "
              "monotonic time",
              "redsync 4.17; docs/facts/algorithms.md 3.3", as_redsync);
  return algorithm;
}

}  // namespace picklock::models::locks
