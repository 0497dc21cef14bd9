#include "models/mysql/sql_error.h"

#include <fmt/format.h>

#include "keys/bad_input.h"
#include "models/mysql/sql.h"

namespace picklock::mysql {
namespace {

constexpr std::size_t kMostShown = 120;  // of a statement, in bytes

std::string excerpt(std::string_view text) { return keys::printable(text, kMostShown); }

std::string_view state_of(Error error) {
  switch (error) {
    case Error::bad_null:
    case Error::duplicate:
      return "23000";
    case Error::name_too_long:
    case Error::no_such_savepoint:
    case Error::wrong_lock_name:
      return "42000";
    case Error::no_such_table:
      return "42S02";
    case Error::deadlock:
      return "40001";
    case Error::interrupted:
      return "70100";
    default:
      return "HY000";
  }
}

std::string row_key(const Statement& statement) {
  if (statement.values.empty()) return statement.key.value_or("");
  const auto* const text = std::get_if<std::string>(&statement.values.front().value);
  return text == nullptr ? "" : *text;
}

std::string message_of(Error error, const Statement& statement) {
  switch (error) {
    case Error::bad_null:
      return "Column 'name' cannot be null";
    case Error::name_too_long:
      return fmt::format("Identifier name '{}' is too long", excerpt(statement.name));
    case Error::duplicate:
      return fmt::format("Duplicate entry '{}' for key 'PRIMARY'", excerpt(row_key(statement)));
    case Error::no_such_thread:
      return fmt::format("Unknown thread id: {}", statement.number);
    case Error::no_such_table:
      return fmt::format("Table '{}' doesn't exist", excerpt(statement.table));
    case Error::lock_wait_timeout:
      return "Lock wait timeout exceeded; try restarting transaction";
    case Error::deadlock:
      return "Deadlock found when trying to get lock; try restarting transaction";
    case Error::is_read_only:
      return "The server is running with the --read-only option so it cannot execute this "
             "statement";
    case Error::no_such_savepoint:
      return fmt::format("SAVEPOINT {} does not exist", excerpt(statement.name));
    case Error::interrupted:
      return "Query execution was interrupted";
    case Error::wrong_lock_name:
      return fmt::format("Incorrect user-level lock name '{}'.", excerpt(statement.name));
    case Error::named_lock_deadlock:
      return "Deadlock found when trying to get user-level lock; try rolling back "
             "transaction/releasing locks and restarting lock acquisition.";
    case Error::locked_nowait:
      return "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is "
             "set.";
    default:
      return "the statement has failed: " + excerpt(sql(statement));
  }
}

}  // namespace

SqlError error_of(Error error, const Statement& statement) {
  return {static_cast<std::uint16_t>(error), state_of(error), message_of(error, statement)};
}

SqlError not_understood(std::string_view text, std::string_view from) {
  return {1064, "42000",
          fmt::format(
              "picklock does not understand this statement from '{}' on: '{}'. It has BEGIN, START "
              "TRANSACTION, COMMIT, ROLLBACK, SAVEPOINT, SET autocommit, SET SESSION TRANSACTION "
              "ISOLATION LEVEL, SET SESSION innodb_lock_wait_timeout, KILL, GET_LOCK, "
              "RELEASE_LOCK, IS_USED_LOCK, IS_FREE_LOCK, and SELECT, INSERT, UPDATE and DELETE of "
              "its own tables",
              excerpt(from.empty() ? text : from), excerpt(text))};
}

SqlError unknown_column(std::string_view column) {
  return {1054, "42S22", fmt::format("Unknown column '{}' in 'field list'", excerpt(column))};
}

SqlError unknown_variable(std::string_view variable) {
  return {1193, "HY000", fmt::format("Unknown system variable '{}'", excerpt(variable))};
}

}  // namespace picklock::mysql
