#include "models/mysql/socket_wire.h"

#include <fmt/format.h>

#include <utility>

#include "models/mysql/native_password.h"
#include "models/mysql/sql_check.h"
#include "models/mysql/wire.h"

namespace picklock::mysql {

using packets::Answers;
using packets::Fields;
using servers::Cut;

namespace {

constexpr std::size_t kLongestHandshake = 64 * 1024;
constexpr std::size_t kMostParameters = 65'535;
// The command line client calls itself so: it is the name of no application.
constexpr std::string_view kShell = "mysql";

enum class Command : std::uint8_t {
  quit = 0x01,
  init_db = 0x02,
  query = 0x03,
  statistics = 0x09,
  process_kill = 0x0c,
  ping = 0x0e,
  change_user = 0x11,
  stmt_prepare = 0x16,
  stmt_execute = 0x17,
  stmt_send_long_data = 0x18,
  stmt_close = 0x19,
  stmt_reset = 0x1a,
  set_option = 0x1b,
  reset_connection = 0x1f,
};

}  // namespace

// ---------------------------------------------------------------- requests

void SocketWire::require(std::string_view password, std::string_view challenge) {
  password_ = password;
  challenge_ = challenge;
}

bool SocketWire::open(sim::Payload& message) {
  Asked greeting{.as = Asked::As::greeting};
  greeting.reading.statement.op = Op::about_session;
  ask(message, std::move(greeting));
  return true;
}

Cut SocketWire::ask(sim::Payload& message, Asked asked) {
  write(asked.reading.statement, message);
  asked.next = next_;
  asked_ = std::move(asked);
  return Cut::request;
}

Cut SocketWire::answer_ok(sim::Payload& message) {
  Asked asked{.as = Asked::As::written};
  Answers(asked.written, next_).ok(0, status());
  return ask(message, std::move(asked));
}

Cut SocketWire::refuse(sim::Payload& message, const SqlError& error, bool ends) {
  Asked asked{.as = Asked::As::written, .ends = ends};
  Answers(asked.written, next_).error(error);
  return ask(message, std::move(asked));
}

Cut SocketWire::cut(std::string_view& bytes, sim::Payload& message) {
  if (asked_) return Cut::held;
  if (bytes.size() < packets::kHeader) return Cut::partial;
  Fields header(bytes.substr(0, packets::kHeader));
  const std::size_t length = header.number(3);
  const auto number = static_cast<std::uint8_t>(header.number(1));
  next_ = static_cast<std::uint8_t>(number + 1);
  // The server ends the connection without a look at the rest.
  const auto end = [&](std::uint16_t error, std::string text) {
    bytes = {};
    return refuse(message, {error, "08S01", std::move(text)}, true);
  };
  const std::uint8_t expected = stage_ == Stage::handshake ? 1 : stage_ == Stage::proof ? 3 : 0;
  if (number != expected) return end(1156, "Got packets out of order");
  if (length == packets::kLongest)
    return end(1153, "Got a packet bigger than 'max_allowed_packet' bytes");
  const bool any_length = stage_ == Stage::proof || length > 0;
  if (!any_length || (stage_ != Stage::command && length > kLongestHandshake))
    return end(1043, "Bad handshake");
  if (bytes.size() < packets::kHeader + length) return Cut::partial;
  const std::string_view payload = bytes.substr(packets::kHeader, length);
  bytes.remove_prefix(packets::kHeader + length);
  return stage_ == Stage::command     ? command(payload, message)
         : stage_ == Stage::handshake ? shake_hands(payload, message)
                                      : check(payload, message);
}

Cut SocketWire::shake_hands(std::string_view payload, sim::Payload& message) {
  std::optional<packets::Handshake> handshake = packets::read_handshake(payload);
  if (!handshake && packets::wants_tls(payload))
    return refuse(message, {1043, "08S01", "Bad handshake: this server has no TLS"}, true);
  if (!handshake) return refuse(message, {1043, "08S01", "Bad handshake"}, true);
  asker_ = {.user = std::move(handshake->user), .database = std::move(handshake->database)};
  if (!handshake->program.empty() && handshake->program != kShell)
    program_ = std::move(handshake->program);
  const bool other_proof = !handshake->plugin.empty() && handshake->plugin != kNativePassword;
  if (password_.empty() || !other_proof) return check(handshake->proof, message);
  stage_ = Stage::proof;
  Asked asked{.as = Asked::As::written};
  Answers(asked.written, next_).packet(packets::switch_of_proof(challenge_));
  return ask(message, std::move(asked));
}

Cut SocketWire::check(std::string_view proof, sim::Payload& message) {
  stage_ = Stage::command;
  return proves(proof) ? answer_ok(message) : deny(proof, message);
}

bool SocketWire::proves(std::string_view proof) const {
  return password_.empty() || proof == proof_of(password_, challenge_);
}

Cut SocketWire::deny(std::string_view proof, sim::Payload& message) {
  return refuse(message,
                {1045, "28000",
                 fmt::format("Access denied for user '{}'@'localhost' (using password: {})",
                             asker_.user, proof.empty() ? "NO" : "YES")},
                true);
}

Cut SocketWire::command(std::string_view payload, sim::Payload& message) {
  const auto command = static_cast<Command>(payload.front());
  const std::string_view rest = payload.substr(1);
  Asked asked{.as = Asked::As::written};
  switch (command) {
    case Command::quit:
      asked.ends = true;
      return ask(message, std::move(asked));
    case Command::init_db:
      asker_.database = rest;
      return answer_ok(message);
    case Command::query:
      return query(rest, {}, Asked::As::text, message);
    case Command::statistics:
      Answers(asked.written, next_).packet("picklock");
      return ask(message, std::move(asked));
    case Command::process_kill:
      return query(fmt::format("KILL {}", Fields(rest).number(4)), {}, Asked::As::text, message);
    case Command::ping:
      return answer_ok(message);
    case Command::change_user:
      return change_user(rest, message);
    case Command::stmt_prepare:
      return prepare(rest, message);
    case Command::stmt_execute:
      return execute(rest, message);
    case Command::stmt_reset:
      return answer_ok(message);
    case Command::stmt_close:
      prepared_.remove(static_cast<std::uint32_t>(Fields(rest).number(4)));
      return Cut::nothing;
    case Command::stmt_send_long_data:
      // No answer may come. Without its value the statement cannot be executed as it was meant.
      prepared_.remove(static_cast<std::uint32_t>(Fields(rest).number(4)));
      return Cut::nothing;
    case Command::set_option:
      Answers(asked.written, next_).end(status());
      return ask(message, std::move(asked));
    case Command::reset_connection:
      return reset(message);
  }
  return refuse(message, {1047, "08S01", "Unknown command"});
}

Cut SocketWire::reset(sim::Payload& message) {
  prepared_ = {};
  Asked asked{.as = Asked::As::text};
  asked.reading.statement.op = Op::reset_session;
  return ask(message, std::move(asked));
}

// The session begins anew, as another user or the same.
Cut SocketWire::change_user(std::string_view fields, sim::Payload& message) {
  Fields read(fields);
  const std::string_view user = read.until_nul();
  const std::string_view proof = read.bytes(read.number(1));
  const std::string_view database = read.until_nul();
  if (!read.good()) return refuse(message, {1047, "08S01", "Unknown command"});
  asker_ = {.user = std::string(user), .database = std::string(database)};
  return proves(proof) ? reset(message) : deny(proof, message);
}

Cut SocketWire::query(std::string_view text, std::span<const Value> parameters, Asked::As as,
                      sim::Payload& message) {
  std::variant<Reading, SqlError> read = read_sql(text, asker_, parameters);
  if (const auto* const error = std::get_if<SqlError>(&read)) return refuse(message, *error);
  Reading& reading = std::get<Reading>(read);
  if (const auto error = refusal_of(reading.statement)) return refuse(message, *error);
  if (reading.database) asker_.database = *reading.database;
  return ask(message, {.as = as, .reading = std::move(reading)});
}

Cut SocketWire::prepare(std::string_view text, sim::Payload& message) {
  const std::size_t parameters = parameters_in(text);
  if (parameters > kMostParameters)
    return refuse(message, {1390, "HY000", "Prepared statement contains too many placeholders"});
  // A text of digits fits wherever a value may be.
  const std::vector<Value> any(parameters, Value(std::string("1")));
  const std::variant<Reading, SqlError> read = read_sql(text, asker_, any);
  if (const auto* const error = std::get_if<SqlError>(&read)) return refuse(message, *error);
  const std::optional<std::uint32_t> id = prepared_.add(text, parameters);
  if (!id) {
    return refuse(message, {1461, "42000", "Can't create more prepared statements"});
  }
  const std::vector<Shown>& shown = std::get<Reading>(read).shown;
  Asked asked{.as = Asked::As::written};
  Answers answers(asked.written, next_);
  std::string payload(1, '\0');
  packets::put_number(payload, *id, 4);
  packets::put_number(payload, shown.size(), 2);
  packets::put_number(payload, parameters, 2);
  packets::put_number(payload, 0, 3);
  answers.packet(payload);
  for (std::size_t i = 0; i < parameters; ++i) answers.column("?", true);
  if (parameters > 0) answers.end(status());
  for (const Shown& one : shown) answers.column(one.title, one.is_text);
  if (!shown.empty()) answers.end(status());
  return ask(message, std::move(asked));
}

Cut SocketWire::execute(std::string_view fields, sim::Payload& message) {
  const std::variant<Prepared::Execution, SqlError> found = prepared_.execution(Fields(fields));
  if (const auto* const error = std::get_if<SqlError>(&found)) return refuse(message, *error);
  const auto& execution = std::get<Prepared::Execution>(found);
  return query(execution.text, execution.parameters, Asked::As::binary, message);
}

std::optional<std::string> SocketWire::name_given(std::string_view) { return program_; }

// ---------------------------------------------------------------- answers

bool SocketWire::put(std::string_view message, std::string& out) {
  const std::optional<Answer> answer = read_answer(message);
  if (!asked_ || !answer) return false;
  const Asked asked = *std::exchange(asked_, std::nullopt);
  const Statement& statement = asked.reading.statement;
  switch (asked.as) {
    case Asked::As::greeting:
      return greet(*answer, out);
    case Asked::As::written:
      out += asked.written;
      return !asked.ends;
    case Asked::As::text:
    case Asked::As::binary:
      break;
  }
  note(statement, *answer);
  if (answer->ok()) {
    put_result(asked, *answer, out);
    return true;
  }
  Answers(out, asked.next).error(error_of(answer->error, statement));
  // A session that kills itself gets this one answer.
  return statement.op != Op::kill || statement.number != connection_;
}

bool SocketWire::greet(const Answer& answer, std::string& out) {
  if (answer.rows.empty() || answer.rows.front().size() != kAbouts) return false;
  const auto about = [&answer](About one) {
    return answer.rows.front()[static_cast<std::size_t>(one)];
  };
  connection_ = std::get<std::int64_t>(about(About::connection_id));
  Answers(out, 0).packet(packets::greeting({.version = std::get<std::string>(about(About::version)),
                                            .connection = static_cast<std::uint32_t>(connection_),
                                            .challenge = challenge_}));
  return true;
}

void SocketWire::put_result(const Asked& asked, const Answer& answer, std::string& out) const {
  Answers answers(out, asked.next);
  const std::vector<Shown>& shown = asked.reading.shown;
  if (shown.empty()) return answers.ok(answer.affected, status());
  std::string count;
  packets::put_length(count, shown.size());
  answers.packet(count);
  std::vector<bool> is_text;
  for (const Shown& one : shown) {
    is_text.push_back(one.is_text);
    answers.column(one.title, one.is_text);
  }
  answers.end(status());
  for (const Row& row : rows_shown(asked.reading, answer)) {
    answers.packet(asked.as == Asked::As::binary ? packets::binary_row(row, is_text)
                                                 : packets::text_row(row));
  }
  answers.end(status());
}

// Keeps the status that the session has from now on.
void SocketWire::note(const Statement& statement, const Answer& answer) {
  if (is_of_rows(statement.op)) {
    if (answer.error == Error::deadlock) {
      in_transaction_ = false;
    } else if (!autocommit_) {
      in_transaction_ = true;
    }
    return;
  }
  if (!answer.ok()) return;
  switch (statement.op) {
    case Op::begin:
      in_transaction_ = true;
      break;
    case Op::commit:
    case Op::rollback:
    case Op::ddl:
      in_transaction_ = false;
      break;
    case Op::reset_session:
      in_transaction_ = false;
      autocommit_ = true;
      break;
    case Op::set_autocommit:
      autocommit_ = statement.number != 0;
      if (autocommit_) in_transaction_ = false;
      break;
    default:
      break;
  }
}

std::uint16_t SocketWire::status() const {
  return static_cast<std::uint16_t>((autocommit_ ? packets::kAutocommit : 0) |
                                    (in_transaction_ ? packets::kInTransaction : 0));
}

}  // namespace picklock::mysql
