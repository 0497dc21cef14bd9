#include "models/mysql/sql_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "models/mysql/sql_tokens.h"
#include "models/mysql/tables.h"

namespace picklock::mysql {
namespace {

using Kind = Token::Kind;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text) out += lower(c);
  return out;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  // A driver writes 10.0 as well.
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) {
    std::string_view rest = text.substr(point + 1);
    if (rest.ends_with("e0")) rest.remove_suffix(2);
    if (rest.find_first_not_of('0') != std::string_view::npos) return std::nullopt;
    text = text.substr(0, point);
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

struct Constant {
  std::string_view name;
  std::string_view text;
};

// Variables that change nothing in the model.
constexpr Constant kTexts[] = {
    {"version_comment", "picklock"},
    {"version_compile_os", "Linux"},
    {"character_set_client", "utf8mb4"},
    {"character_set_connection", "utf8mb4"},
    {"character_set_results", "utf8mb4"},
    {"character_set_server", "utf8mb4"},
    {"character_set_database", "utf8mb4"},
    {"collation_server", "utf8mb4_general_ci"},
    {"collation_connection", "utf8mb4_general_ci"},
    {"collation_database", "utf8mb4_general_ci"},
    {"default_storage_engine", "InnoDB"},
    {"init_connect", ""},
    {"license", "GPL"},
    {"query_cache_type", "OFF"},
    {"sql_mode", "STRICT_TRANS_TABLES"},
    {"system_time_zone", "UTC"},
    {"time_zone", "SYSTEM"},
};
constexpr std::pair<std::string_view, std::int64_t> kNumbers[] = {
    {"auto_increment_increment", 1},  {"lower_case_table_names", 0},
    {"max_allowed_packet", 16 << 20}, {"net_buffer_length", 16384},
    {"net_read_timeout", 30},         {"net_write_timeout", 60},
    {"performance_schema", 0},        {"query_cache_size", 0},
    {"foreign_key_checks", 1},        {"unique_checks", 1},
    {"sql_safe_updates", 0},
};

constexpr std::pair<std::string_view, About> kAboutNames[] = {
    {"pseudo_thread_id", About::connection_id},
    {"version", About::version},
    {"tx_isolation", About::isolation},
    {"transaction_isolation", About::isolation},
    {"innodb_lock_wait_timeout", About::lock_wait_timeout},
    {"wait_timeout", About::wait_timeout},
    {"interactive_timeout", About::wait_timeout},
    {"autocommit", About::autocommit},
    {"read_only", About::read_only},
};

// A client may set these to anything.
bool is_without_effect(std::string_view variable) {
  constexpr std::string_view kMore[] = {"names",
                                        "sql_notes",
                                        "sql_warnings",
                                        "sql_auto_is_null",
                                        "session_track_schema",
                                        "session_track_system_variables"};
  const auto named = [variable](const auto& one) { return one.name == variable; };
  return std::any_of(std::begin(kTexts), std::end(kTexts), named) ||
         std::any_of(std::begin(kNumbers), std::end(kNumbers),
                     [variable](const auto& one) { return one.first == variable; }) ||
         std::find(std::begin(kMore), std::end(kMore), variable) != std::end(kMore);
}

std::optional<Value> constant_of(std::string_view variable) {
  for (const auto& one : kTexts) {
    if (one.name == variable) return Value(std::string(one.text));
  }
  for (const auto& [name, number] : kNumbers) {
    if (name == variable) return Value(number);
  }
  return std::nullopt;
}

// `@@session.autocommit` is `autocommit`.
std::string variable_name(std::string_view name) {
  std::string all = lower(name);
  for (const std::string_view scope : {"session.", "global.", "local."}) {
    if (all.starts_with(scope)) return all.substr(scope.size());
  }
  return all;
}

class SqlReader {
 public:
  SqlReader(std::string_view text, std::vector<Token> tokens, const Asker& asker,
            std::span<const Value> parameters)
      : text_(text), tokens_(std::move(tokens)), asker_(asker), parameters_(parameters) {}

  Reading read() {
    statement();
    symbol(";");
    if (peek().kind != Kind::end) fail();
    return std::move(reading_);
  }

 private:
  // ---------------------------------------------------------------- tokens

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  const Token& take() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  [[noreturn]] void fail() const { throw not_understood(text_, text_.substr(peek().from)); }

  bool is_word(std::string_view word, std::size_t ahead = 0) const {
    return peek(ahead).kind == Kind::word && lower(peek(ahead).text) == word;
  }
  // Takes these words, or none of them.
  bool words(std::string_view all) {
    std::size_t count = 0;
    while (!all.empty()) {
      const std::string_view one = all.substr(0, all.find(' '));
      if (!is_word(one, count)) return false;
      ++count;
      all.remove_prefix(std::min(one.size() + 1, all.size()));
    }
    at_ += count;
    return true;
  }
  bool symbol(std::string_view text) {
    const bool there = peek().kind == Kind::symbol && peek().text == text;
    if (there) take();
    return there;
  }
  void expect_words(std::string_view all) {
    if (!words(all)) fail();
  }
  void expect(std::string_view text) {
    if (!symbol(text)) fail();
  }
  bool is_name() const { return peek().kind == Kind::word || peek().kind == Kind::name; }
  std::string name() {
    if (!is_name()) fail();
    return take().text;
  }

  // ---------------------------------------------------------------- values

  std::optional<Value> literal() {
    const Token& token = peek();
    switch (token.kind) {
      case Kind::text:
        return Value(take().text);
      case Kind::parameter:
        if (parameter_ == parameters_.size()) fail();
        take();
        return parameters_[parameter_++];
      case Kind::number:
        return number_token(false);
      case Kind::symbol:
        if (token.text != "-" || peek(1).kind != Kind::number) return std::nullopt;
        take();
        return number_token(true);
      case Kind::word:
        break;
      default:
        return std::nullopt;
    }
    if (words("null")) return Value();
    if (words("true")) return Value(std::int64_t{1});
    if (words("false")) return Value(std::int64_t{0});
    const bool introduced = lower(token.text) == "_binary" || lower(token.text) == "_utf8mb4";
    if (!introduced || peek(1).kind != Kind::text) return std::nullopt;
    take();
    return Value(take().text);
  }

  Value number_token(bool negative) {
    const auto number = whole_number((negative ? "-" : "") + peek().text);
    if (!number) fail();
    take();
    return *number;
  }

  std::int64_t integer() {
    const std::optional<Value> value = literal();
    if (!value) fail();
    if (const auto* const number = std::get_if<std::int64_t>(&*value)) return *number;
    const auto* const text = std::get_if<std::string>(&*value);
    const auto number = text == nullptr ? std::nullopt : whole_number(*text);
    if (!number) fail();
    return *number;
  }

  std::string string() {
    const std::optional<Value> value = literal();
    if (!value) fail();
    if (const auto* const text = std::get_if<std::string>(&*value)) return *text;
    const auto* const number = std::get_if<std::int64_t>(&*value);
    if (number == nullptr) fail();
    return std::to_string(*number);
  }

  Term term() {
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
  Term inserted() {
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
  bool is_now() {
    constexpr std::string_view kNow[] = {
        "cast", "(", "unix_timestamp", "(",  "now",    "(", "6", ")",
        ")",    "*", "1000000",        "as", "signed", ")"};
    for (std::size_t i = 0; i < std::size(kNow); ++i) {
      if (lower(peek(i).text) != kNow[i] || peek(i).kind == Kind::text) return false;
    }
    at_ += std::size(kNow);
    return true;
  }

  // ---------------------------------------------------------------- tables

  // The name of its database may stand in front of it.
  std::string table() {
    std::string table = name();
    if (symbol(".")) table = name();
    if (schema_of(table) == nullptr)
      throw error_of(Error::no_such_table, {.op = Op::select, .table = table});
    reading_.statement.table = table;
    return table;
  }
  const Schema& schema() const { return *schema_of(reading_.statement.table); }

  std::string column() {
    std::string column = name();
    if (symbol(".")) column = name();
    if (peek().kind == Kind::symbol && peek().text == "(") fail();
    const auto& columns = schema().columns;
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const std::string& one) { return one == lower(column); });
    if (found == columns.end()) throw unknown_column(column);
    return *found;
  }

  void where() {
    if (!words("where")) return;
    do condition();
    while (words("and"));
  }

  void condition() {
    Statement& statement = reading_.statement;
    Condition condition{.column = column(), .is = {}, .term = {}};
    const std::string is = peek().kind == Kind::symbol ? take().text : std::string();
    condition.term = term();
    if (is == "=") {
      const Term& term = condition.term;
      const bool is_key = condition.column == schema().columns.front() && !statement.key &&
                          term.of == Term::Of::value && term.plus == 0;
      if (const auto* const text = std::get_if<std::string>(&term.value);
          is_key && text != nullptr) {
        statement.key = *text;
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
    statement.where.push_back(std::move(condition));
  }

  std::vector<Assignment> assignments() {
    std::vector<Assignment> all;
    do {
      Assignment one{.column = column(), .term = {}};
      expect("=");
      one.term = term();
      all.push_back(std::move(one));
    } while (symbol(","));
    return all;
  }

  // ---------------------------------------------------------------- statements

  void statement() {
    Statement& statement = reading_.statement;
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
      statement.op = Op::savepoint;
      statement.name = name();
    } else {
      transaction();
    }
  }

  void transaction() {
    Statement& statement = reading_.statement;
    if (words("start transaction")) {
      statement.op = Op::begin;
      words("read write");
    } else if (words("begin")) {
      statement.op = Op::begin;
      words("work");
    } else if (words("commit")) {
      statement.op = Op::commit;
      words("work");
    } else if (words("rollback")) {
      statement.op = Op::rollback;
      words("work");
      if (!words("to")) return;
      words("savepoint");
      statement.op = Op::rollback_to;
      statement.name = name();
    } else {
      fail();
    }
  }

  void kill() {
    Statement& statement = reading_.statement;
    statement.op = words("query") ? Op::kill_query : Op::kill;
    if (statement.op == Op::kill) words("connection");
    statement.number = integer();
    if (statement.number < 1 || statement.number > std::numeric_limits<std::uint32_t>::max())
      throw error_of(Error::no_such_thread, statement);
  }

  // It commits, whatever the columns are.
  void create() {
    Statement& statement = reading_.statement;
    const bool anew = words("if not exists");
    statement.op = Op::ddl;
    statement.name = name();
    if (!anew && schema_of(statement.name) != nullptr) {
      throw SqlError{1050, "42S01", "Table '" + statement.name + "' already exists"};
    }
    while (peek().kind != Kind::end && !(peek().kind == Kind::symbol && peek().text == ";")) take();
  }

  void insert() {
    Statement& statement = reading_.statement;
    statement.op = Op::insert;
    if (words("ignore")) statement.on_duplicate = OnDuplicate::ignores;
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
      statement.values.push_back(terms[static_cast<std::size_t>(given - columns.begin())]);
    }
    if (!words("on duplicate key update")) return;
    if (statement.on_duplicate == OnDuplicate::ignores) fail();
    inserts_ = &statement.values;
    statement.on_duplicate = OnDuplicate::updates;
    statement.set = assignments();
  }

  void update() {
    Statement& statement = reading_.statement;
    statement.op = Op::update;
    table();
    expect_words("set");
    statement.set = assignments();
    where();
  }

  void remove() {
    reading_.statement.op = Op::remove;
    table();
    where();
  }

  // ---------------------------------------------------------------- SET

  void set() {
    if (words("session transaction") || words("local transaction")) return isolation_level();
    do set_one();
    while (symbol(","));
  }

  void isolation_level() {
    Statement& statement = reading_.statement;
    statement.op = Op::set_isolation;
    expect_words("isolation level");
    if (words("read committed")) {
      statement.isolation = Isolation::read_committed;
    } else if (words("repeatable read")) {
      statement.isolation = Isolation::repeatable_read;
    } else if (words("serializable")) {
      statement.isolation = Isolation::serializable;
    } else {
      fail();
    }
  }

  void set_one() {
    Statement& statement = reading_.statement;
    const std::size_t from = at_;
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
    if (statement.op != Op::ping) fail();
    if (variable == "autocommit") {
      statement.op = Op::set_autocommit;
      statement.number = words("on") ? 1 : words("off") ? 0 : integer();
      if (statement.number != 0 && statement.number != 1) fail();
    } else if (variable == "innodb_lock_wait_timeout") {
      statement.op = Op::set_lock_wait_timeout;
      statement.number = seconds();
    } else if (variable == "tx_isolation" || variable == "transaction_isolation") {
      statement.op = Op::set_isolation;
      statement.isolation = isolation_named(lower(string()));
    } else {
      at_ = from;
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
    --at_;
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
    Statement& statement = reading_.statement;
    const std::size_t list = at_;
    // The columns can only be read once the table is known.
    const std::size_t from = place_of_from();
    if (from == 0) {
      do item();
      while (symbol(","));
      words("from dual");
      limit();
      return finish_functions();
    }
    at_ = from;
    statement.op = Op::select;
    table();
    const std::size_t behind = at_;
    at_ = list;
    do column_item();
    while (symbol(","));
    if (!is_word("from")) fail();
    at_ = behind;
    where();
    limit();
    locking();
    check_count();
  }

  // Behind the word; 0: there is none.
  std::size_t place_of_from() const {
    for (std::size_t i = at_; i < tokens_.size(); ++i) {
      const bool from = tokens_[i].kind == Kind::word && lower(tokens_[i].text) == "from";
      const bool dual = i + 1 < tokens_.size() && lower(tokens_[i + 1].text) == "dual";
      if (from && !dual) return i + 1;
    }
    return 0;
  }

  // At most one row has a key, so that a limit changes nothing.
  void limit() {
    if (!is_word("limit")) return;
    const bool one = reading_.statement.op != Op::select || reading_.statement.key.has_value();
    if (!one || peek(1).kind != Kind::number || peek(1).text == "0") fail();
    take();
    integer();
  }

  void locking() {
    Statement& statement = reading_.statement;
    if (words("lock in share mode") || words("for share")) {
      statement.locking = Locking::share;
    } else if (words("for update")) {
      statement.locking = Locking::update;
    } else {
      return;
    }
    if (words("nowait")) {
      statement.waiting = Waiting::nowait;
    } else if (words("skip locked")) {
      statement.waiting = Waiting::skips;
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
    const std::size_t to = at_ > 0 ? tokens_[at_ - 1].to : 0;
    shown.title = text_.substr(tokens_[from].from, to - tokens_[from].from);
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
    const std::size_t from = at_;
    if (symbol("*")) return add_columns();
    if (is_word("count") && peek(1).text == "(") {
      at_ += 2;
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
    const std::size_t from = at_;
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
    at_ = from;
    fail();
  }

  Value user() const { return asker_.user + "@localhost"; }

  // GET_LOCK and its like, up to the bracket behind the arguments.
  bool lock_function(std::string_view function) {
    Statement& statement = reading_.statement;
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
    if (statement.op != Op::ping) fail();
    statement.op = op;
    statement.name = string();
    if (op != Op::get_lock) return true;
    expect(",");
    statement.number = integer();
    return true;
  }

  void variable(std::size_t from) {
    const Token& token = take();
    const std::string variable = variable_name(token.text);
    for (const auto& [name, value] : kAboutNames) {
      if (name == variable) return about(from, value);
    }
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
    Statement& statement = reading_.statement;
    if (abouts_) {
      if (statement.op != Op::ping) fail();
      statement.op = Op::about_session;
      if (reading_.shown.size() == 1 &&
          reading_.shown.front().field == static_cast<std::size_t>(About::read_only)) {
        statement.op = Op::read_only;
        reading_.shown.front().field = 0;
      }
    } else if (statement.op == Op::ping) {
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

  std::string_view text_;
  std::vector<Token> tokens_;
  const Asker& asker_;
  std::span<const Value> parameters_;
  std::size_t at_ = 0;
  std::size_t parameter_ = 0;
  Reading reading_;
  bool abouts_ = false;                         // it asks for something of About
  const std::vector<Term>* inserts_ = nullptr;  // to which VALUES(column) refers
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
  std::vector<Row> rows;
  for (const Row& row : answer.rows) {
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
