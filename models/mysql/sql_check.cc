#include "models/mysql/sql_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "models/mysql/tables.h"

namespace picklock::mysql {
namespace {

using Refused = std::optional<SqlError>;

// A server cuts longer waits of GET_LOCK to a year.
constexpr std::int64_t kLongestWait = 365 * 24 * 3600;

SqlError refused(std::uint16_t number, std::string_view state, std::string message) {
  return {number, state, std::move(message)};
}

std::optional<std::int64_t> integer_in_text(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The tables of the model have no NULL.
Refused check_value(const std::string& column, Value& value) {
  if (std::holds_alternative<std::monostate>(value))
    return refused(1048, "23000", fmt::format("Column '{}' cannot be null", column));
  if (is_text(column)) {
    if (const auto* const number = std::get_if<std::int64_t>(&value))
      value = std::to_string(*number);
    if (std::get<std::string>(value).size() > kLongestText)
      return refused(1406, "22001", fmt::format("Data too long for column '{}'", column));
    return std::nullopt;
  }
  if (const auto* const text = std::get_if<std::string>(&value)) {
    const auto number = integer_in_text(*text);
    if (!number)
      return refused(1366, "22007", fmt::format("Incorrect integer value for column '{}'", column));
    value = *number;
  }
  return std::nullopt;
}

Refused check_term(const std::string& column, Term& term) {
  const bool other = (term.of == Term::Of::column && is_text(term.column) != is_text(column)) ||
                     (term.of == Term::Of::now && is_text(column)) ||
                     (term.plus != 0 && is_text(column));
  if (other) return refused(1366, "22007", fmt::format("Incorrect value for column '{}'", column));
  return term.of == Term::Of::value ? check_value(column, term.value) : std::nullopt;
}

Refused check_condition(Condition& condition) {
  Term& term = condition.term;
  // Nothing is equal to NULL.
  if (term.of == Term::Of::value && std::holds_alternative<std::monostate>(term.value))
    return std::nullopt;
  if (is_text(condition.column) && condition.is != Condition::Is::equal)
    return refused(1064, "42000", "picklock compares texts only with =");
  // Too long a text is no error here: no row has it.
  const auto* const text = std::get_if<std::string>(&term.value);
  if (is_text(condition.column) && term.of == Term::Of::value && text != nullptr && term.plus == 0)
    return std::nullopt;
  return check_term(condition.column, term);
}

Refused check_assignment(const Schema& schema, Assignment& one) {
  if (one.column == schema.columns.front())
    return refused(1064, "42000", "picklock does not change the primary key of a row");
  return check_term(one.column, one.term);
}

Refused check_rows(Statement& statement) {
  const Schema* const schema = schema_of(statement.table);
  if (schema == nullptr) return error_of(Error::no_such_table, statement);
  for (std::size_t i = 0; i < statement.values.size(); ++i) {
    Term& term = statement.values[i];
    if (term.of == Term::Of::column) return unknown_column(term.column);
    if (Refused no = check_term(schema->columns.at(i), term)) return no;
  }
  for (Condition& one : statement.where) {
    if (Refused no = check_condition(one)) return no;
  }
  for (Assignment& one : statement.set) {
    if (Refused no = check_assignment(*schema, one)) return no;
  }
  return std::nullopt;
}

}  // namespace

Refused refusal_of(Statement& statement) {
  if (is_of_rows(statement.op)) return check_rows(statement);
  if (statement.op == Op::get_lock) statement.number = std::min(statement.number, kLongestWait);
  if (statement.op != Op::ddl || schema_of(statement.name) != nullptr) return std::nullopt;
  std::string tables;
  for (const Schema& one : schemas()) tables += (tables.empty() ? "" : ", ") + one.name;
  return refused(1064, "42000",
                 fmt::format("picklock has only the tables {}, and creates no other", tables));
}

}  // namespace picklock::mysql
