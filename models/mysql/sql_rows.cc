#include "models/mysql/sql_rows.h"

#include <algorithm>

#include "models/mysql/sql_error.h"

namespace picklock::mysql {
namespace {

using Kind = Token::Kind;

}  // namespace

Term SqlRows::term() {
  Term term;
  if (is_now()) {
    term.of = Term::Of::now;
  } else if (const std::optional<Value> value = literal()) {
    term.value = *value;
  } else if (inserts_ != nullptr && (is_word("values") || is_word("value")) &&
             peek(1).kind == Kind::symbol && peek(1).text == "(") {  // else a column of this name
    take();
    return inserted();
  } else {
    term.of = Term::Of::column;
    term.column = column();
  }
  while (peek().kind == Kind::symbol && (peek().text == "+" || peek().text == "-")) {
    const bool adds = take().text == "+";
    const std::int64_t plus = integer();
    if (plus == INT64_MIN || __builtin_add_overflow(term.plus, adds ? plus : -plus, &term.plus))
      fail();
  }
  return term;
}

// VALUES(column): what was to be inserted there.
Term SqlRows::inserted() {
  expect("(");
  const std::string column = name();
  expect(")");
  const auto& columns = schema().columns;
  const auto found = std::find(columns.begin(), columns.end(), column);
  const auto at = static_cast<std::size_t>(found - columns.begin());
  if (at >= inserts_->size()) throw unknown_column(column);
  return (*inserts_)[at];
}

// The server's time in microseconds.
bool SqlRows::is_now() {
  constexpr std::string_view kNow[] = {"cast", "(", "unix_timestamp", "(",  "now",    "(", "6", ")",
                                       ")",    "*", "1000000",        "as", "signed", ")"};
  for (std::size_t i = 0; i < std::size(kNow); ++i) {
    if (lower(peek(i).text) != kNow[i] || peek(i).kind == Kind::text) return false;
  }
  go_to(place() + std::size(kNow));
  return true;
}

// ---------------------------------------------------------------- tables

std::string SqlRows::table() {
  std::string table = name();
  if (symbol(".")) table = name();
  if (schema_of(table) == nullptr)
    throw error_of(Error::no_such_table, {.op = Op::select, .table = table});
  statement_.table = table;
  return table;
}

std::string SqlRows::column() {
  std::string column = name();
  if (symbol(".")) column = name();
  if (peek().kind == Kind::symbol && peek().text == "(") fail();
  const auto& columns = schema().columns;
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const std::string& one) { return one == lower(column); });
  if (found == columns.end()) throw unknown_column(column);
  return *found;
}

void SqlRows::where() {
  if (!words("where")) return;
  do condition();
  while (words("and"));
}

void SqlRows::condition() {
  Condition condition{.column = column(), .is = {}, .term = {}};
  const std::string is = peek().kind == Kind::symbol ? take().text : std::string();
  condition.term = term();
  if (is == "=") {
    const Term& term = condition.term;
    const bool is_key = condition.column == schema().columns.front() && !statement_.key &&
                        term.of == Term::Of::value && term.plus == 0;
    if (const auto* const text = std::get_if<std::string>(&term.value); is_key && text != nullptr) {
      statement_.key = *text;
      return;
    }
  } else if (is == ">" || is == ">=") {
    condition.is = Condition::Is::more;
  } else if (is == "<" || is == "<=") {
    condition.is = Condition::Is::at_most;
  } else {
    fail();
  }
  const bool one_less = is == "<" || is == ">=";
  if (one_less && __builtin_sub_overflow(condition.term.plus, 1, &condition.term.plus)) fail();
  statement_.where.push_back(std::move(condition));
}

std::vector<Assignment> SqlRows::assignments() {
  std::vector<Assignment> all;
  do {
    Assignment one{.column = column(), .term = {}};
    expect("=");
    one.term = term();
    all.push_back(std::move(one));
  } while (symbol(","));
  return all;
}

void SqlRows::insert() {
  statement_.op = Op::insert;
  if (words("ignore")) statement_.on_duplicate = OnDuplicate::ignores;
  words("into");
  table();
  std::vector<std::string> columns = schema().columns;
  if (symbol("(")) {
    columns.clear();
    do columns.push_back(column());
    while (symbol(","));
    expect(")");
  }
  if (!words("values")) expect_words("value");
  expect("(");
  std::vector<Term> terms;
  do terms.push_back(term());
  while (symbol(","));
  expect(")");
  if (terms.size() != columns.size())
    throw SqlError{1136, "21S01", "Column count doesn't match value count at row 1"};
  for (const std::string& one : schema().columns) {
    const auto given = std::find(columns.begin(), columns.end(), one);
    if (given == columns.end())
      throw SqlError{1364, "HY000", "Field '" + one + "' doesn't have a default value"};
    statement_.values.push_back(terms[static_cast<std::size_t>(given - columns.begin())]);
  }
  if (!words("on duplicate key update")) return;
  if (statement_.on_duplicate == OnDuplicate::ignores) fail();
  inserts_ = &statement_.values;
  statement_.on_duplicate = OnDuplicate::updates;
  statement_.set = assignments();
}

void SqlRows::update() {
  statement_.op = Op::update;
  table();
  expect_words("set");
  statement_.set = assignments();
  where();
}

void SqlRows::remove() {
  statement_.op = Op::remove;
  table();
  where();
}

}  // namespace picklock::mysql
