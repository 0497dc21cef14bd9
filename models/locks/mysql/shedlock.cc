#include "models/locks/mysql/shedlock.h"

#include <algorithm>

#include "keys/key_kinds.h"
#include "models/locks/mysql/promises.h"
#include "models/locks/promises.h"
#include "models/mysql/tables.h"

namespace picklock::models::locks::mysql {
namespace {

using picklock::mysql::Condition;
using picklock::mysql::kShedlock;
using picklock::mysql::Term;
using std::chrono::microseconds;

constexpr int kReleaseTries = 10;

Statement on_row(const Lease& lease) {
  return {.op = Op::update, .table = std::string(kShedlock), .key = lease.key};
}

bool was_contended(Error error) {
  return error == Error::deadlock || error == Error::lock_wait_timeout;
}

}  // namespace

// In microseconds since 1970.
Term ShedLock::now(Client& self, Duration plus) const {
  if (own_.db_time) return {.of = Term::Of::now, .plus = plus / microseconds(1)};
  return {.value = std::int64_t{(self.wall_now() + plus) / microseconds(1)}};
}

// Insert and update each run in a transaction of their own.
Error ShedLock::insert(Client& self, const Lease& lease) {
  const std::unique_ptr<Connection> connection = pool(self).connect();
  if (connection == nullptr) return Error::gone_away;
  Statement statement{.op = Op::insert, .table = std::string(kShedlock)};
  statement.values = {Term{.value = lease.key}, now(self, options().ttl), now(self),
                      Term{.value = lease.token}};
  const Answer answer = connection->execute(statement);
  const bool refused = answer.error == Error::duplicate || was_contended(answer.error);
  if (answer.ok() || refused) known_.insert(lease.key);
  return answer.error;
}

Answer ShedLock::update(Client& self, const Statement& statement, Role role) const {
  const std::unique_ptr<Connection> connection = pool(self).connect();
  if (connection == nullptr) return {.error = Error::gone_away};
  return connection->execute(statement, role);
}

Acquired ShedLock::try_acquire(Client& self, std::string_view key) {
  Lease lease{
      .key = std::string(key), .token = owner_name_.of(self, options()), .ttl = options().ttl};
  Error error = Error::duplicate;
  if (!known_.contains(lease.key)) error = insert(self, lease);
  bool held = error == Error::none;
  if (error == Error::duplicate || was_contended(error)) {
    Statement statement = on_row(lease);
    statement.where = {{"lock_until", Condition::Is::at_most, now(self)}};
    statement.set = {{"lock_until", now(self, options().ttl)},
                     {"locked_at", now(self)},
                     {"locked_by", Term{.value = lease.token}}};
    const Answer answer = update(self, statement);
    error = answer.error;
    held = answer.ok() && answer.affected > 0;
  }
  if (error == Error::lost) return Acquired::unknown();
  if (!held) return std::nullopt;
  locked_at_[lease.token] = self.wall_now();
  if (options().renew != Renew::none) keep_extending(self, lease);
  return lease;
}

// Runs on a thread of its own, which stops silently once an extension has failed.
void ShedLock::keep_extending(Client& self, const Lease& lease) {
  extending_ = std::make_shared<Extending>(Extending{lease});
  const Duration every =
      options().renew_every > Duration::zero() ? options().renew_every : options().ttl / 2;
  self.spawn([this, every, state = extending_](Client& thread) {
    for (;;) {
      thread.sleep(every);
      if (state->stopped) return;
      Statement statement = on_row(state->lease);
      statement.where = {{"locked_by", Condition::Is::equal, {.value = state->lease.token}},
                         {"lock_until", Condition::Is::more, now(thread)}};
      statement.set = {{"lock_until", now(thread, options().ttl)}};
      const Answer answer = update(thread, statement, Role::renew);
      if (!answer.ok() || answer.affected == 0) return;
    }
  });
}

// Releases the row of any process with this name, or before version 7 of any process, but keeps it
// until it has been held for as long as it must be.
Released ShedLock::release(Client& self, const Lease& lease) {
  if (extending_ != nullptr) extending_->stopped = true;
  const Duration least = locked_at_[lease.token] + own_.hold_at_least - self.wall_now();
  Statement statement = on_row(lease);
  if (compares_owner(own_))
    statement.where = {{"locked_by", Condition::Is::equal, {.value = lease.token}}};
  statement.set = {{"lock_until", now(self, std::max(least, Duration::zero()))}};
  Answer answer;
  for (int tries = 0; tries < kReleaseTries; ++tries) {
    answer = update(self, statement, Role::release);
    if (!was_contended(answer.error)) break;
  }
  if (!answer.ok()) return Released::unknown;
  return answer.affected > 0 ? Released::ok : Released::not_held;
}

namespace {

OptionKeys shedlock_keys() {
  using namespace keys;
  return own_keys<ShedLockOptions>({
      boolean<ShedLockOptions>(
          "db_time", at<&ShedLockOptions::db_time>,
          "whether the database's clock decides what has expired; otherwise the client's"),
      needing(boolean<ShedLockOptions>(
                  "release_compares", at<&ShedLockOptions::release_compares>,
                  "whether a release leaves the row alone if another owner has it by then"),
              {.other = "db_time",
               .met = [](const ShedLockOptions& own) { return !own.db_time; },
               .else_what = "while `db_time` is true"}),
      duration<ShedLockOptions>(
          "hold_at_least", Sign::not_negative, at<&ShedLockOptions::hold_at_least>,
          "lockAtLeastFor: a lock that is released sooner becomes free only after this time"),
  });
}

}  // namespace

const Algorithm& shedlock() {
  static const Algorithm algorithm{
      .name = "shedlock",
      .summary =
          "a row with the time until which it is taken; a client that finds this time in the past "
          "updates it",
      .source = "docs/facts/algorithms.md 8.6",
      .roles = {Role::acquire, Role::release},
      .marks = {},
      .uses = {.lease_unit = std::chrono::microseconds(1),
               .shared = true,
               .server = picklock::mysql::kServer},
      .keys = joined({client_keys(), lease_keys(), polling_keys(), token_keys(),
                      comparing_renewal_keys(), renewal_pace_keys(), connection_keys(),
                      shedlock_keys()}),
      .unused = {kUnusedIsolation},
      .promises = of_a_time,
      .bound = lease_and_connection,
      .timed_by_clients =
          [](const LockOptions& options) { return !options.of<ShedLockOptions>().db_time; },
      .versions = {{.name = "7.9", .source = "docs/facts/algorithms.md 8.6"},
                   {.name = "6.10",
                    .source = "docs/facts/algorithms.md 8.7",
                    .preset =
                        [](LockOptions& options) {
                          options.of<ShedLockOptions>().release_compares = false;
                        }}},
      .preset =
          [](LockOptions& options) {
            pooled(options);
            options.value = TokenPer::machine;
          },
      .make = make<ShedLock>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks::mysql
