#include "models/mysql/sql_reader.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "models/mysql/sql.h"
#include "models/mysql/sql_check.h"
#include "models/mysql/tables.h"
#include "models/mysql/wire.h"

namespace picklock::mysql::sql_reader_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Asker kAsker{.user = "app", .database = "shop"};

// An error has no statement: its reading is a ping with one column "error".
Reading read(std::string_view text, std::span<const Value> parameters = {}) {
  std::variant<Reading, SqlError> result = read_sql(text, kAsker, parameters);
  if (auto* const reading = std::get_if<Reading>(&result)) return std::move(*reading);
  ADD_FAILURE() << text << ": " << std::get<SqlError>(result).message;
  return {};
}

std::uint16_t error_in(std::string_view text) {
  std::variant<Reading, SqlError> result = read_sql(text, kAsker);
  if (const auto* const error = std::get_if<SqlError>(&result)) return error->number;
  const auto error = refusal_of(std::get<Reading>(result).statement);
  return error ? error->number : 0;
}

std::string bytes(const Statement& statement) {
  sim::Payload out;
  write(statement, out);
  return std::string(out.view());
}

// ---------------------------------------------------------------- any statement of the model

using Gen = rc::Gen<std::string>;

Gen words() {
  return rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcxyz_0"))));
}
std::string name() { return "s" + *words(); }

// Any bytes, quotes and backslashes among them.
std::string text() { return *rc::gen::arbitrary<std::string>(); }
std::int64_t number() { return *rc::gen::inRange<std::int64_t>(-1'000'000, 1'000'000); }

Value value() {
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return number();
    case 1:
      return text();
    default:
      return {};
  }
}

Term term(const Schema& schema, bool with_columns) {
  Term term{.plus = *rc::gen::element<std::int64_t>(0, 0, 1, -1, number())};
  switch (*rc::gen::inRange(0, with_columns ? 3 : 2)) {
    case 0:
      term.of = Term::Of::now;
      break;
    case 1:
      term.value = value();
      break;
    default:
      term.of = Term::Of::column;
      term.column = *rc::gen::elementOf(schema.columns);
      break;
  }
  return term;
}

std::vector<Assignment> assignments(const Schema& schema) {
  std::vector<Assignment> all;
  for (int left = *rc::gen::inRange(1, 4); left > 0; --left)
    all.push_back({*rc::gen::elementOf(schema.columns), term(schema, true)});
  return all;
}

void add_where(Statement& statement, const Schema& schema) {
  if (*rc::gen::arbitrary<bool>()) statement.key = text();
  for (int left = *rc::gen::inRange(0, 3); left > 0; --left) {
    Condition one{*rc::gen::elementOf(schema.columns),
                  static_cast<Condition::Is>(*rc::gen::inRange(0, 3)), term(schema, true)};
    // A row of one name is written, and read, as the key.
    const bool is_key = one.column == schema.columns.front() && one.is == Condition::Is::equal;
    if (!is_key) statement.where.push_back(std::move(one));
  }
}

Statement rows_statement(Op op) {
  const Schema schema =
      *rc::gen::elementOf(std::vector<Schema>(schemas().begin(), schemas().end()));
  Statement statement{.op = op, .table = schema.name};
  if (op == Op::insert) {
    for (std::size_t i = 0; i < schema.columns.size(); ++i)
      statement.values.push_back(term(schema, false));
    statement.on_duplicate = static_cast<OnDuplicate>(*rc::gen::inRange(0, 3));
    if (statement.on_duplicate == OnDuplicate::updates) statement.set = assignments(schema);
    return statement;
  }
  add_where(statement, schema);
  if (op == Op::update) statement.set = assignments(schema);
  if (op != Op::select) return statement;
  statement.locking = static_cast<Locking>(*rc::gen::inRange(0, 3));
  if (statement.locking != Locking::none)
    statement.waiting = static_cast<Waiting>(*rc::gen::inRange(0, 3));
  return statement;
}

Statement any_statement() {
  // The op behind these has no text of SQL.
  const auto op = static_cast<Op>(*rc::gen::inRange(0, static_cast<int>(Op::about_session) + 1));
  if (is_of_rows(op)) return rows_statement(op);
  Statement statement{.op = op};
  switch (op) {
    case Op::savepoint:
    case Op::rollback_to:
    case Op::ddl:
      statement.name = name();
      break;
    case Op::get_lock:
      statement.number = number();
      [[fallthrough]];
    case Op::release_lock:
    case Op::is_used_lock:
      statement.name = text();
      break;
    case Op::set_autocommit:
      statement.number = *rc::gen::inRange(0, 2);
      break;
    case Op::set_isolation:
      statement.isolation = static_cast<Isolation>(*rc::gen::inRange(0, 3));
      break;
    case Op::kill:
    case Op::kill_query:
      statement.number = *rc::gen::inRange<std::int64_t>(1, 0x1'0000'0000);
      break;
    case Op::set_lock_wait_timeout:
      statement.number = number();
      break;
    default:
      break;
  }
  return statement;
}

RC_GTEST_PROP(SqlReader, ReadsWhateverTheModelWrites, ()) {
  const Statement statement = any_statement();
  const std::string written = sql(statement);
  RC_LOG() << written << "\n";
  const std::variant<Reading, SqlError> read = read_sql(written, kAsker);
  RC_ASSERT(std::holds_alternative<Reading>(read));
  RC_ASSERT(bytes(std::get<Reading>(read).statement) == bytes(statement));
}

RC_GTEST_PROP(SqlReader, EndsWithAnyText, (const std::string& text)) {
  read_sql(text, kAsker);
  read_sql("SELECT " + text, kAsker);
  read_sql("INSERT INTO locks " + text, kAsker);
  read_sql("SET " + text, kAsker);
}

// An accepted statement can be executed: no column is missing, and each value is of the type of its
// own.
RC_GTEST_PROP(SqlReader, GivesEachColumnAValueOfItsType, ()) {
  Statement statement =
      rows_statement(*rc::gen::element(Op::select, Op::insert, Op::update, Op::remove));
  if (refusal_of(statement)) return;
  const auto fits = [](const std::string& column, const Term& term) {
    return term.of != Term::Of::value ||
           std::holds_alternative<std::string>(term.value) == is_text(column);
  };
  for (const Assignment& one : statement.set) RC_ASSERT(fits(one.column, one.term));
  const Schema* schema = nullptr;
  for (const Schema& one : schemas()) {
    if (one.name == statement.table) schema = &one;
  }
  for (std::size_t i = 0; i < statement.values.size(); ++i)
    RC_ASSERT(fits(schema->columns.at(i), statement.values[i]));
}

// ---------------------------------------------------------------- what clients write

TEST(SqlReader, TakesTheFormsThatApplicationsUse) {
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"begin work", "BEGIN"},
      {"START TRANSACTION;", "BEGIN"},
      {"rollback to s1", "ROLLBACK TO SAVEPOINT s1"},
      {"SET AUTOCOMMIT = 0", "SET autocommit = 0"},
      {"SET @@session.autocommit = OFF", "SET autocommit = 0"},
      {"SET NAMES utf8mb4, autocommit=1", "SET autocommit = 1"},
      {"SET SESSION innodb_lock_wait_timeout = 3",
       "SET SESSION innodb_lock_wait_timeout = LEAST(@@GLOBAL.innodb_lock_wait_timeout, 3)"},
      {"SET tx_isolation = 'READ-COMMITTED'",
       "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"},
      {"select `name` from shop.lock_rows where name=\"a\" limit 1 for update nowait",
       "SELECT * FROM lock_rows WHERE name = 'a' FOR UPDATE NOWAIT"},
      {"SELECT value FROM work WHERE value >= 3 AND value < 5 FOR SHARE",
       "SELECT * FROM work WHERE value > 3 - 1 AND value <= 5 - 1 LOCK IN SHARE MODE"},
      {"INSERT INTO insert_locks (owner, name, expires_at) VALUES ('me', 'a', 7) ON DUPLICATE KEY "
       "UPDATE owner = VALUES(owner)",
       "INSERT INTO insert_locks VALUES ('a', 'me', 7) ON DUPLICATE KEY UPDATE owner = 'me'"},
      {"/* a comment */ DELETE FROM locks -- and another\n WHERE name = 'it''s'",
       "DELETE FROM locks WHERE name = 'it\\'s'"},
      {"SELECT GET_LOCK('a', 10.0) AS got", "SELECT GET_LOCK('a', 10)"},
      {"DO RELEASE_LOCK('a')", "SELECT RELEASE_LOCK('a')"},
      {"select is_free_lock('a')", "SELECT IS_USED_LOCK('a')"},
      {"KILL CONNECTION 7", "KILL 7"},
      {"select @@global.read_only", "SELECT @@read_only"},
  };
  for (const auto& [text, statement] : forms)
    EXPECT_EQ(sql(read(text).statement), statement) << text;
}

TEST(SqlReader, TakesParametersInTheirOrder) {
  const std::vector<Value> parameters = {std::string("a"), std::int64_t{10}};
  EXPECT_EQ(sql(read("SELECT GET_LOCK(?, ?)", parameters).statement), "SELECT GET_LOCK('a', 10)");
  EXPECT_EQ(error_in("SELECT GET_LOCK(?, ?)"), 1064);
}

TEST(SqlReader, ShowsTheColumnsThatWereAskedFor) {
  const Reading reading = read("SELECT owner, name AS lock_name, 1 FROM insert_locks");
  std::vector<std::string> titles;
  for (const Shown& one : reading.shown) titles.push_back(one.title);
  EXPECT_THAT(titles, ElementsAre("owner", "lock_name", "1"));
  const Row row = {std::string("a"), std::string("me"), std::int64_t{7}};
  EXPECT_THAT(rows_shown(reading, {.rows = {row}}),
              ElementsAre(Row{std::string("me"), std::string("a"), std::int64_t{1}}));
  EXPECT_THAT(rows_shown(read("SELECT COUNT(*) FROM insert_locks"), {.rows = {row, row}}),
              ElementsAre(Row{std::int64_t{2}}));
  EXPECT_THAT(rows_shown(read("SELECT IS_FREE_LOCK('a')"), {.rows = {Row{Value()}}}),
              ElementsAre(Row{std::int64_t{1}}));
}

TEST(SqlReader, SortsTheRowsOfAnAnswer) {
  const auto shown = [](std::string_view order) {
    const Reading reading = read("SELECT name FROM work WHERE value > 0 ORDER BY " +
                                 std::string(order) + " FOR UPDATE");
    EXPECT_EQ(reading.statement.locking, Locking::update);
    const std::size_t columns = schema_of("work")->columns.size();
    std::vector<Row> rows;
    for (const auto& [name, number] :
         std::vector<std::pair<std::string, std::int64_t>>{{"b", 1}, {"c", 2}, {"a", 2}}) {
      Row& row = rows.emplace_back(columns, Value(number));
      row[0] = name;
    }
    std::string names;
    for (const Row& row : rows_shown(reading, {.rows = rows}))
      names += std::get<std::string>(row.front());
    return names;
  };
  EXPECT_EQ(shown("name"), "abc");
  EXPECT_EQ(shown("name DESC"), "cba");
  EXPECT_EQ(shown("value, name"), "bac");
  EXPECT_EQ(shown("work.value DESC, name ASC"), "acb");
  EXPECT_EQ(error_in("SELECT name FROM work ORDER BY colour"), 1054);
}

TEST(SqlReader, AnswersByItselfWhatLibrariesAskOnConnecting) {
  for (const char* const text :
       {"SET NAMES utf8mb4", "SET sql_mode = CONCAT(@@sql_mode, ',STRICT_TRANS_TABLES')",
        "select @@version_comment limit 1", "select USER()", "SELECT DATABASE()", "DO 0",
        "SHOW WARNINGS", "USE shop", "SELECT 1"})
    EXPECT_EQ(read(text).statement.op, Op::ping) << text;
  EXPECT_THAT(rows_shown(read("SELECT USER(), DATABASE(), 1"), {}),
              ElementsAre(Row{std::string("app@localhost"), std::string("shop"), std::int64_t{1}}));
  EXPECT_EQ(read("SELECT @@autocommit, @@max_allowed_packet").statement.op, Op::about_session);
}

TEST(SqlReader, RefusesWhatTheModelDoesNotHave) {
  for (const char* const text :
       {"FLUSH TABLES", "SELECT", "SELECT 1; SELECT 2", "SELECT GET_LOCK('a', 1), GET_LOCK('b', 1)",
        "SET GLOBAL innodb_lock_wait_timeout = 1", "SET @@global.autocommit = 1",
        "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SELECT name FROM locks LIMIT 1",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT", "SELECT GET_LOCK('a', 0.5)",
        "SELECT * FROM locks ORDER BY 1", "UPDATE work SET value = value * 2", "SELECT 'open",
        "SELECT /* open", "INSERT INTO locks VALUES ('a'), ('b')",
        "UPDATE work SET value = 1 + 9223372036854775808", "CREATE TABLE orders (id BIGINT)"})
    EXPECT_EQ(error_in(text), 1064) << text;
  EXPECT_EQ(error_in(""), 1065);
  EXPECT_EQ(error_in("SELECT * FROM orders"), 1146);
  EXPECT_EQ(error_in("SELECT owner FROM locks"), 1054);
  EXPECT_EQ(error_in("INSERT INTO locks VALUES ('a', 1)"), 1136);
  EXPECT_EQ(error_in("INSERT INTO work (name) VALUES ('a')"), 1364);
  EXPECT_EQ(error_in("INSERT INTO work VALUES ('a', NULL)"), 1048);
  EXPECT_EQ(error_in("INSERT INTO work VALUES ('a', 'b')"), 1366);
  EXPECT_EQ(error_in("SELECT @@nothing"), 1193);
  EXPECT_EQ(error_in("KILL 4294967297"), 1094);
  EXPECT_EQ(error_in("CREATE TABLE locks (name VARCHAR(64))"), 1050);
}

TEST(SqlReader, NamesAStatementThatItDoesNotUnderstandAndWhatThereIs) {
  const auto result = read_sql("OPTIMIZE TABLE locks", kAsker);
  const auto& error = std::get<SqlError>(result);
  EXPECT_EQ(error.state, "42000");
  EXPECT_THAT(error.message, HasSubstr("'OPTIMIZE TABLE locks'"));
  EXPECT_THAT(error.message, HasSubstr("GET_LOCK"));
}

}  // namespace
}  // namespace picklock::mysql::sql_reader_tests
