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
// ---------------------------------------------------------------- votes

std::uint32_t QuorumLock::quorum(Client& self) const {
  const auto servers = static_cast<std::uint32_t>(redis::server_count(self));
  return own_.quorum > 0 ? own_.quorum : servers / 2 + 1;
}

// Enough servers have agreed or refused; a server that fails counts as a refusal (3.2).
bool QuorumLock::decided(const Count& count, std::uint32_t quorum) {
  return count.yes >= quorum || count.no + count.failed >= quorum;
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
      if (vote.of == Vote::Of::yes) ++count.yes;
      if (vote.of == Vote::Of::no) ++count.no;
      if (vote.of == Vote::Of::none) ++count.failed;
      count.granted[server] = vote.of == Vote::Of::yes;
      count.largest = std::max(count.largest, vote.number);
    }
    return count;
  };
  const bool hears_majority = own_.hears == Hears::majority;
  const auto enough = [&](const auto& answers) {
    return hears_majority && decided(counted(answers), needed);
  };
  if (own_.asks == Asks::in_turn) {
    std::vector<std::pair<std::size_t, Vote>> answers;
    for (std::size_t i = 0; i < servers && !enough(answers); ++i)
      answers.emplace_back(i, ask(redis::server(self, i)));
    return counted(answers);
  }
  Count count = counted(Together<Vote>::ask(
      self, servers, [ask](Client& thread, std::size_t i) { return ask(redis::server(thread, i)); },
      enough));
  // After a tie, a client that waits for a majority waits forever (3.2).
  if (hears_majority && !decided(count, needed))
    self.semaphore(Awaits::threads)->acquire(Semaphore::kForever);
  return count;
}

// ---------------------------------------------------------------- acquire

namespace {

// The allowance for clock drift.
Duration drift_of(Duration lease, const QuorumOptions& own) {
  return Duration(lease.count() / 1'000'000 * own.drift_ppm) + own.drift_extra;
}

}  // namespace

Duration QuorumLock::validity_ends(Duration started) const {
  return started + options().ttl - drift_of(options().ttl, own_);
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
  const Duration started = now(self, options().clock);
  Count count = ask_all(self, [wanted, requests = requests_](redis::Client& redis) {
    return requests.take(redis, wanted);
  });
  self.mark("answers-counted");
  const bool granted = count.yes >= quorum(self) && raises(self, wanted, count.largest);
  const Duration ends = validity_ends(started);
  const Duration read =
      own_.validity == Validity::after_answers ? now(self, options().clock) : started;
  const bool in_time = own_.validity == Validity::never || read < ends;
  if (!granted || !in_time) return {std::nullopt, std::move(count)};
  self.mark("elapsed-checked");
  Lease lease = wanted;
  lease.fence = count.largest;
  if (options().deadline) lease.deadline = ends;
  keep_extending(self, lease, ends);
  return {std::move(lease), std::move(count)};
}

// Without it, a grant by servers that have counted less has a smaller token than an earlier one.
bool QuorumLock::raises(Client& self, const Lease& wanted, std::int64_t number) const {
  if (number == 0 || own_.tokens == Tokens::largest) return true;
  Lease lease = wanted;
  lease.fence = number;
  const Count raised = ask_all(self, [lease, requests = requests_](redis::Client& redis) {
    return requests.raise(redis, lease);
  });
  return raised.yes >= quorum(self);
}

void QuorumLock::undo(Client& self, const Lease& lease, const Count& count) const {
  const bool everywhere = own_.undo_at == UndoAt::all;
  Together<Vote>::ask(self, redis::server_count(self),
                      [=, requests = requests_](Client& thread, std::size_t i) {
                        if (!everywhere && !count.granted[i]) return Vote{};
                        return requests.forget(redis::server(thread, i), lease);
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
    const Count count = ask_all(self, [lease, requests = requests_](redis::Client& redis) {
      return requests.prolong(redis, lease);
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
  for (std::uint32_t tries = 1;; ++tries) {
    const Count count = ask_all(self, [lease, requests = requests_](redis::Client& redis) {
      return requests.forget(redis, lease);
    });
    const Released outcome = released(count, quorum(self));
    if (outcome == Released::ok || own_.releases == Releases::once || tries == options().attempts)
      return outcome;
    self.sleep(retry_pause(self, options()));
  }
}

Released QuorumLock::released(const Count& count, std::uint32_t quorum) const {
  if (count.yes >= quorum) return Released::ok;
  const bool certain = count.no + quorum > count.servers;
  return certain ? Released::not_held : Released::unknown;
}

Released QuorumLock::force_release(Client& self, std::string_view key, bool conditional) {
  const std::string name(key);
  const Count count =
      ask_all(self, [name, conditional, requests = requests_](redis::Client& redis) -> Vote {
        if (!conditional) {
          const redis::Reply reply = redis.del(name, Role::release);
          if (!reply.answered()) return {};
          return {reply.is_integer(1) ? Vote::Of::yes : Vote::Of::no};
        }
        const redis::Reply holder = redis.get(name, Role::check);
        if (!holder.answered() || holder.is_error()) return {};
        if (holder.is_nil()) return {Vote::Of::no};
        return requests.forget(redis, {.key = name, .token = holder.text});
      });
  return released(count, quorum(self));
}

// ---------------------------------------------------------------- as data

namespace {

std::uint32_t majority(std::uint32_t servers, const LockOptions& options) {
  const std::uint32_t quorum = options.of<QuorumOptions>().quorum;
  return quorum > 0 ? quorum : servers / 2 + 1;
}

// All attempts of one acquire have the same value, so the undoing of a failed attempt removes the
// key of the next one if it comes late, or a second time (docs/facts/failures.md, F2b and F8).
bool may_undo_a_later_attempt(const LockOptions& options) {
  return options.attempts != 1 && options.of<QuorumOptions>().undo_after == UndoAfter::each_attempt;
}

// Clients that ask at once may share the servers among them so that none has enough. The next
// attempts do the same, unless chance spreads them; and a client must live to see them.
bool outlasts_split_votes(const LockOptions& options) {
  constexpr std::uint32_t kSplits = 10;
  const Duration splits = kSplits * (options.retry_every + options.retry_jitter);
  return options.retry_jitter > Duration::zero() &&
         (options.attempts == 0 || options.attempts >= kSplits) &&
         (options.acquire_timeout == Duration::zero() || options.acquire_timeout >= splits);
}

std::vector<Promise> quorum_promises(const LockOptions& options) {
  using enum FaultClass;
  FaultClasses under = {crash};
  if (options.clock == ClientClock::monotonic) under.add(client_clock);
  if (!may_undo_a_later_attempt(options)) {
    under.add(lost_reply);
    if (options.of<QuorumOptions>().validity == Validity::after_answers) under.add(late_command);
  }
  // An extension that only got no answer releases the lock before its holder learns of it.
  const bool undoes = options.renew != Renew::none &&
                      options.of<QuorumOptions>().extends == Extends::as_acquired &&
                      options.of<QuorumOptions>().undo_after == UndoAfter::each_attempt;
  if (undoes) under = under.without({crash, lost_reply, late_command});
  std::vector<Promise> all = {
      {Property::mutual_exclusion, under, kWithinLease},
      {Property::resource_exclusion, under.without({lost_reply}), kWithinLease},
      {Property::no_stale_write, under.without({lost_reply}), kWithinLease},
      {Property::own_release, FaultClasses::all(), kOwnToken},
      {Property::not_stuck, while_leases_end(options), kOwnCommands},
      {Property::no_deadlock, FaultClasses::all(), kOneLock},
  };
  if (outlasts_split_votes(options)) all.push_back(progress());
  return all;
}

// A grant that is learned later has no time left.
Duration within_validity(const LockOptions& options) {
  const auto& own = options.of<QuorumOptions>();
  return options.ttl - drift_of(options.ttl, own);
}

Duration quorum_bound(const LockOptions& options) {
  const bool raises =
      options.mint == Mint::in_script && options.of<QuorumOptions>().tokens == Tokens::raised;
  return lease_and_one_attempt(options) + (raises ? 3 : 2) * options.command_timeout;
}

Uses quorum_uses() { return {.mint = true, .servers = true, .force = true}; }

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
  own.releases = Releases::as_acquired;
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
          .scripts = {quorum_scripts().begin(), quorum_scripts().end()},
          .promises = quorum_promises,
          .bound = quorum_bound,
          .round_trip = within_validity,
          .quorum = majority,
          .preset = preset,
          .make = make<QuorumLock>};
}

}  // namespace

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
