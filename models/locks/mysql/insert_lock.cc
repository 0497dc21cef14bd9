#include "models/locks/mysql/insert_lock.h"

#include "models/locks/mysql/promises.h"
#include "models/locks/promises.h"
#include "models/mysql/tables.h"

namespace picklock::models::locks::mysql {
namespace {

using picklock::mysql::Condition;
using picklock::mysql::kInsertLocks;
using picklock::mysql::Row;
using picklock::mysql::Term;

constexpr std::int64_t kForEver = INT64_MAX / 2;

Statement on_row(Op op, const std::string& row) {
  return {.op = op, .table = std::string(kInsertLocks), .key = row};
}

}  // namespace

// Uses the server's clock, which all clients have in common.
Error InsertLock::insert(Connection& connection, const Lease& lease, const std::string& row) const {
  const bool endless = options().ttl == Duration::zero();
  const Term expires =
      endless ? Term{.value = kForEver}
              : Term{.of = Term::Of::now, .plus = options().ttl / std::chrono::microseconds(1)};
  Statement statement{.op = Op::insert, .table = std::string(kInsertLocks)};
  statement.values = {Term{.value = row}, Term{.value = lease.token}, expires};
  return connection.execute(statement).error;
}

bool InsertLock::delete_overdue(Connection& connection, const std::string& row) const {
  if (options().ttl == Duration::zero()) return false;
  Statement statement = on_row(Op::remove, row);
  statement.where = {{"expires_at", Condition::Is::at_most, {.of = Term::Of::now}}};
  const Answer answer = connection.execute(statement);
  return answer.ok() && answer.affected > 0;
}

Error InsertLock::insert_or_replace(Connection& connection, const Lease& lease,
                                    const std::string& row) const {
  const Error error = insert(connection, lease, row);
  const bool replaces = error == Error::duplicate && delete_overdue(connection, row);
  return replaces ? insert(connection, lease, row) : error;
}

Error InsertLock::insert_all(Client& self, Connection& connection, const Lease& lease) const {
  Error error = connection.execute({.op = Op::begin}).error;
  for (const std::string& row : rows_in_order(self, lease.key, row_)) {
    if (error != Error::none) break;
    error = run(row_, [&] { return insert_or_replace(connection, lease, row); });
  }
  if (error == Error::none) return connection.execute({.op = Op::commit}).error;
  if (error != Error::lost) give_up(connection, row_);
  return error;
}

Held InsertLock::owner(Connection& connection, const Lease& lease, Role role) const {
  for (std::uint32_t i = 0; i < row_.rows; ++i) {
    const Answer answer =
        connection.execute(on_row(Op::select, picklock::mysql::row_of(lease.key, i)), role);
    if (answer.error == Error::lost) return Held::unknown;
    if (!answer.ok() || answer.rows.empty()) return Held::no;
    if (answer.rows.front()[1] != picklock::mysql::Value(lease.token)) return Held::no;
  }
  return Held::yes;
}

Acquired InsertLock::try_acquire(Client& self, std::string_view key) {
  std::unique_ptr<Connection> connection = pool(self).connect();
  if (connection == nullptr) return std::nullopt;
  Lease lease{
      .key = std::string(key), .token = owner_name_.of(self, options()), .ttl = options().ttl};
  Error error = row_.rows == 1 ? insert_or_replace(*connection, lease, lease.key)
                               : insert_all(self, *connection, lease);
  if (error == Error::lost && options().recognise_own != RecogniseOwn::never) {
    connection.reset();
    connection = pool(self).connect();
    if (connection != nullptr && owner(*connection, lease, Role::check) == Held::yes)
      error = Error::none;
  }
  if (error == Error::lost) return Acquired::unknown();
  if (error != Error::none) return std::nullopt;
  if (options().mint == Mint::in_script) {
    lease.fence = next_fence(self, key);
    // The counted token is valid only if the row was still this client's then.
    if (lease.fence == 0 || owner(*connection, lease, Role::none) != Held::yes) {
      release(self, lease);
      return std::nullopt;
    }
  }
  return lease;
}

Released InsertLock::release(Client& self, const Lease& lease) {
  const std::unique_ptr<Connection> connection = pool(self).connect();
  if (connection == nullptr) return Released::unknown;
  const bool several = row_.rows > 1;
  if (several) connection->execute({.op = Op::begin}, Role::release);
  std::uint64_t deleted = 0;
  for (std::uint32_t i = 0; i < row_.rows; ++i) {
    Statement statement = on_row(Op::remove, picklock::mysql::row_of(lease.key, i));
    statement.where = {{"owner", Condition::Is::equal, {.value = lease.token}}};
    const Answer answer = connection->execute(statement, Role::release);
    if (!answer.ok()) return Released::unknown;
    deleted += answer.affected;
  }
  if (several && !connection->execute({.op = Op::commit}, Role::release).ok())
    return Released::unknown;
  return deleted == row_.rows ? Released::ok : Released::not_held;
}

Held InsertLock::check_held(Client& self, const Lease& lease) {
  const std::unique_ptr<Connection> connection = pool(self).connect();
  return connection == nullptr ? Held::unknown : owner(*connection, lease, Role::check);
}

const Algorithm& mysql_insert_lock() {
  static const Algorithm algorithm{
      .name = "mysql-insert-lock",
      .summary =
          "a row under a unique key, inserted by its holder; deleted by the holder, or by a client "
          "that finds it overdue",
      .source = "docs/facts/algorithms.md 8.3",
      .roles = {Role::acquire, Role::release},
      .marks = {},
      .uses = {.lease_unit = std::chrono::microseconds(1),
               .check = true,
               .mint = true,
               .endless = true,
               .server = picklock::mysql::kServer},
      .keys = joined({client_keys(), lease_keys(), polling_keys(), token_keys(), own_token_keys(),
                      connection_keys(), reconnect_keys(), several_rows_keys()}),
      .promises = of_a_row,
      .bound = lease_and_connection,
      .preset = pooled,
      .make = make<InsertLock>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks::mysql
