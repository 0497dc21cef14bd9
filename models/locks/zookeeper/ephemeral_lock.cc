#include "models/locks/zookeeper/ephemeral_lock.h"

#include "keys/key_kinds.h"
#include "models/locks/promises.h"
#include "models/locks/zookeeper/coordinator.h"
#include "models/locks/zookeeper/promises.h"

namespace picklock::models::locks::zookeeper {

Acquired EphemeralLock::acquire(Client& self, std::string_view key) {
  const Patience patience = patience_of(self, options());
  Attempt attempt{.path = picklock::zookeeper::lock_path(key), .token = self.fresh_token()};
  Acquired acquired = acquire(self, attempt, patience);
  if (!acquired) sign_off(self, attempt.path, attempt.token);
  return acquired;
}

Acquired EphemeralLock::acquire(Client& self, Attempt& attempt, const Patience& patience) {
  for (;;) {
    const Outcome outcome = ask(self, attempt);
    if (outcome == Outcome::granted) return granted(self, attempt);
    bool interrupted = false;
    if (outcome == Outcome::no_answer) {
      interrupted = !self.sleep_interruptibly(patience.at_most(options().retry_every));
    } else {
      const Bell bell(self);
      const Answer seen = ensemble(self).exists(attempt.path, bell.watch(), Role::watch);
      // The znode has vanished since it was found: a client that waited for its deletion now would
      // sleep although the lock is free (docs/facts/failures.md A-30).
      const bool gone = seen.code == Code::no_node;
      if ((gone && own_.retry_missing) || (!gone && !seen.ok())) continue;
      interrupted =
          bell.wait(patience.at_most(Semaphore::kForever)) == Semaphore::Woken::by_interrupt;
    }
    if (!interrupted && !patience.over()) continue;
    if (attempt.doubt) return Acquired::unknown();
    return std::nullopt;
  }
}

Acquired EphemeralLock::try_acquire(Client& self, std::string_view key) {
  Attempt attempt{.path = picklock::zookeeper::lock_path(key), .token = self.fresh_token()};
  if (ask(self, attempt) == Outcome::granted) return granted(self, attempt);
  sign_off(self, attempt.path, attempt.token);
  if (attempt.doubt) return Acquired::unknown();
  return std::nullopt;
}

std::string EphemeralLock::owner(Client& self, const Attempt& attempt) const {
  if (own_.owner_data == OwnerData::session) return std::to_string(ensemble(self).session());
  if (own_.owner_data == OwnerData::machine) return std::string(self.name());
  return attempt.token;
}

EphemeralLock::Outcome EphemeralLock::ask(Client& self, Attempt& attempt) {
  if (coordinated() && !sign_on(self, attempt)) return Outcome::no_answer;
  const Answer made =
      ensemble(self).create(attempt.path, owner(self, attempt),
                            coordinated() ? CreateMode::persistent : CreateMode::ephemeral);
  if (made.unknown()) {
    attempt.doubt = true;
    return Outcome::no_answer;
  }
  if (made.code == Code::session_expired) {
    attempt.doubt = false;
    return Outcome::no_answer;
  }
  const RecogniseOwn own = options().recognise_own;
  const bool looks =
      own == RecogniseOwn::always || (own == RecogniseOwn::after_unknown && attempt.doubt);
  if (!made.ok()) return looks ? look_whose(self, attempt) : Outcome::refused;
  attempt.lease.fence = made.zxid;
  return Outcome::granted;
}

// Without its own znode a client would hold a lock that the coordinator frees at once. Under the
// token of an ended session it might meet the lock znode that it had made in that session.
bool EphemeralLock::sign_on(Client& self, Attempt& attempt) {
  if (attempt.session != 0 && attempt.session == ensemble(self).session()) return true;
  if (attempt.session != 0) attempt.token = self.fresh_token();
  attempt.session = 0;
  attempt.doubt = false;
  const std::string mine = holder_path(attempt.path, attempt.token);
  ensemble(self).create(mine, "", CreateMode::ephemeral, Role::upkeep);
  // Only the znode shows which session it belongs to.
  const Answer there = ensemble(self).exists(mine, {}, Role::upkeep);
  if (!there.ok() || there.stat.ephemeral_owner != ensemble(self).session()) return false;
  attempt.session = there.stat.ephemeral_owner;
  return true;
}

// Nobody waits for it: a znode that stays vanishes with the session.
void EphemeralLock::sign_off(Client& self, std::string_view path, std::string_view token) {
  if (!coordinated()) return;
  self.spawn([mine = holder_path(path, token)](Client& thread) {
    ensemble(thread).remove(mine, Role::upkeep);
  });
}

EphemeralLock::Outcome EphemeralLock::look_whose(Client& self, Attempt& attempt) {
  const Answer there = ensemble(self).get_data(attempt.path, {}, Role::check);
  // A client that cannot look may hold the lock: it would watch its own znode forever.
  if (there.unknown()) return Outcome::no_answer;
  if (!there.ok() || there.data != owner(self, attempt)) return Outcome::refused;
  attempt.lease.fence = there.stat.czxid;
  return Outcome::granted;
}

Acquired EphemeralLock::granted(Client& self, const Attempt& attempt) {
  Lease lease{.key = attempt.path,
              .token = attempt.token,
              .ttl = ensemble(self).session_timeout(),
              .fence = options().mint == Mint::in_script ? attempt.lease.fence : 0};
  session_ = coordinated() ? attempt.session : ensemble(self).session();
  data_ = owner(self, attempt);
  guards_.start(self, lease, session_options_.stops_at);
  return lease;
}

// Nothing of an earlier session is left: a znode of that name is another client's now.
Released EphemeralLock::release(Client& self, const Lease& lease) {
  guards_.stop(self, lease);
  const Answer gone = insist(self, options(), [&] {
    if (ensemble(self).session() != session_) return Answer{.code = Code::no_node};
    return ensemble(self).remove(lease.key);
  });
  sign_off(self, lease.key, lease.token);
  if (gone.unknown()) return Released::unknown;
  return gone.ok() ? Released::ok : Released::not_held;
}

Held EphemeralLock::check_held(Client& self, const Lease& lease) {
  const Answer there = ensemble(self).get_data(lease.key, {}, Role::check);
  if (there.unknown()) return Held::unknown;
  return there.data == data_ ? Held::yes : Held::no;
}

namespace {

bool recognises_by_data(const LockOptions& options) {
  return options.recognise_own != RecogniseOwn::never &&
         options.of<EphemeralOptions>().freed_by == FreedBy::session;
}

OptionKeys owner_keys() {
  using namespace keys;
  const OptionKeys own = own_keys<EphemeralOptions>({
      word<EphemeralOptions>(
          "owner_data", {"token", "session", "machine"}, at<&EphemeralOptions::owner_data>,
          "what the lock's znode says about its owner: a token of the acquisition, the number of "
          "the session, or the name of the machine, which outlives both"),
  });
  return {needing(own.front(),
                  {.other = "recognise_own",
                   .met = recognises_by_data,
                   .else_what = "while `recognise_own` is \"never\", or with a coordinator"})};
}

OptionKeys ephemeral_keys() {
  using namespace keys;
  return own_keys<EphemeralOptions>({
      word<EphemeralOptions>(
          "freed_by", {"session", "coordinator"}, at<&EphemeralOptions::freed_by>,
          "who frees the lock of a holder that is gone: the ensemble, when the session ends; or "
          "the process `coordinator`, which sees the session end"),
      boolean<EphemeralOptions>(
          "retry_missing", at<&EphemeralOptions::retry_missing>,
          "whether a client that finds nothing left to watch tries again at once"),
  });
}

constexpr std::string_view kNoSequence = "with a lock whose clients create no sequential znode";

}  // namespace

const Algorithm& zk_ephemeral() {
  static const Algorithm algorithm{
      .name = "zk-ephemeral",
      .summary = "the client that creates the ephemeral znode holds the lock; all others watch it",
      .source = "docs/facts/algorithms.md 6.1, docs/facts/failures.md A-20 and A-30",
      .roles = {Role::acquire, Role::watch, Role::release, Role::renew},
      .marks = {},
      .uses = {.check = true, .mint = true, .server = picklock::zookeeper::kServer},
      .keys = joined({resending_session_keys(), own_token_keys(), ephemeral_keys(), owner_keys()}),
      .unused = {{"first_sequence", kNoSequence}, {"sequence_wraps", kNoSequence}},
      .promises = on_one_znode,
      .bound = session_and_one_attempt,
      .wakeup = wakes_at_once,
      .make = make<EphemeralLock>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks::zookeeper
