#include "models/mysql/sql_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/mysql/session_variables.h"
#include "models/mysql/sql_rows.h"

namespace picklock::mysql {
namespace {

using Kind = Token::Kind;

class SqlReader : private SqlRows {
 public:
  SqlReader(std::string_view text, std::vector<Token> tokens, const Asker& asker,
            std::span<const Value> parameters)
      : SqlRows(text, std::move(tokens), parameters), asker_(asker) {}

  Reading read() {
    statement();
    symbol(";");
    if (peek().kind != Kind::end) fail();
    reading_.statement = std::move(statement_);
    return std::move(reading_);
  }

 private:
  // ---------------------------------------------------------------- statements

  void statement() {
    if (words("select")) return select();
    if (words("insert")) return insert();
    if (words("update")) return update();
    if (words("delete from")) return remove();
    if (words("set")) return set();
    if (words("do")) return do_nothing_with_result();
    if (words("show")) return show();
    if (words("kill")) return kill();
    if (words("use")) {
      reading_.database = name();
    } else if (words("create table")) {
      create();
    } else if (words("savepoint")) {
      statement_.op = Op::savepoint;
      statement_.name = name();
    } else {
      transaction();
    }
  }

  void transaction() {
    if (words("start transaction")) {
      statement_.op = Op::begin;
      words("read write");
    } else if (words("begin")) {
      statement_.op = Op::begin;
      words("work");
    } else if (words("commit")) {
      statement_.op = Op::commit;
      words("work");
    } else if (words("rollback")) {
      statement_.op = Op::rollback;
      words("work");
      if (!words("to")) return;
      words("savepoint");
      statement_.op = Op::rollback_to;
      statement_.name = name();
    } else {
      fail();
    }
  }

  void kill() {
    statement_.op = words("query") ? Op::kill_query : Op::kill;
    if (statement_.op == Op::kill) words("connection");
    statement_.number = integer();
    if (statement_.number < 1 || statement_.number > std::numeric_limits<std::uint32_t>::max())
      throw error_of(Error::no_such_thread, statement_);
  }

  // It commits, whatever the columns are.
  void create() {
    const bool anew = words("if not exists");
    statement_.op = Op::ddl;
    statement_.name = name();
    if (!anew && schema_of(statement_.name) != nullptr) {
      throw SqlError{1050, "42S01", "Table '" + statement_.name + "' already exists"};
    }
    while (peek().kind != Kind::end && !(peek().kind == Kind::symbol && peek().text == ";")) take();
  }

  // ---------------------------------------------------------------- SET

  void set() {
    if (words("session transaction") || words("local transaction")) return isolation_level();
    do set_one();
    while (symbol(","));
  }

  void isolation_level() {
    statement_.op = Op::set_isolation;
    expect_words("isolation level");
    if (words("read committed")) {
      statement_.isolation = Isolation::read_committed;
    } else if (words("repeatable read")) {
      statement_.isolation = Isolation::repeatable_read;
    } else if (words("serializable")) {
      statement_.isolation = Isolation::serializable;
    } else {
      fail();
    }
  }

  void set_one() {
    const std::size_t from = place();
    if (words("names") || words("character set")) {
      skip_value();
      return;
    }
    if (!words("session")) words("local");
    const bool spelled = peek().kind == Kind::variable;
    if (spelled && lower(peek().text).starts_with("global.")) fail();
    const std::string variable = spelled ? variable_name(take().text) : lower(name());
    if (!symbol("=")) expect(":=");
    if (is_without_effect(variable)) {
      skip_value();
      return;
    }
    // One statement of the model is all that a SET can be.
    if (statement_.op != Op::ping) fail();
    if (variable == "autocommit") {
      statement_.op = Op::set_autocommit;
      statement_.number = words("on") ? 1 : words("off") ? 0 : integer();
      if (statement_.number != 0 && statement_.number != 1) fail();
    } else if (variable == "innodb_lock_wait_timeout") {
      statement_.op = Op::set_lock_wait_timeout;
      statement_.number = seconds();
    } else if (variable == "tx_isolation" || variable == "transaction_isolation") {
      statement_.op = Op::set_isolation;
      statement_.isolation = isolation_named(lower(string()));
    } else {
      go_to(from);
      fail();
    }
  }

  // The session's limit of a wait, which cannot be longer than the server's.
  std::int64_t seconds() {
    if (!words("least")) return integer();
    expect("(");
    if (peek().kind != Kind::variable || lower(peek().text) != "global.innodb_lock_wait_timeout")
      fail();
    take();
    expect(",");
    const std::int64_t seconds = integer();
    expect(")");
    return seconds;
  }

  Isolation isolation_named(const std::string& text) {
    if (text == "read-committed") return Isolation::read_committed;
    if (text == "repeatable-read") return Isolation::repeatable_read;
    if (text == "serializable") return Isolation::serializable;
    go_to(place() - 1);
    fail();
  }

  void skip_value() {
    int depth = 0;
    while (peek().kind != Kind::end) {
      const bool is_symbol = peek().kind == Kind::symbol;
      if (is_symbol && depth == 0 && (peek().text == "," || peek().text == ";")) return;
      if (is_symbol && peek().text == "(") ++depth;
      if (is_symbol && peek().text == ")") --depth;
      take();
    }
  }

  // ---------------------------------------------------------------- SELECT

  void select() {
    const std::size_t list = place();
    // The columns can only be read once the table is known.
    const std::size_t from = place_of_from();
    if (from == 0) {
      do item();
      while (symbol(","));
      words("from dual");
      limit();
      return finish_functions();
    }
    go_to(from);
    statement_.op = Op::select;
    table();
    const std::size_t behind = place();
    go_to(list);
    do column_item();
    while (symbol(","));
    if (!is_word("from")) fail();
    go_to(behind);
    where();
    order();
    limit();
    locking();
    check_count();
  }

  // Behind the word; 0: there is none.
  std::size_t place_of_from() const {
    const std::span<const Token> all = tokens();
    for (std::size_t i = place(); i < all.size(); ++i) {
      const bool from = all[i].kind == Kind::word && lower(all[i].text) == "from";
      const bool dual = i + 1 < all.size() && lower(all[i + 1].text) == "dual";
      if (from && !dual) return i + 1;
    }
    return 0;
  }

  void order() {
    if (!words("order by")) return;
    do {
      const std::string one = column();
      const auto& columns = schema().columns;
      const auto at = std::find(columns.begin(), columns.end(), one) - columns.begin();
      const bool descending = words("desc");
      if (!descending) words("asc");
      reading_.order.push_back({.field = static_cast<std::size_t>(at), .descending = descending});
    } while (symbol(","));
  }

  // At most one row has a key, so that a limit changes nothing.
  void limit() {
    if (!is_word("limit")) return;
    const bool one = statement_.op != Op::select || statement_.key.has_value();
    if (!one || peek(1).kind != Kind::number || peek(1).text == "0") fail();
    take();
    integer();
  }

  void locking() {
    if (words("lock in share mode") || words("for share")) {
      statement_.locking = Locking::share;
    } else if (words("for update")) {
      statement_.locking = Locking::update;
    } else {
      return;
    }
    if (words("nowait")) {
      statement_.waiting = Waiting::nowait;
    } else if (words("skip locked")) {
      statement_.waiting = Waiting::skips;
    }
  }

  void check_count() {
    const std::vector<Shown>& shown = reading_.shown;
    const bool counts = std::any_of(shown.begin(), shown.end(), [](const Shown& one) {
      return one.from == Shown::From::count;
    });
    if (counts && shown.size() > 1) fail();
  }

  void add(std::size_t from, Shown shown) {
    shown.title = text_from(from);
    if (words("as")) {
      shown.title = take().text;
    } else if (is_name() && !is_word("from") && !is_word("limit")) {
      shown.title = take().text;
    }
    reading_.shown.push_back(std::move(shown));
  }

  void add_constant(std::size_t from, Value value) {
    const bool is_text = !std::holds_alternative<std::int64_t>(value);
    add(from,
        {.title = {}, .from = Shown::From::value, .value = std::move(value), .is_text = is_text});
  }

  void column_item() {
    const std::size_t from = place();
    if (symbol("*")) return add_columns();
    if (is_word("count") && peek(1).text == "(") {
      go_to(place() + 2);
      if (!symbol("*")) integer();
      expect(")");
      return add(from, {.title = {}, .from = Shown::From::count});
    }
    if (std::optional<Value> value = literal()) return add_constant(from, *std::move(value));
    const std::string one = column();
    const auto& columns = schema().columns;
    const auto at = std::find(columns.begin(), columns.end(), one) - columns.begin();
    add(from,
        {.title = {}, .from = {}, .field = static_cast<std::size_t>(at), .is_text = is_text(one)});
    if (reading_.shown.back().title.find('.') != std::string::npos)
      reading_.shown.back().title = one;
  }

  void add_columns() {
    for (const std::string& one : schema().columns) {
      const std::size_t field = reading_.shown.size();
      reading_.shown.push_back(
          {.title = one, .from = {}, .field = field, .value = {}, .is_text = is_text(one)});
    }
    // Only alone it stands for the fields in their order.
    if (reading_.shown.size() != schema().columns.size()) fail();
  }

  void item() {
    const std::size_t from = place();
    if (std::optional<Value> value = literal()) return add_constant(from, *std::move(value));
    if (peek().kind == Kind::variable) return variable(from);
    const std::string function = lower(name());
    if (function == "current_user" && peek().text != "(") return add_constant(from, user());
    expect("(");
    if (lock_function(function)) {
      expect(")");
      const bool asks_if_free = function == "is_free_lock";
      add(from, {.title = {}, .from = asks_if_free ? Shown::From::is_null : Shown::From::field});
      return;
    }
    expect(")");
    if (function == "connection_id") return about(from, About::connection_id);
    if (function == "version") return about(from, About::version);
    if (function == "database" || function == "schema") {
      return add_constant(from, asker_.database.empty() ? Value() : Value(asker_.database));
    }
    if (function == "user" || function == "current_user" || function == "session_user")
      return add_constant(from, user());
    if (function == "last_insert_id") return add_constant(from, std::int64_t{0});
    go_to(from);
    fail();
  }

  Value user() const { return asker_.user + "@localhost"; }

  // GET_LOCK and its like, up to the bracket behind the arguments.
  bool lock_function(std::string_view function) {
    Op op{};
    if (function == "get_lock") {
      op = Op::get_lock;
    } else if (function == "release_lock") {
      op = Op::release_lock;
    } else if (function == "is_used_lock" || function == "is_free_lock") {
      op = Op::is_used_lock;
    } else {
      return false;
    }
    // The server executes one statement at a time.
    if (statement_.op != Op::ping) fail();
    statement_.op = op;
    statement_.name = string();
    if (op != Op::get_lock) return true;
    expect(",");
    statement_.number = integer();
    return true;
  }

  void variable(std::size_t from) {
    const Token& token = take();
    const std::string variable = variable_name(token.text);
    if (const auto value = about_of(variable)) return about(from, *value);
    std::optional<Value> value = constant_of(variable);
    if (!value) throw unknown_variable(variable);
    add_constant(from, *std::move(value));
  }

  void about(std::size_t from, About about) {
    abouts_ = true;
    add(from, {.title = {},
               .from = {},
               .field = static_cast<std::size_t>(about),
               .is_text = about == About::version || about == About::isolation});
  }

  void finish_functions() {
    if (abouts_) {
      if (statement_.op != Op::ping) fail();
      statement_.op = Op::about_session;
      if (reading_.shown.size() == 1 &&
          reading_.shown.front().field == static_cast<std::size_t>(About::read_only)) {
        statement_.op = Op::read_only;
        reading_.shown.front().field = 0;
      }
    } else if (statement_.op == Op::ping) {
      reading_.rows.assign(1, {});
      for (const Shown& one : reading_.shown) reading_.rows.front().push_back(one.value);
    }
  }

  // The value of a function is thrown away.
  void do_nothing_with_result() {
    do item();
    while (symbol(","));
    reading_.shown.clear();
    if (abouts_) fail();
  }

  // ---------------------------------------------------------------- SHOW

  void list(std::vector<std::string> titles) {
    for (std::string& title : titles) {
      Shown shown{
          .title = std::move(title), .from = Shown::From::value, .value = {}, .is_text = true};
      reading_.shown.push_back(std::move(shown));
    }
  }

  void show() {
    if (words("warnings") || words("errors")) {
      list({"Level", "Code", "Message"});
      limit();
    } else if (words("databases") || words("schemas")) {
      list({"Database"});
      reading_.rows.push_back({std::string("picklock")});
    } else if (words("tables")) {
      list({"Tables_in_picklock"});
      for (const Schema& schema : schemas()) reading_.rows.push_back({schema.name});
    } else if (words("variables like") || words("session variables like")) {
      list({"Variable_name", "Value"});
      const std::string variable = string();
      if (const std::optional<Value> value = constant_of(lower(variable))) {
        const auto* const number = std::get_if<std::int64_t>(&*value);
        reading_.rows.push_back(
            {variable, number != nullptr ? Value(std::to_string(*number)) : *value});
      }
    } else {
      fail();
    }
  }

  const Asker& asker_;
  Reading reading_;
  bool abouts_ = false;  // it asks for something of About
};

}  // namespace

std::variant<Reading, SqlError> read_sql(std::string_view text, const Asker& asker,
                                         std::span<const Value> parameters) {
  std::optional<std::vector<Token>> tokens = tokens_of(text);
  if (!tokens) return not_understood(text, text);
  if (tokens->size() == 1) return SqlError{1065, "42000", "Query was empty"};
  try {
    return SqlReader(text, *std::move(tokens), asker, parameters).read();
  } catch (SqlError& error) {
    return std::move(error);
  }
}

std::vector<Row> rows_shown(const Reading& reading, const Answer& answer) {
  if (reading.statement.op == Op::ping) return reading.rows;
  if (reading.shown.size() == 1 && reading.shown.front().from == Shown::From::count)
    return {{static_cast<std::int64_t>(answer.rows.size())}};
  std::vector<Row> answered = answer.rows;
  std::stable_sort(answered.begin(), answered.end(), [&](const Row& one, const Row& other) {
    for (const auto& [field, descending] : reading.order) {
      if (one[field] != other[field]) return (one[field] < other[field]) != descending;
    }
    return false;
  });
  std::vector<Row> rows;
  for (const Row& row : answered) {
    Row& out = rows.emplace_back();
    for (const Shown& one : reading.shown) {
      const Value value = one.field < row.size() ? row[one.field] : Value();
      switch (one.from) {
        case Shown::From::field:
          out.push_back(value);
          break;
        case Shown::From::is_null:
          out.emplace_back(std::int64_t{std::holds_alternative<std::monostate>(value) ? 1 : 0});
          break;
        default:
          out.push_back(one.value);
          break;
      }
    }
  }
  return rows;
}

}  // namespace picklock::mysql
