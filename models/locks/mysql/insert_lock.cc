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

Statement on_row(Op op, const Lease& lease) {
  return {.op = op, .table = std::string(kInsertLocks), .key = lease.key};
}

}  // namespace

// Uses the server's clock, which all clients have in common.
Error InsertLock::insert(Connection& connection, const Lease& lease) const {
  const bool endless = options().ttl == Duration::zero();
  const Term expires =
      endless ? Term{.value = kForEver}
              : Term{.of = Term::Of::now, .plus = options().ttl / std::chrono::microseconds(1)};
  Statement statement{.op = Op::insert, .table = std::string(kInsertLocks)};
  statement.values = {Term{.value = lease.key}, Term{.value = lease.token}, expires};
  return connection.execute(statement).error;
}

bool InsertLock::delete_overdue(Connection& connection, const Lease& lease) const {
  if (options().ttl == Duration::zero()) return false;
  Statement statement = on_row(Op::remove, lease);
  statement.where = {{"expires_at", Condition::Is::at_most, {.of = Term::Of::now}}};
  const Answer answer = connection.execute(statement);
  return answer.ok() && answer.affected > 0;
}

Held InsertLock::owner(Connection& connection, const Lease& lease, Role role) {
  const Answer answer = connection.execute(on_row(Op::select, lease), role);
  if (answer.error == Error::lost) return Held::unknown;
  if (!answer.ok() || answer.rows.empty()) return Held::no;
  return answer.rows.front()[1] == picklock::mysql::Value(lease.token) ? Held::yes : Held::no;
}

Acquired InsertLock::try_acquire(Client& self, std::string_view key) {
  std::unique_ptr<Connection> connection = pool(self).connect();
  if (connection == nullptr) return std::nullopt;
  Lease lease{
      .key = std::string(key), .token = owner_name_.of(self, options()), .ttl = options().ttl};
  Error error = insert(*connection, lease);
  if (error == Error::duplicate && delete_overdue(*connection, lease))
    error = insert(*connection, lease);
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
  Statement statement = on_row(Op::remove, lease);
  statement.where = {{"owner", Condition::Is::equal, {.value = lease.token}}};
  const Answer answer = connection->execute(statement, Role::release);
  if (!answer.ok()) return Released::unknown;
  return answer.affected > 0 ? Released::ok : Released::not_held;
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
                      connection_keys()}),
      .promises = of_a_row,
      .bound = lease_and_connection,
      .preset = pooled,
      .make = make<InsertLock>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks::mysql
