#include "conform/mysql/real_side.h"

#include <fmt/format.h>
#include <mysql.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "models/mysql/sql.h"

namespace picklock::conform::mysql {
namespace {

using namespace std::chrono_literals;

void init_library() {
  static const bool done = mysql_library_init(0, nullptr, nullptr) == 0;
  if (!done) throw NoServer("the client library cannot begin");
}

Value value_of(const char* text, unsigned long length, enum_field_types type) {
  if (text == nullptr) return {};
  if (!IS_NUM(type)) return std::string(text, length);
  return static_cast<std::int64_t>(std::stoll(std::string(text, length)));
}

// The model numbers errors likewise. A client learns only the error of a statement that fails.
Answer failed(unsigned number) { return {.error = static_cast<Error>(number)}; }

}  // namespace

void Connection::Close::operator()(st_mysql* handle) const { mysql_close(handle); }

Connection::Connection(const Address& address, const std::string& database) {
  init_library();
  handle_.reset(mysql_init(nullptr));
  // For the library, "localhost" is a socket in the file system.
  const unsigned protocol = MYSQL_PROTOCOL_TCP;
  mysql_options(handle_.get(), MYSQL_OPT_PROTOCOL, &protocol);
  if (mysql_real_connect(handle_.get(), address.host.c_str(), "root", nullptr,
                         database.empty() ? nullptr : database.c_str(), address.port, nullptr,
                         0) == nullptr)
    throw NoServer(fmt::format("{}: {}", conform::shown(address), mysql_error(handle_.get())));
}

Connection::~Connection() = default;

std::uint64_t Connection::id() const { return mysql_thread_id(handle_.get()); }
std::string Connection::version() const { return mysql_get_server_info(handle_.get()); }

Answer Connection::say(const std::string& text) {
  st_mysql* const handle = handle_.get();
  if (mysql_real_query(handle, text.data(), text.size()) != 0) return failed(mysql_errno(handle));
  return answer_of(handle, mysql_store_result(handle));
}

Answer answer_of(st_mysql* handle, st_mysql_res* result) {
  if (result == nullptr) {
    if (mysql_errno(handle) != 0) return failed(mysql_errno(handle));
    return {.affected = mysql_affected_rows(handle)};
  }
  Answer answer;
  const unsigned columns = mysql_num_fields(result);
  const MYSQL_FIELD* const fields = mysql_fetch_fields(result);
  while (const MYSQL_ROW row = mysql_fetch_row(result)) {
    const unsigned long* const lengths = mysql_fetch_lengths(result);
    Row& values = answer.rows.emplace_back();
    for (unsigned i = 0; i < columns; ++i)
      values.push_back(value_of(row[i], lengths[i], fields[i].type));
  }
  mysql_free_result(result);
  return answer;
}

bool answers(const Address& address) {
  try {
    return Connection(address).say("DO 0").ok();
  } catch (const NoServer&) {
    return false;
  }
}

RealSide::RealSide(const Address& address, const std::string& database)
    : address_(address), database_(database), control_(address), snapshot_(address) {
  for (const std::string& text :
       {"DROP DATABASE IF EXISTS " + database, "CREATE DATABASE " + database}) {
    if (const Answer made = control_.say(text); !made.ok())
      throw NoServer(
          fmt::format("no database can be made there: error {}", static_cast<int>(made.error)));
  }
  for (Connection* const one : {&control_, &snapshot_}) one->say("USE " + database);
}

RealSide::~RealSide() { control_.say("DROP DATABASE " + database_); }

std::vector<Outcome> RealSide::play(const Interleaving& interleaving) {
  prepare(interleaving);
  std::vector<Outcome> outcomes;
  for (const Step& step : interleaving.steps) outcomes.push_back(take(step));
  clean_up();
  return outcomes;
}

void RealSide::prepare(const Interleaving& interleaving) {
  const Schema table = schema();
  control_.say("DROP TABLE IF EXISTS " + table.name);
  control_.say(
      fmt::format("CREATE TABLE {} ({} VARCHAR(64) COLLATE utf8mb4_bin PRIMARY KEY, "
                  "{} BIGINT) ENGINE = InnoDB",
                  table.name, table.columns[0], table.columns[1]));
  for (const char* const key : kRowsAtFirst)
    control_.say(fmt::format("INSERT INTO {} VALUES ('{}', 0)", table.name, key));
  snapshot_.say("START TRANSACTION WITH CONSISTENT SNAPSHOT");
  snapshot_.say("SELECT COUNT(*) FROM " + table.name);
  killed_.clear();
  sessions_.resize(interleaving.connections);
  for (Session& session : sessions_) {
    session.connection = std::make_unique<Connection>(address_, database_);
    session.thread = std::thread([this, &session] { serve(session); });
  }
}

void RealSide::clean_up() {
  for (const Session& session : sessions_)
    control_.say(fmt::format("KILL {}", session.connection->id()));
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !busy(); });
    for (Session& session : sessions_) session.over = true;
    changed_.notify_all();
  }
  for (Session& session : sessions_) session.thread.join();
  sessions_.clear();
  snapshot_.say("COMMIT");
}

void RealSide::serve(Session& session) {
  mysql_thread_init();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return session.over || (session.asked && !session.answer); });
    if (session.over) break;
    const std::string text = session.text;
    lock.unlock();
    Answer answer = session.connection->say(text);
    lock.lock();
    session.answer = std::move(answer);
    changed_.notify_all();
  }
  lock.unlock();
  mysql_thread_end();
}

bool RealSide::busy() const {
  return std::any_of(sessions_.begin(), sessions_.end(),
                     [](const Session& one) { return one.asked && !one.answer; });
}

Outcome RealSide::take(const Step& step) {
  Session& speaker = sessions_[step.session - 1];
  Statement statement = step.statement;
  {
    const std::unique_lock lock(mutex_);
    if (speaker.asked || killed_.contains(step.session)) return {};
    const bool kills = statement.op == Op::kill || statement.op == Op::kill_query;
    if (kills) {
      const auto whom = static_cast<std::uint32_t>(statement.number);
      const bool gone = killed_.contains(whom);
      statement.number =
          gone ? INT32_MAX : static_cast<std::int64_t>(sessions_[whom - 1].connection->id());
      if (statement.op == Op::kill) killed_.insert(whom);
    }
    if (step.impatient && statement.op == Op::get_lock && statement.number > 1)
      statement.number = 1;
    // Named locks belong to the whole server, so they get a prefix; a name that is too long stays
    // as it is.
    if (is_of_named_locks(statement.op) && statement.name.size() < 100)
      statement.name = database_ + "." + statement.name;
    speaker.text = sql(statement);
    if (step.impatient && is_of_rows(statement.op))
      speaker.text = "SET STATEMENT innodb_lock_wait_timeout = 1 FOR " + speaker.text;
    speaker.asked = true;
    changed_.notify_all();
  }
  if (step.impatient) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return speaker.answer.has_value(); });
  }
  settle();
  Outcome outcome;
  const std::unique_lock lock(mutex_);
  for (std::uint32_t i = 0; i < sessions_.size(); ++i) {
    Session& session = sessions_[i];
    if (!session.answer) continue;
    session.asked = false;
    Answer answer = *std::exchange(session.answer, std::nullopt);
    if (killed_.contains(i + 1)) continue;
    if (step.statement.op == Op::is_used_lock && i + 1 == step.session) name_owner(answer);
    outcome[i + 1] = std::move(answer);
  }
  return outcome;
}

void RealSide::name_owner(Answer& answer) const {
  for (Row& row : answer.rows) {
    for (Value& value : row) {
      auto* owner = std::get_if<std::int64_t>(&value);
      if (owner == nullptr) continue;
      const auto found = std::ranges::find(sessions_, static_cast<std::uint64_t>(*owner),
                                           [](const Session& one) { return one.connection->id(); });
      if (found != sessions_.end()) *owner = found - sessions_.begin() + 1;
    }
  }
}

// Returns when every session has its answer, or waits for a lock according to the server.
void RealSide::settle() {
  const auto all_wait = [this] {
    const std::set<std::uint64_t> waiters = waiting();
    const std::unique_lock lock(mutex_);
    return std::all_of(sessions_.begin(), sessions_.end(), [&](const Session& one) {
      return !one.asked || one.answer || waiters.contains(one.connection->id());
    });
  };
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, 2ms, [this] { return !busy(); })) return;
    }
    if (all_wait() && all_wait()) return;
  }
}

// Sessions that wait for a row, according to InnoDB's list of transactions, or for a named lock.
std::set<std::uint64_t> RealSide::waiting() {
  std::set<std::uint64_t> waiters;
  const Answer status = control_.say("SHOW ENGINE INNODB STATUS");
  const auto& text = std::get<std::string>(status.rows.at(0).at(2));
  constexpr std::string_view kTransaction = "---TRANSACTION ";
  constexpr std::string_view kThread = "thread id ";
  for (std::size_t at = text.find(kTransaction); at != std::string::npos;) {
    const std::size_t next = text.find(kTransaction, at + 1);
    const std::string_view one = std::string_view(text).substr(at, next - at);
    const std::size_t thread = one.find(kThread);
    if (one.find("\nLOCK WAIT ") != std::string_view::npos && thread != std::string_view::npos)
      waiters.insert(std::stoull(std::string(one.substr(thread + kThread.size(), 20))));
    at = next;
  }
  const Answer named =
      control_.say("SELECT ID FROM information_schema.PROCESSLIST WHERE STATE = 'User lock'");
  for (const Row& row : named.rows)
    waiters.insert(static_cast<std::uint64_t>(std::get<std::int64_t>(row.at(0))));
  return waiters;
}

}  // namespace picklock::conform::mysql
