#include "models/mysql/wire.h"

#include <concepts>
#include <cstring>
#include <type_traits>

#include "models/mysql/sql.h"

namespace picklock::mysql {
namespace {

// The fields of each record, once for both directions.
template <typename Some, typename Direct>
requires std::same_as<std::remove_const_t<Some>, Term>
void each_field(Some& term, Direct& direct) { direct(term.of, term.value, term.column, term.plus); }
template <typename Some, typename Direct>
requires std::same_as<std::remove_const_t<Some>, Condition>
void each_field(Some& condition, Direct& direct) {
  direct(condition.column, condition.is, condition.term);
}
template <typename Some, typename Direct>
requires std::same_as<std::remove_const_t<Some>, Assignment>
void each_field(Some& assignment, Direct& direct) { direct(assignment.column, assignment.term); }
template <typename Some, typename Direct>
requires std::same_as<std::remove_const_t<Some>, Statement>
void each_field(Some& statement, Direct& direct) {
  direct(statement.op, statement.table, statement.key, statement.where, statement.locking,
         statement.waiting, statement.values, statement.on_duplicate, statement.set, statement.name,
         statement.isolation, statement.number);
}
template <typename Some, typename Direct>
requires std::same_as<std::remove_const_t<Some>, Answer>
void each_field(Some& answer, Direct& direct) {
  direct(answer.error, answer.rows, answer.affected);
}

template <typename Some, typename Direct>
requires std::same_as<std::remove_const_t<Some>, Change>
void each_field(Some& change, Direct& direct) { direct(change.table, change.key, change.row); }
template <typename Some, typename Direct>
requires std::same_as<std::remove_const_t<Some>, Event>
void each_field(Some& event, Direct& direct) { direct(event.kind, event.position, event.changes); }

template <typename T>
concept Number = std::integral<T> || std::is_enum_v<T>;

class Writer {
 public:
  explicit Writer(sim::Payload& out) : out_(out) {}

  template <typename... Some>
  void operator()(const Some&... some) {
    (put(some), ...);
  }

 private:
  template <Number T>
  void put(T value) {
    out_.append_raw(value);
  }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    out_.append(text);
  }
  template <typename T>
  void put(const std::optional<T>& one) {
    put(one.has_value());
    if (one) put(*one);
  }
  void put(const Value& value) {
    put(static_cast<std::uint8_t>(value.index()));
    if (const auto* const number = std::get_if<std::int64_t>(&value)) put(*number);
    if (const auto* const text = std::get_if<std::string>(&value)) put(*text);
  }
  template <typename T>
  void put(const std::vector<T>& some) {
    put(static_cast<std::uint32_t>(some.size()));
    for (const T& one : some) put(one);
  }
  template <typename Record>
  requires std::is_aggregate_v<Record>
  void put(const Record& record) { each_field(record, *this); }

  sim::Payload& out_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool all() const { return good_ && rest_.empty(); }

  template <typename... Some>
  void operator()(Some&... some) {
    (take(some), ...);
  }

 private:
  template <Number T>
  void take(T& value) {
    good_ = good_ && rest_.size() >= sizeof value;
    if (!good_) return;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  }
  std::size_t size() {
    std::uint32_t size = 0;
    take(size);
    good_ = good_ && size <= rest_.size();
    return good_ ? size : 0;
  }
  void take(std::string& text) {
    const std::size_t length = size();
    text = rest_.substr(0, length);
    rest_.remove_prefix(length);
  }
  template <typename T>
  void take(std::optional<T>& one) {
    std::uint8_t there = 0;
    take(there);
    one.reset();
    if (there != 0) take(one.emplace());
  }
  void take(Value& value) {
    std::uint8_t kind = 0;
    take(kind);
    value.emplace<std::monostate>();
    if (kind == 1) take(value.emplace<std::int64_t>());
    if (kind == 2) take(value.emplace<std::string>());
    good_ = good_ && kind <= 2;
  }
  template <typename T>
  void take(std::vector<T>& some) {
    some.clear();
    for (std::size_t left = size(); left > 0 && good_; --left) take(some.emplace_back());
  }
  template <typename Record>
  requires std::is_aggregate_v<Record>
  void take(Record& record) { each_field(record, *this); }

  std::string_view rest_;
  bool good_ = true;
};

std::string shown(const Answer& answer) {
  switch (answer.error) {
    case Error::none:
      break;
    case Error::duplicate:
      return "ERROR 1062, duplicate entry";
    case Error::lock_wait_timeout:
      return "ERROR 1205, lock wait timeout";
    case Error::deadlock:
      return "ERROR 1213, deadlock";
    case Error::is_read_only:
      return "ERROR 1290, the server is read-only";
    case Error::interrupted:
      return "ERROR 1317, interrupted";
    default:
      return "ERROR " + std::to_string(static_cast<std::uint16_t>(answer.error));
  }
  if (answer.affected > 0) return std::to_string(answer.affected) + " changed";
  if (answer.rows.empty()) return "ok";
  std::string text;
  for (const Row& row : answer.rows) {
    text += text.empty() ? "(" : ", (";
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ", ") + sql(row[i]);
    text += ')';
  }
  return text;
}

std::string describe(std::string_view payload, bool reply) {
  if (reply) {
    const std::optional<Answer> answer = read_answer(payload);
    return answer ? shown(*answer) : "what is no answer";
  }
  const std::optional<Statement> statement = read_statement(payload);
  return statement ? sql(*statement) : "what is no statement";
}

// By operation.
constexpr std::string_view kNames[] = {
    "BEGIN",    "COMMIT",       "ROLLBACK",     "SAVEPOINT", "ROLLBACK TO", "SET autocommit",
    "SET",      "SELECT",       "INSERT",       "UPDATE",    "DELETE",      "CREATE",
    "GET_LOCK", "RELEASE_LOCK", "IS_USED_LOCK", "KILL",      "KILL QUERY",  "DO",
    "SELECT",   "SET",          "SELECT",       "RESET"};
static_assert(std::size(kNames) == kOps);

// The command, by which a fault may select messages.
std::string_view command(std::string_view payload) {
  const auto op = payload.empty() ? std::size(kNames) : static_cast<unsigned char>(payload[0]);
  return op < std::size(kNames) ? kNames[op] : std::string_view();
}

std::string describe_event(std::string_view payload, bool) {
  const std::optional<Event> event = read_event(payload);
  if (!event) return "what is no event";
  switch (event->kind) {
    case Event::Kind::dump:
      return "BINLOG DUMP from " + std::to_string(event->position);
    case Event::Kind::heartbeat:
      return "HEARTBEAT";
    case Event::Kind::commit:
      break;
  }
  std::string text = "COMMIT " + std::to_string(event->position) + ":";
  for (const Change& change : event->changes) {
    text += ' ' + change.table + '[' + change.key + ']';
    if (!change.row) text += " deleted";
  }
  return text;
}

constexpr sim::Protocol kBinlogProtocol{
    .name = "mysql-binlog", .describe = describe_event, .background = true};

constexpr sim::Protocol kProtocol{.name = "mysql", .describe = describe, .command = command};

template <typename Record>
std::optional<Record> read(std::string_view bytes) {
  std::optional<Record> record(std::in_place);
  Reader reader(bytes);
  each_field(*record, reader);
  if (!reader.all()) record.reset();
  return record;
}

template <typename Record>
void write_record(const Record& record, sim::Payload& out) {
  Writer writer(out);
  each_field(record, writer);
}

}  // namespace

void write(const Statement& statement, sim::Payload& out) { write_record(statement, out); }
void write(const Answer& answer, sim::Payload& out) { write_record(answer, out); }

std::optional<Statement> read_statement(std::string_view bytes) { return read<Statement>(bytes); }
std::optional<Answer> read_answer(std::string_view bytes) { return read<Answer>(bytes); }

// A single primary does not say that it is the origin.
void write(const Event& event, sim::Payload& out) {
  write_record(event, out);
  if (event.origin != 0) out.append_raw(event.origin);
}

std::optional<Event> read_event(std::string_view bytes) {
  if (std::optional<Event> event = read<Event>(bytes)) return event;
  std::uint32_t origin = 0;
  if (bytes.size() < sizeof origin) return std::nullopt;
  std::optional<Event> event = read<Event>(bytes.substr(0, bytes.size() - sizeof origin));
  std::memcpy(&origin, bytes.data() + bytes.size() - sizeof origin, sizeof origin);
  if (event) event->origin = origin;
  return event;
}

keys::Words command_names() { return {std::begin(kNames), std::end(kNames)}; }

const sim::Protocol& protocol() { return kProtocol; }
const sim::Protocol& binlog_protocol() { return kBinlogProtocol; }

}  // namespace picklock::mysql
