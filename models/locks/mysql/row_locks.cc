#include "models/locks/mysql/row_locks.h"

#include "models/locks/mysql/promises.h"
#include "models/locks/promises.h"
#include "models/mysql/tables.h"

namespace picklock::models::locks::mysql {

using picklock::mysql::kLockRows;
using picklock::mysql::kLocks;

Acquired TransactionLock::acquire(Client& self, std::string_view key) {
  patience_.emplace(self, options().clock, patience_of(options()));
  Acquired acquired = Lock::acquire(self, key);
  patience_.reset();
  return acquired;
}

Acquired TransactionLock::try_acquire(Client& self, std::string_view key) {
  std::unique_ptr<Connection> connection = pool(self).connect();
  if (connection == nullptr) return std::nullopt;
  Error error = connection->execute({.op = Op::begin}).error;
  if (error == Error::none) error = take(self, *connection, key);
  if (error == Error::lost) return Acquired::unknown();
  std::int64_t fence = 0;
  const bool minted = options().mint == Mint::in_script;
  if (error == Error::none && minted) fence = next_fence(self, key, *connection);
  if (error != Error::none || (minted && fence == 0)) {
    // A time-out ends only the statement, and the lock on a duplicate stays (M3, M15).
    give_up(*connection, row_);
    return std::nullopt;
  }
  Lease lease{.key = std::string(key), .token = {}, .fence = fence};
  lease.token = sessions_.keep(self, std::move(connection));
  return lease;
}

// The end of the transaction is the release.
Released TransactionLock::release(Client&, const Lease& lease) {
  const std::unique_ptr<Connection> connection = sessions_.take(lease);
  if (connection == nullptr) return Released::not_held;
  const bool commits = row_.ends_by == EndsBy::commit;
  const Answer answer = connection->execute({.op = commits ? Op::commit : Op::rollback});
  if (answer.error == Error::lost) return Released::unknown;
  return answer.ok() ? Released::ok : Released::not_held;
}

// A server does not answer on a session that it has ended.
Held TransactionLock::check_held(Client&, const Lease& lease) {
  Connection* const connection = sessions_.of(lease);
  if (connection == nullptr) return Held::no;
  const Answer answer = connection->execute({.op = Op::ping}, Role::check);
  if (answer.error == Error::lost) return Held::unknown;
  return answer.ok() ? Held::yes : Held::no;
}

Written TransactionLock::write_in_database(Client&, const Lease& lease) {
  Connection* const connection = sessions_.of(lease);
  return connection == nullptr ? Written::rejected : write_work(*connection, lease.key);
}

// The next statement waits for a row at most as long as this acquire may still take. The server
// counts in whole seconds, so the last part of a second is left for further attempts.
void TransactionLock::limit_wait(Connection& connection) const {
  if (!patience_ || patience_->endless()) return;
  const Duration left = std::max(patience_->left(), Duration::zero());
  connection.execute({.op = Op::set_lock_wait_timeout, .number = left / std::chrono::seconds(1)},
                     Role::upkeep);
}

// An empty answer is no lock: the row is missing, or the transaction that this one has waited for
// has deleted it (M7), or it is locked by another and was skipped.
Error TransactionLock::lock(Connection& connection, std::string_view table,
                            std::string_view key) const {
  if (row_.if_locked == IfLocked::wait) limit_wait(connection);
  const Answer answer = connection.execute(lock_row(table, key, row_.if_locked));
  if (!answer.ok()) return answer.error;
  return answer.rows.empty() ? Error::no_data : Error::none;
}

Error TransactionLock::insert(Connection& connection, std::string_view table,
                              std::string_view key) const {
  limit_wait(connection);
  return connection.execute(insert_row(table, key)).error;
}

Error RowLock::take(Client& self, Connection& connection, std::string_view key) {
  if (row_.rows == 1) return lock(connection, kLockRows, key);
  for (const std::string& row : rows_in_order(self, key, row_)) {
    const Error error = run(row_, [&] { return lock(connection, kLockRows, row); });
    if (error != Error::none) return error;
  }
  return Error::none;
}

Error SelectInsertLock::take(Client&, Connection& connection, std::string_view key) {
  const Answer seen = connection.execute(select_row(kLocks, key));
  if (!seen.ok()) return seen.error;
  return seen.rows.empty() ? insert(connection, kLocks, key) : lock(connection, kLocks, key);
}

Error ProbeInsertLock::take(Client&, Connection& connection, std::string_view key) {
  const Error probed = lock(connection, kLocks, key);
  return probed == Error::no_data ? insert(connection, kLocks, key) : probed;
}

namespace {

Algorithm of_rows(std::string_view name, std::string_view summary, std::string_view source,
                  std::vector<Promise> (*promises)(const LockOptions& options)) {
  return {
      .name = name,
      .summary = summary,
      .source = source,
      .roles = {Role::acquire, Role::release},
      .marks = {},
      .uses = {.check = true, .mint = true, .database = true, .server = picklock::mysql::kServer},
      .keys = joined({client_keys(), polling_keys(), connection_keys(), reconnect_keys(),
                      pool_keys(), if_locked_keys(), ends_by_keys()}),
      .promises = promises,
      .bound = session_and_one_attempt,
      .preset = pooled,
  };
}

}  // namespace

const Algorithm& mysql_row_lock() {
  static const Algorithm algorithm = [] {
    Algorithm one = of_rows("mysql-row-lock",
                            "the client whose open transaction has locked the row FOR UPDATE holds "
                            "the lock; the row exists beforehand",
                            "docs/facts/algorithms.md 8.4, docs/facts/failures.md A-25 and A-26",
                            of_a_made_row);
    one.keys = joined({one.keys, several_rows_keys()});
    one.unused = {kUnusedIsolation};
    one.make = make<RowLock>;
    return one;
  }();
  return algorithm;
}

const Algorithm& mysql_select_insert() {
  static const Algorithm algorithm = [] {
    Algorithm one =
        of_rows("mysql-select-insert",
                "looks for the row and inserts it if it is missing, else locks it with FOR UPDATE, "
                "in a transaction that stays open",
                "docs/facts/failures.md A-24, docs/facts/fidelity.md M1 to M4", of_an_inserted_row);
    one.make = make<SelectInsertLock>;
    return one;
  }();
  return algorithm;
}

const Algorithm& mysql_probe_insert() {
  static const Algorithm algorithm = [] {
    Algorithm one = of_rows("mysql-probe-insert",
                            "looks for the row with FOR UPDATE and inserts it if it is missing, in "
                            "a transaction that stays open",
                            "docs/facts/failures.md D-08, docs/facts/fidelity.md M5 and M6",
                            of_an_inserted_row);
    one.make = make<ProbeInsertLock>;
    return one;
  }();
  return algorithm;
}

}  // namespace picklock::models::locks::mysql
