#include "models/locks/lease_store_lock.h"

#include <algorithm>

#include "keys/key_kinds.h"
#include "models/locks/local_time.h"
#include "models/locks/promises.h"
#include "picklock/lease_store.h"

namespace picklock::models::locks {

using lease_store::Status;

namespace {

lease_store::Client& store(Client& self) { return self.connection<lease_store::Client>(); }

}  // namespace

Acquired LeaseStoreLock::acquire(Client& self, std::string_view key) {
  const Patience patience = patience_of(self, options());
  std::shared_ptr<Session> session;
  for (;;) {
    const Outcome outcome = ask(self, key, session);
    if (outcome == Outcome::granted) return granted(session);
    const Duration wait = retry_pause(self, options());
    if (!patience.endless() && patience.left() < wait) return give_up(self, session);
    if (!await(self, key, outcome, wait)) return give_up(self, session);
  }
}

// A store that is down fails at once; that must not become a busy loop.
bool LeaseStoreLock::await(Client& self, std::string_view key, Outcome outcome, Duration wait) {
  const Status watched =
      outcome == Outcome::refused ? store(self).watch(key, wait) : Status::unknown;
  if (watched == Status::unknown) return self.sleep_interruptibly(wait);
  return watched != Status::interrupted;
}

Acquired LeaseStoreLock::try_acquire(Client& self, std::string_view key) {
  std::shared_ptr<Session> session;
  if (ask(self, key, session) == Outcome::granted) return granted(session);
  return give_up(self, session);
}

LeaseStoreLock::Outcome LeaseStoreLock::ask(Client& self, std::string_view key,
                                            std::shared_ptr<Session>& session) {
  if (session == nullptr || session->gone) session = open(self);
  if (session == nullptr) return Outcome::no_answer;
  const lease_store::Granted answer = store(self).acquire(key, session->id);
  switch (answer.status) {
    case Status::done:
      // The session was over before the answer to the grant came.
      if (session->gone) return Outcome::refused;
      session->holds = true;
      session->lease = {.key = std::string(key),
                        .token = session->id,
                        .ttl = options().ttl,
                        .fence = options().mint == Mint::in_script ? answer.revision : 0};
      return Outcome::granted;
    case Status::gone:
      session->gone = true;
      return Outcome::refused;
    case Status::refused:
      return Outcome::refused;
    case Status::unknown:
    case Status::interrupted:
      session->doubt = true;
      break;
  }
  return Outcome::no_answer;
}

std::shared_ptr<LeaseStoreLock::Session> LeaseStoreLock::open(Client& self) const {
  lease_store::Opened opened =
      store(self).open(options().ttl, options().of<LeaseStoreOptions>().lock_delay);
  if (opened.status != Status::done) return nullptr;
  auto session = std::make_shared<Session>();
  session->id = std::move(opened.session);
  const Duration every =
      options().renew_every > Duration::zero() ? options().renew_every : options().ttl / 3;
  self.spawn([session, every](Client& thread) { keep_alive(thread, *session, every); });
  return session;
}

void LeaseStoreLock::keep_alive(Client& self, Session& session, Duration every) {
  for (;;) {
    self.sleep(every);
    if (session.over || session.gone) return;
    if (store(self).keep_alive(session.id) != Status::gone) continue;
    if (session.over || session.gone) return;
    session.gone = true;
    if (session.holds) self.witness().record_loss(session.lease);
    return;
  }
}

Acquired LeaseStoreLock::granted(const std::shared_ptr<Session>& session) {
  holding_.push_back(session);
  return session->lease;
}

// A closed session holds nothing, and its pending requests come too late.
Acquired LeaseStoreLock::give_up(Client& self, const std::shared_ptr<Session>& session) {
  if (session == nullptr) return std::nullopt;
  session->over = true;
  if (session->gone) return std::nullopt;
  const Status closed = store(self).close(session->id);
  if (closed == Status::unknown && session->doubt) return Acquired::unknown();
  return std::nullopt;
}

// Without an answer the session is left to expire.
Released LeaseStoreLock::release(Client& self, const Lease& lease) {
  const auto found = std::find_if(
      holding_.begin(), holding_.end(),
      [&lease](const std::shared_ptr<Session>& one) { return one->id == lease.token; });
  if (found == holding_.end()) return Released::not_held;
  const std::shared_ptr<Session> session = *found;
  holding_.erase(found);
  session->over = true;
  if (session->gone) return Released::not_held;
  const Status released = store(self).release(lease.key, session->id);
  if (released == Status::unknown) return Released::unknown;
  if (released == Status::gone) return Released::not_held;
  store(self).close(session->id);
  return released == Status::done ? Released::ok : Released::not_held;
}

namespace {

constexpr std::string_view kWithinSession =
    "every critical section ends while its session lives, according to the store";
constexpr std::string_view kWithinDelay =
    "every critical section ends while its session lives, according to the store, and every write "
    "arrives before its client gives up on it or, if the client has crashed, within the lock-delay";

// A fault that keeps a client from its keep-alives may end its session while it holds the lock.
constexpr FaultClasses kSessionLives = {FaultClass::client_clock, FaultClass::crash};

// If the resource compares the revisions, it is safe under all faults; and a lock-delay outlasts
// the late write of a dead client.
Promise no_stale_write(const LockOptions& options) {
  if (options.mint == Mint::in_script) return {Property::no_stale_write, FaultClasses::all(), ""};
  FaultClasses under = kSessionLives;
  if (options.of<LeaseStoreOptions>().lock_delay == Duration::zero())
    return {Property::no_stale_write, under, kWithinSession};
  under.add(FaultClass::late_write);
  return {Property::no_stale_write, under, kWithinDelay};
}

std::vector<Promise> promises(const LockOptions& options) {
  const bool fenced = options.mint == Mint::in_script;
  return {
      {Property::mutual_exclusion, kSessionLives, kWithinSession},
      {Property::resource_exclusion, fenced ? FaultClasses::all() : kSessionLives,
       fenced ? "" : kWithinSession},
      no_stale_write(options),
      {Property::own_release, FaultClasses::all(), ""},
      // The thread that keeps the session alive may outlive its holder.
      {Property::not_stuck, FaultClasses::all().without({FaultClass::crash}), ""},
      {Property::no_deadlock, FaultClasses::all(), kOneLock},
      progress(),
      // A store that is overloaded may have a free key and still answer too late.
      {Property::available,
       while_patient(options, FaultClasses::all().without({FaultClass::pause})), kFreeKey},
  };
}

// The session of a crashed holder ends, its lock-delay passes, and the watch of a waiter is
// answered or given up.
Duration session_delay_and_one_attempt(const LockOptions& options) {
  return options.ttl + options.of<LeaseStoreOptions>().lock_delay + options.retry_every +
         options.retry_jitter + options.command_timeout + std::chrono::milliseconds(100);
}

}  // namespace

namespace {

OptionKeys lease_store_keys() {
  using namespace keys;
  return own_keys<LeaseStoreOptions>({
      duration<LeaseStoreOptions>(
          "lock_delay", Sign::not_negative, at<&LeaseStoreOptions::lock_delay>,
          "lease-store-lock: for this time after a session has ended, the locks that it held are "
          "granted to nobody; it does not apply after a release"),
  });
}

}  // namespace

const Algorithm& lease_store_lock() {
  static const Algorithm algorithm{
      .name = "lease-store-lock",
      .summary =
          "a session on a linearizable store holds the key; its client keeps it alive until the "
          "release",
      .source = "docs/facts/algorithms.md 7.1, 7.2 and 7.4, docs/facts/failures.md B-10 and B-14",
      .roles = {Role::acquire, Role::renew, Role::release, Role::watch},
      .marks = {},
      .uses = {.mint = true, .server = lease_store::kServer},
      .keys = joined({patience_keys(), clock_keys(), command_keys(), resend_keys(), lease_keys(),
                      polling_keys(), pace_keys(), lease_store_keys()}),
      .promises = promises,
      .bound = session_delay_and_one_attempt,
      .make = make<LeaseStoreLock>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks
