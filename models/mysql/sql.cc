#include "models/mysql/sql.h"

#include <fmt/format.h>

#include <string_view>

namespace picklock::mysql {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char one : text) {
    if (one == '\'' || one == '\\') out += '\\';
    out += one;
  }
  return out + "'";
}

std::string term(const Term& term) {
  std::string text = term.of == Term::Of::column ? term.column
                     : term.of == Term::Of::now ? "CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)"
                                                : sql(term.value);
  if (term.plus == 0) return text;
  return fmt::format("{} {} {}", text, term.plus > 0 ? '+' : '-',
                     term.plus > 0 ? term.plus : -term.plus);
}

std::string condition(const Condition& condition) {
  const std::string_view is = condition.is == Condition::Is::equal     ? "="
                              : condition.is == Condition::Is::at_most ? "<="
                                                                       : ">";
  return fmt::format("{} {} {}", condition.column, is, term(condition.term));
}

std::string where(const Statement& statement) {
  std::string text;
  const auto add = [&text](const std::string& one) {
    text += (text.empty() ? " WHERE " : " AND ") + one;
  };
  if (statement.key) add("name = " + quoted(*statement.key));
  for (const Condition& one : statement.where) add(condition(one));
  return text;
}

std::string assignments(const std::vector<Assignment>& set) {
  std::string text;
  for (const Assignment& one : set)
    text += (text.empty() ? "" : ", ") + fmt::format("{} = {}", one.column, term(one.term));
  return text;
}

std::string select(const Statement& statement) {
  std::string text = "SELECT * FROM " + statement.table + where(statement);
  if (statement.locking == Locking::share) text += " LOCK IN SHARE MODE";
  if (statement.locking == Locking::update) text += " FOR UPDATE";
  if (statement.waiting == Waiting::nowait) text += " NOWAIT";
  if (statement.waiting == Waiting::skips) text += " SKIP LOCKED";
  return text;
}

std::string insert(const Statement& statement) {
  std::string text = statement.on_duplicate == OnDuplicate::ignores ? "INSERT IGNORE" : "INSERT";
  text += " INTO " + statement.table + " VALUES (";
  for (const Term& one : statement.values)
    text += (&one == statement.values.data() ? "" : ", ") + term(one);
  text += ")";
  if (statement.on_duplicate == OnDuplicate::updates)
    text += " ON DUPLICATE KEY UPDATE " + assignments(statement.set);
  return text;
}

std::string_view name(Isolation isolation) {
  switch (isolation) {
    case Isolation::read_committed:
      return "READ COMMITTED";
    case Isolation::repeatable_read:
      return "REPEATABLE READ";
    case Isolation::serializable:
      break;
  }
  return "SERIALIZABLE";
}

}  // namespace

std::string sql(const Value& value) {
  if (const auto* const number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* const text = std::get_if<std::string>(&value)) return quoted(*text);
  return "NULL";
}

std::string sql(const Statement& statement) {
  switch (statement.op) {
    case Op::begin:
      return "BEGIN";
    case Op::commit:
      return "COMMIT";
    case Op::rollback:
      return "ROLLBACK";
    case Op::savepoint:
      return "SAVEPOINT " + statement.name;
    case Op::rollback_to:
      return "ROLLBACK TO SAVEPOINT " + statement.name;
    case Op::set_autocommit:
      return fmt::format("SET autocommit = {}", statement.number);
    case Op::set_isolation:
      return fmt::format("SET SESSION TRANSACTION ISOLATION LEVEL {}", name(statement.isolation));
    case Op::select:
      return select(statement);
    case Op::insert:
      return insert(statement);
    case Op::update:
      return fmt::format("UPDATE {} SET {}{}", statement.table, assignments(statement.set),
                         where(statement));
    case Op::remove:
      return "DELETE FROM " + statement.table + where(statement);
    case Op::ddl:
      return fmt::format("CREATE TABLE IF NOT EXISTS {} (name VARCHAR(64) PRIMARY KEY)",
                         statement.name);
    case Op::get_lock:
      return fmt::format("SELECT GET_LOCK({}, {})", quoted(statement.name), statement.number);
    case Op::release_lock:
      return fmt::format("SELECT RELEASE_LOCK({})", quoted(statement.name));
    case Op::is_used_lock:
      return fmt::format("SELECT IS_USED_LOCK({})", quoted(statement.name));
    case Op::kill:
      return fmt::format("KILL {}", statement.number);
    case Op::kill_query:
      return fmt::format("KILL QUERY {}", statement.number);
    case Op::read_only:
      return "SELECT @@read_only";
    case Op::set_lock_wait_timeout:
      return fmt::format(
          "SET SESSION innodb_lock_wait_timeout = LEAST(@@GLOBAL.innodb_lock_wait_timeout, {})",
          statement.number);
    case Op::about_session:
      return "SELECT CONNECTION_ID(), @@version, @@tx_isolation, @@innodb_lock_wait_timeout, "
             "@@wait_timeout, @@autocommit, @@read_only";
    case Op::reset_session:
      return "RESET CONNECTION";
    case Op::ping:
      break;
  }
  return "DO 0";
}

}  // namespace picklock::mysql
