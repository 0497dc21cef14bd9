#include "models/mysql/engine.h"

#include <algorithm>

namespace picklock::models::mysql {
namespace {

// Of a named lock, in characters: M32, and the manual of MySQL.
constexpr std::size_t kLongestName = 192;
constexpr std::size_t kLongestNameOfMySql = 64;

Answer function(Value value) { return {.rows = {{std::move(value)}}}; }
Answer failed(Error error) { return {.error = error}; }

// BEGIN, DDL and the way back to autocommit commit what is open (M9).
bool commits(const Statement& statement) {
  return statement.op == Op::begin || statement.op == Op::commit || statement.op == Op::ddl ||
         (statement.op == Op::set_autocommit && statement.number != 0);
}

std::int64_t number_in(const Value& value) {
  const auto* const number = std::get_if<std::int64_t>(&value);
  return number == nullptr ? 0 : *number;
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

// ---------------------------------------------------------------- sessions

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

std::optional<Answer> Engine::execute(SessionId id, const Statement& statement, std::int64_t now) {
  Session& session = sessions_.at(id);
  if (is_of_rows(statement.op)) {
    Table* const table = table_named(statement.table);
    if (table == nullptr) return failed(Error::no_such_table);
    if (session.trx == 0) {
      begin(session);
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
      begin(session);
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
      // Set before the transaction had looked at any table, it takes it back to that: its locks go
      // too, and its snapshot.
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
      // Of whoever kills himself this is the last answer, or the answer.
      if (whom == id) return failed(Error::interrupted);
      statement.op == Op::kill_query ? interrupt(whom) : close(whom);
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

// For a name it has this value, for a row this error.
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

// ---------------------------------------------------------------- named locks

// Whose letters count alike in MySQL, whatever their case.
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

// ---------------------------------------------------------------- rows

// Goes on with the statement of this session as far as it can.
void Engine::run(SessionId id) {
  Session& session = sessions_.at(id);
  if (!run_rows(session)) return;
  const Running& done = *session.running;
  if (!done.answer.ok()) undo_to(session.trx, done.undo);
  if (!session.of_its_own || !must_flush(id)) finish(id);
}

void Engine::finish(SessionId id) {
  Session& session = sessions_.at(id);
  Running done = *std::exchange(session.running, std::nullopt);
  if (session.of_its_own) commit(session);
  finished_.push_back({id, std::move(done.answer)});
}

// Its log must be on disk before it commits.
bool Engine::must_flush(SessionId id) {
  Session& session = sessions_.at(id);
  if (!waits_for_disk_ || session.trx == 0 || transactions_.at(session.trx).undo.empty())
    return false;
  session.flushing = true;
  flushing_.push_back(id);
  return true;
}

void Engine::flushed(SessionId id) {
  Session& session = sessions_.at(id);
  session.flushing = false;
  if (session.commits) {
    const Statement statement = *std::exchange(session.commits, std::nullopt);
    finished_.push_back({id, control(session, id, statement)});
  } else {
    finish(id);
  }
  drain();
}

LockMode Engine::mode_of(const Statement& statement) {
  const bool reads = statement.op == Op::select && statement.locking != Locking::update;
  return reads ? LockMode::shared : LockMode::exclusive;
}

bool Engine::run_rows(Session& session) {
  Running& running = *session.running;
  Table& table = *table_named(running.statement.table);
  Statement& statement = running.statement;
  const Isolation isolation = transactions_.at(session.trx).isolation;
  if (statement.op == Op::select && statement.locking == Locking::none) {
    // M10; what stands alone reads its snapshot even so.
    if (isolation == Isolation::serializable && !session.of_its_own) {
      statement.locking = Locking::share;
    } else {
      plain_read(session, running, table);
      return true;
    }
  }
  locks_.intend(session.trx, table.id(), mode_of(statement));
  if (statement.op == Op::insert) return insert(session, running, table);
  return statement.key ? one_row(session, running, table) : scan(session, running, table);
}

void Engine::plain_read(Session& session, Running& running, Table& table) {
  const std::uint64_t snapshot = snapshot_of(session);
  const auto look = [&](const Record& record) {
    const Version* const version = visible(record, session.trx, snapshot);
    if (version != nullptr && matches(running, table, version->row))
      running.answer.rows.push_back(version->row);
  };
  if (running.statement.key) {
    if (const Record* const record = table.find(*running.statement.key)) look(*record);
    return;
  }
  for (const auto& [key, record] : table.records()) look(record);
}

// A row that is there is locked alone, also where it is only marked as deleted, unless under READ
// COMMITTED; of one that is not, the gap, if gaps are locked (M5, M6, M40, M47).
bool Engine::one_row(Session& session, Running& running, Table& table) {
  const Statement& statement = running.statement;
  const std::string key = *statement.key;
  const LockMode mode = mode_of(statement);
  const bool gaps = transactions_.at(session.trx).isolation != Isolation::read_committed;
  const Record* const there = table.find(key);
  if (there == nullptr) {
    if (gaps) lock(session, table.behind(key), mode, LockKind::gap, Waiting::waits);
    return true;
  }
  if (!gaps && there->gone()) return true;
  const Place place = table.place(key);
  make_explicit(table, key, *there, session.trx);
  const bool had = locks_.has(session.trx, place, mode, LockKind::record);
  switch (lock(session, place, mode, LockKind::record, statement.waiting)) {
    case Went::waits:
      return false;
    case Went::refused:
      if (statement.waiting == Waiting::nowait) {
        running.answer = failed(refused());
      } else if (gaps) {  // M50
        lock(session, table.behind(key), mode, LockKind::gap, Waiting::waits);
      }
      return true;
    case Went::on:
      break;
  }
  Record& record = *table.find(key);
  if (!record.deleted() && matches(running, table, record.newest().row)) {
    act(session, running, table, key, record);
  } else if (!gaps && !had) {
    go_on(locks_.unlock(session.trx, place, mode, LockKind::record));
  }
  return true;
}

// Without an index every row is locked, and every gap (M8). Under READ COMMITTED what does not
// match is given back, and a change does not even wait for it if it did not match when last
// committed.
bool Engine::scan(Session& session, Running& running, Table& table) {
  const Statement& statement = running.statement;
  const LockMode mode = mode_of(statement);
  const bool gaps = transactions_.at(session.trx).isolation != Isolation::read_committed;
  const LockKind kind = gaps ? LockKind::next_key : LockKind::record;
  auto& records = table.records();
  auto at = running.begun ? records.lower_bound(running.cursor) : records.begin();
  while (at != records.end()) {
    const std::string key = at->first;
    running.cursor = key;
    running.begun = true;
    if (!gaps && at->second.gone()) {
      ++at;
      continue;
    }
    const Place place = table.place(key);
    make_explicit(table, key, at->second, session.trx);
    const bool had = locks_.has(session.trx, place, mode, kind);
    Went went = Went::refused;
    if (!gaps && statement.op == Op::update) {
      went = lock(session, place, mode, kind, Waiting::nowait);
      const Version* const last = visible(at->second, 0, commits_);
      if (went == Went::refused && (last == nullptr || !matches(running, table, last->row))) {
        ++at;
        continue;
      }
    }
    if (went == Went::refused) went = lock(session, place, mode, kind, statement.waiting);
    if (went == Went::waits) return false;
    if (went == Went::refused && statement.waiting == Waiting::nowait) {
      running.answer = failed(refused());
      return true;
    }
    at = records.find(key);
    if (at == records.end()) {
      at = records.upper_bound(key);
      continue;
    }
    if (went == Went::on) {
      Record& record = at->second;
      if (!record.deleted() && matches(running, table, record.newest().row)) {
        act(session, running, table, key, record);
      } else if (!gaps && !had) {
        go_on(locks_.unlock(session.trx, place, mode, kind));
      }
    }
    ++at;
  }
  if (gaps) {
    lock(session, {table.id(), true, {}}, mode, LockKind::next_key, Waiting::waits);
  }
  return true;
}

// A duplicate is found only under a lock on it, for which an insert waits (M1, M3).
bool Engine::insert(Session& session, Running& running, Table& table) {
  const Statement& statement = running.statement;
  Row row;
  for (const Term& term : statement.values) row.push_back(value_of(running, table, nullptr, term));
  const auto* const primary = std::get_if<std::string>(&row.front());
  if (primary == nullptr) {
    running.answer = failed(Error::bad_null);
    return true;
  }
  const std::string key = *primary;
  const Place place = table.place(key);
  if (const Record* const there = table.find(key)) {
    make_explicit(table, key, *there, session.trx);
    const bool upserts = statement.on_duplicate == OnDuplicate::updates;
    const LockMode mode = upserts ? LockMode::exclusive : LockMode::shared;
    if (lock(session, place, mode, LockKind::record, Waiting::waits) == Went::waits) return false;
    Record& record = *table.find(key);
    if (!record.deleted()) {
      if (statement.on_duplicate == OnDuplicate::fails) running.answer = failed(Error::duplicate);
      if (upserts && change(session, running, table, key, record, statement.set))
        running.answer.affected = 2;
      return true;
    }
    if (locks_.ask(session.trx, place, LockMode::exclusive, LockKind::record, true, false) ==
        LockTable::Asked::waits) {
      resolve(session.trx);
      return false;
    }
    write(session.trx, table, key, record, false, std::move(row));
  } else {
    const Place next = table.behind(key);
    if (lock(session, next, LockMode::exclusive, LockKind::insert_intention, Waiting::waits) ==
        Went::waits)
      return false;
    write(session.trx, table, key, table.records()[key], false, std::move(row));
    locks_.inserted(place, next);
  }
  running.answer.affected = 1;
  return true;
}

void Engine::act(Session& session, Running& running, Table& table, const std::string& key,
                 Record& record) {
  switch (running.statement.op) {
    case Op::select:
      running.answer.rows.push_back(record.newest().row);
      break;
    case Op::update:
      if (change(session, running, table, key, record, running.statement.set))
        ++running.answer.affected;
      break;
    case Op::remove:
      write(session.trx, table, key, record, true, record.newest().row);
      ++running.answer.affected;
      break;
    default:
      break;
  }
}

// False: it says what the row says already, which changes nothing (M34).
bool Engine::change(Session& session, Running& running, Table& table, const std::string& key,
                    Record& record, const std::vector<Assignment>& set) {
  Row row = record.newest().row;
  for (const Assignment& one : set) {
    const std::ptrdiff_t column = table.column(one.column);
    row[static_cast<std::size_t>(column)] = value_of(running, table, &row, one.term);
  }
  if (row == record.newest().row) return false;
  write(session.trx, table, key, record, false, std::move(row));
  return true;
}

void Engine::write(TrxId trx, Table& table, const std::string& key, Record& record, bool deleted,
                   Row row) {
  record.versions.push_back({trx, kOpen, deleted, std::move(row)});
  transactions_.at(trx).undo.push_back({table.id(), key});
}

Value Engine::value_of(const Running& running, const Table& table, const Row* row,
                       const Term& term) const {
  Value value = term.value;
  if (term.of == Term::Of::now) value = running.now;
  if (term.of == Term::Of::column && row != nullptr)
    value = (*row)[static_cast<std::size_t>(table.column(term.column))];
  if (auto* const number = std::get_if<std::int64_t>(&value)) *number += term.plus;
  return value;
}

bool Engine::matches(const Running& running, const Table& table, const Row& row) const {
  const std::vector<Condition>& where = running.statement.where;
  return std::all_of(where.begin(), where.end(), [&](const Condition& condition) {
    const Value& have = row[static_cast<std::size_t>(table.column(condition.column))];
    const Value want = value_of(running, table, &row, condition.term);
    // What is NULL is neither equal nor less.
    if (have.index() != want.index() || have.index() == 0) return false;
    switch (condition.is) {
      case Condition::Is::equal:
        return have == want;
      case Condition::Is::at_most:
        return number_in(have) <= number_in(want);
      case Condition::Is::more:
        return number_in(have) > number_in(want);
    }
    return false;
  });
}

// ---------------------------------------------------------------- locks

Engine::Went Engine::lock(Session& session, const Place& place, LockMode mode, LockKind kind,
                          Waiting waiting) {
  // What it has written itself it needs no further lock on.
  if (kind == LockKind::record && table_of(place.table).find(place.key)->writer() == session.trx)
    return Went::on;
  switch (locks_.ask(session.trx, place, mode, kind, waiting == Waiting::waits)) {
    case LockTable::Asked::granted:
      return Went::on;
    case LockTable::Asked::refused:
      return Went::refused;
    case LockTable::Asked::waits:
      break;
  }
  resolve(session.trx);
  return Went::waits;
}

// Whoever has inserted or changed a row needs no lock on it until somebody asks.
void Engine::make_explicit(const Table& table, const std::string& key, const Record& record,
                           TrxId asker) {
  const TrxId writer = record.writer();
  if (writer != 0 && writer != asker)
    locks_.give(writer, table.place(key), LockMode::exclusive, LockKind::record);
}

std::size_t Engine::weight(TrxId trx) const {
  return transactions_.at(trx).undo.size() + locks_.structs(trx);
}

// The lightest; among equals it is a matter of the server's threads, and most often whoever closed
// the circle (M5, M18).
TrxId Engine::victim_of(const std::vector<TrxId>& cycle, TrxId closer) {
  std::vector<TrxId> lightest;
  for (const TrxId trx : cycle) {
    if (!lightest.empty() && weight(trx) > weight(lightest.front())) continue;
    if (!lightest.empty() && weight(trx) < weight(lightest.front())) lightest.clear();
    lightest.push_back(trx);
  }
  const auto last = std::find(lightest.begin(), lightest.end(), closer);
  if (last != lightest.end()) std::iter_swap(last, lightest.end() - 1);
  return lightest[pick(lightest.size())];
}

void Engine::resolve(TrxId trx) {
  for (;;) {
    const std::vector<TrxId> cycle = locks_.cycle(trx);
    if (cycle.empty()) return;
    const TrxId victim = victim_of(cycle, trx);
    fail(session_of(victim), Error::deadlock);
    if (victim == trx) return;
  }
}

// A deadlock's victim loses its whole transaction, any other error the statement alone (M5, M15).
void Engine::fail(SessionId id, Error error) {
  Session& session = sessions_.at(id);
  const Running lost = *std::exchange(session.running, std::nullopt);
  if (error == Error::deadlock || session.of_its_own) {
    roll_back(session);
  } else {
    undo_to(session.trx, lost.undo);
  }
  finished_.push_back({id, failed(error)});
}

void Engine::go_on(const LockTable::Granted& granted) {
  for (const TrxId trx : granted) ready_.push_back(session_of(trx));
}

void Engine::run_ready() {
  while (!ready_.empty()) {
    const auto next =
        ready_.begin() + static_cast<std::ptrdiff_t>(ready_.size() - 1 - pick(ready_.size()));
    const SessionId id = *next;
    ready_.erase(next);
    if (waits_for_row(id)) run(id);
  }
}

// Until nobody who could go on stands still.
void Engine::drain() {
  for (;;) {
    run_ready();
    // Who waited for one that is gone now waits for another.
    std::vector<TrxId> waiting;
    for (const auto& [trx, transaction] : transactions_) {
      if (locks_.waits(trx)) waiting.push_back(trx);
    }
    for (const TrxId trx : waiting) {
      if (transactions_.contains(trx)) resolve(trx);
    }
    if (ready_.empty()) return;
  }
}

// ---------------------------------------------------------------- transactions

TrxId Engine::begin(Session& session) {
  session.trx = ++begun_;
  session.of_its_own = false;
  transactions_[session.trx].isolation = session.isolation;
  for (const auto& [id, one] : sessions_) {
    if (&one == &session) owners_[session.trx] = id;
  }
  return session.trx;
}

void Engine::commit(Session& session) {
  if (session.trx == 0) return;
  Transaction& transaction = transactions_.at(session.trx);
  if (!transaction.undo.empty()) {
    ++commits_;
    committed_.push_back({session_of(session.trx), {}});
  }
  for (const Undo& undo : transaction.undo) {
    Table& table = table_of(undo.table);
    Record& record = *table.find(undo.key);
    if (record.newest().commit != kOpen) continue;  // by an earlier change of the same row
    for (Version& version : record.versions) {
      if (version.commit == kOpen) version.commit = commits_;
    }
    const Version& last = record.newest();
    committed_.back().changes.push_back(
        {table.schema().name, undo.key, last.deleted ? std::nullopt : std::optional(last.row)});
  }
  end(session);
}

void Engine::apply(const Changes& changes) {
  ++commits_;
  for (const Change& change : changes) {
    Table& table = *table_named(change.table);
    if (!change.row && table.find(change.key) == nullptr) continue;
    table.records()[change.key].versions.push_back(
        {0, commits_, !change.row, change.row.value_or(Row{})});
  }
}

void Engine::roll_back(Session& session) {
  go_on(locks_.withdraw(session.trx));
  const std::size_t ready = ready_.size();
  undo_to(session.trx, 0);
  // Who waited for a row that it takes away may go on before its locks are free (M56).
  if (ready_.size() > ready && pick(2) == 0) run_ready();
  end(session);
}

void Engine::end(Session& session) {
  const TrxId trx = std::exchange(session.trx, 0);
  session.of_its_own = false;
  go_on(locks_.release(trx));
  transactions_.erase(trx);
  owners_.erase(trx);
}

// Row locks stay, also behind ROLLBACK TO SAVEPOINT (M9).
void Engine::undo_to(TrxId trx, std::size_t size) {
  std::vector<Undo>& undo = transactions_.at(trx).undo;
  while (undo.size() > size) {
    const Undo last = std::move(undo.back());
    undo.pop_back();
    Table& table = table_of(last.table);
    Record& record = *table.find(last.key);
    record.versions.pop_back();
    if (!record.versions.empty()) continue;
    table.records().erase(last.key);
    go_on(locks_.removed(table.place(last.key), table.behind(last.key), [this](TrxId other) {
      return transactions_.at(other).isolation != Isolation::read_committed;
    }));
  }
}

std::uint64_t Engine::snapshot_of(Session& session) {
  Transaction& transaction = transactions_.at(session.trx);
  if (transaction.isolation == Isolation::read_committed) return commits_;
  if (!transaction.snapshot) transaction.snapshot = commits_;
  return *transaction.snapshot;
}

const Version* Engine::visible(const Record& record, TrxId trx, std::uint64_t snapshot) const {
  const auto seen = std::find_if(
      record.versions.rbegin(), record.versions.rend(), [trx, snapshot](const Version& one) {
        return one.commit == kOpen ? one.by == trx : one.commit <= snapshot;
      });
  return seen == record.versions.rend() || seen->deleted ? nullptr : &*seen;
}

bool Engine::purge() {
  std::uint64_t seen = commits_;
  for (const auto& [trx, transaction] : transactions_)
    seen = std::min(seen, transaction.snapshot.value_or(seen));
  bool left = false;
  for (Table& table : tables_) {
    for (auto at = table.records().begin(); at != table.records().end();) {
      std::vector<Version>& versions = at->second.versions;
      const auto oldest = std::find_if(versions.rbegin(), versions.rend(), [&](const Version& one) {
        return one.commit != kOpen && one.commit <= seen;
      });
      if (oldest != versions.rend()) versions.erase(versions.begin(), oldest.base() - 1);
      const std::string key = at->first;
      const bool goes =
          versions.size() == 1 && versions.front().deleted && oldest != versions.rend();
      left = left || (versions.back().deleted && !goes);
      ++at;
      if (!goes) continue;
      table.records().erase(key);
      go_on(locks_.removed(table.place(key), table.behind(key), [this](TrxId other) {
        return transactions_.at(other).isolation != Isolation::read_committed;
      }));
    }
  }
  drain();
  return !left;
}

}  // namespace picklock::models::mysql
