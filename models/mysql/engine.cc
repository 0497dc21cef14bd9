#include "models/mysql/engine.h"

#include <algorithm>

namespace picklock::mysql {
namespace {

// The longest name of a named lock, in characters: M32, and the manual of MySQL.
constexpr std::size_t kLongestName = 192;
constexpr std::size_t kLongestNameOfMySql = 64;

Answer function(Value value) { return {.rows = {{std::move(value)}}}; }

// BEGIN, DDL and turning autocommit on commit the open transaction (M9).
bool commits(const Statement& statement) {
  return statement.op == Op::begin || statement.op == Op::commit || statement.op == Op::ddl ||
         (statement.op == Op::set_autocommit && statement.number != 0);
}

}  // namespace

void Engine::reset(Variant variant) {
  variant_ = variant;
  waits_for_disk_ = false;
  tables_.clear();
  sessions_.clear();
  transactions_.clear();
  owners_.clear();
  locks_.clear();
  names_.clear();
  ready_.clear();
  finished_.clear();
  flushing_.clear();
  killed_.clear();
  committed_.clear();
  pick_ = {};
  opened_ = 0;
  begun_ = commits_ = 0;
}

void Engine::create(const Schema& schema) {
  tables_.emplace_back(static_cast<TableId>(tables_.size()), schema);
}

Table* Engine::table_named(std::string_view name) {
  const auto found = std::find_if(tables_.begin(), tables_.end(), [name](const Table& table) {
    return table.schema().name == name;
  });
  return found == tables_.end() ? nullptr : &*found;
}

SessionId Engine::open() {
  sessions_[++opened_];
  return opened_;
}

std::vector<SessionId> Engine::sessions() const {
  std::vector<SessionId> all;
  for (const auto& [id, session] : sessions_) all.push_back(id);
  return all;
}

void Engine::close(SessionId id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  found->second.running.reset();
  std::erase(ready_, id);
  if (found->second.trx != 0) roll_back(found->second);
  std::vector<SessionId> granted;
  names_.release_all(id, granted);
  sessions_.erase(found);
  go_on_named(granted);
  drain();
}

void Engine::renew(SessionId id) {
  close(id);
  sessions_[id];
}

std::optional<Answer> Engine::execute(SessionId id, const Statement& statement, std::int64_t now) {
  Session& session = sessions_.at(id);
  if (is_of_rows(statement.op)) {
    Table* const table = table_named(statement.table);
    if (table == nullptr) return failed(Error::no_such_table);
    if (session.trx == 0) {
      begin(session, id);
      session.of_its_own = session.autocommit;
    }
    transactions_.at(session.trx).touched = true;
    session.running = Running{
        .statement = statement, .now = now, .undo = transactions_.at(session.trx).undo.size()};
    run(id);
  } else if (is_of_named_locks(statement.op)) {
    if (auto answer = named_lock(session, id, statement))
      finished_.push_back({id, *std::move(answer)});
  } else if (commits(statement) && must_flush(id)) {
    session.commits = statement;
  } else {
    finished_.push_back({id, control(session, id, statement)});
  }
  drain();
  const auto mine = std::find_if(finished_.begin(), finished_.end(),
                                 [id](const Finished& one) { return one.session == id; });
  if (mine == finished_.end()) return std::nullopt;
  Answer answer = std::move(mine->answer);
  finished_.erase(mine);
  return answer;
}

Answer Engine::control(Session& session, SessionId id, const Statement& statement) {
  switch (statement.op) {
    case Op::begin:
      commit(session);
      begin(session, id);
      break;
    case Op::commit:
    case Op::ddl:
      commit(session);
      break;
    case Op::rollback:
      if (session.trx != 0) roll_back(session);
      break;
    case Op::set_autocommit:
      if (statement.number != 0 && !session.autocommit) commit(session);
      session.autocommit = statement.number != 0;
      break;
    case Op::set_isolation:
      session.isolation = statement.isolation;
      break;
    case Op::savepoint:
      if (session.trx != 0) {
        Transaction& transaction = transactions_.at(session.trx);
        std::erase_if(transaction.savepoints,
                      [&](const Savepoint& one) { return one.name == statement.name; });
        transaction.savepoints.push_back(
            {statement.name, transaction.undo.size(), !transaction.touched});
      }
      break;
    case Op::rollback_to: {
      if (session.trx == 0) return failed(Error::no_such_savepoint);
      std::vector<Savepoint>& savepoints = transactions_.at(session.trx).savepoints;
      const auto found =
          std::find_if(savepoints.begin(), savepoints.end(),
                       [&](const Savepoint& one) { return one.name == statement.name; });
      if (found == savepoints.end()) return failed(Error::no_such_savepoint);
      savepoints.erase(found + 1, savepoints.end());
      undo_to(session.trx, savepoints.back().undo);
      // A savepoint set before the transaction had read any table restores that state: its locks
      // and its snapshot go too.
      if (savepoints.back().untouched) {
        Transaction& transaction = transactions_.at(session.trx);
        transaction.touched = false;
        transaction.snapshot.reset();
        go_on(locks_.release(session.trx));
      }
      break;
    }
    case Op::kill:
    case Op::kill_query: {
      const auto whom = static_cast<SessionId>(statement.number);
      if (!sessions_.contains(whom)) return failed(Error::no_such_thread);
      // A session that kills itself gets this error as the reply to that very statement.
      if (whom == id) return failed(Error::interrupted);
      if (statement.op == Op::kill_query) {
        interrupt(whom);
      } else {
        killed_.push_back(whom);
        close(whom);
      }
      break;
    }
    default:
      break;
  }
  return {};
}

bool Engine::waits(SessionId id) const {
  const Session& session = sessions_.at(id);
  return session.waits_for_name || session.running.has_value() || session.flushing;
}

bool Engine::waits_for_row(SessionId id) const {
  const Session& session = sessions_.at(id);
  return session.running.has_value() && !session.flushing;
}

void Engine::time_out(SessionId id) { give_up_wait(id, std::int64_t{0}, Error::lock_wait_timeout); }

void Engine::interrupt(SessionId id) { give_up_wait(id, {}, Error::interrupted); }

// A wait for a named lock ends with this value, a wait for a row with this error.
void Engine::give_up_wait(SessionId id, const Value& value, Error error) {
  Session& session = sessions_.at(id);
  if (session.waits_for_name) {
    names_.withdraw(id);
    session.waits_for_name = false;
    finished_.push_back({id, function(value)});
  } else if (waits_for_row(id)) {
    go_on(locks_.withdraw(session.trx));
    fail(id, error);
  }
  drain();
}

RowState Engine::look(SessionId id, std::string_view name, const std::string& key) {
  Table& table = *table_named(name);
  const Record* const record = table.find(key);
  if (record == nullptr) return RowState::missing;
  if (record->gone()) return RowState::marked;
  const TrxId trx = sessions_.at(id).trx;
  const TrxId holder = record->writer() != 0 ? record->writer() : locks_.holder(table.place(key));
  if (holder == 0) return RowState::free;
  return holder == trx ? RowState::mine : RowState::others;
}

SessionId Engine::owner_of_row(std::string_view name, const std::string& key) {
  Table& table = *table_named(name);
  const Record* const record = table.find(key);
  if (record == nullptr || record->gone()) return 0;
  const TrxId writer = record->writer();
  const TrxId owner = writer != 0 ? writer : locks_.owner(table.place(key));
  return owner == 0 ? 0 : session_of(owner);
}

const Row* Engine::row(std::string_view name, const std::string& key) {
  const Record* const record = table_named(name)->find(key);
  const Version* const last = record == nullptr ? nullptr : visible(*record, 0, commits_);
  return last == nullptr ? nullptr : &last->row;
}

// Names of locks are case-insensitive in MySQL.
std::string Engine::name_of(std::string name) const {
  if (variant_ == Variant::mysql) {
    for (char& one : name) {
      if (one >= 'A' && one <= 'Z') one = static_cast<char>(one - 'A' + 'a');
    }
  }
  return name;
}

std::optional<Answer> Engine::named_lock(Session& session, SessionId id,
                                         const Statement& statement) {
  const bool of_mysql = variant_ == Variant::mysql;
  if (!of_mysql && statement.op == Op::get_lock && statement.number < 0) return function({});
  if (of_mysql && (statement.name.empty() || statement.name.size() > kLongestNameOfMySql))
    return failed(Error::wrong_lock_name);
  if (statement.name.size() > kLongestName) return failed(Error::name_too_long);
  const std::string name = name_of(statement.name);
  if (statement.op == Op::is_used_lock) {
    const SessionId owner = names_.owner(name);
    return owner == 0 ? function({}) : function(std::int64_t{owner});
  }
  if (statement.op == Op::release_lock) {
    std::vector<SessionId> granted;
    const int left = names_.release(id, name, granted);
    go_on_named(granted);
    if (left == -2) return function({});
    return function(std::int64_t{left >= 0 ? 1 : 0});
  }
  const Error lost = of_mysql ? Error::named_lock_deadlock : Error::deadlock;
  std::vector<SessionId> victims;
  const NamedLocks::Asked asked = names_.ask(id, name, statement.number != 0, victims);
  for (const SessionId victim : victims) {
    sessions_.at(victim).waits_for_name = false;
    finished_.push_back({victim, failed(lost)});
  }
  switch (asked) {
    case NamedLocks::Asked::granted:
      return function(std::int64_t{1});
    case NamedLocks::Asked::refused:
      return function(std::int64_t{0});
    case NamedLocks::Asked::deadlock:
      return failed(lost);
    case NamedLocks::Asked::waits:
      break;
  }
  session.waits_for_name = true;
  return std::nullopt;
}

void Engine::go_on_named(const std::vector<SessionId>& granted) {
  for (const SessionId id : granted) {
    sessions_.at(id).waits_for_name = false;
    finished_.push_back({id, function(std::int64_t{1})});
  }
}

}  // namespace picklock::mysql
