// How a statement passes over rows.
#include "models/mysql/engine.h"

#include <algorithm>

namespace picklock::mysql {
namespace {

std::int64_t number_in(const Value& value) {
  const auto* const number = std::get_if<std::int64_t>(&value);
  return number == nullptr ? 0 : *number;
}

// MySQL fails where the sum is too large; a lock comes nowhere near.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) return b < 0 ? INT64_MIN : INT64_MAX;
  return out;
}

}  // namespace

// Continues the statement of this session as far as possible.
void Engine::run(SessionId id) {
  Session& session = sessions_.at(id);
  if (!run_rows(session)) return;
  const Running& done = *session.running;
  if (!done.answer.ok()) undo_to(session.trx, done.undo);
  if (!session.of_its_own || !must_flush(id)) finish(id);
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
    // M10; a statement outside a transaction reads its snapshot even so.
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

// Locks the record alone if there is one, even if it is marked as deleted, except under READ
// COMMITTED. If there is none, locks the gap, where gaps are locked (M5, M6, M40, M47).
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

// Without an index every row and every gap is locked (M8). Under READ COMMITTED rows that do not
// match are unlocked again, and a change does not wait for a row that did not match when last
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

// An insert finds a duplicate only under a lock on it, for which it waits (M1, M3).
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

// False: the row has these values already, so nothing changes (M34).
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
  if (auto* const number = std::get_if<std::int64_t>(&value)) *number = sum(*number, term.plus);
  return value;
}

bool Engine::matches(const Running& running, const Table& table, const Row& row) const {
  const std::vector<Condition>& where = running.statement.where;
  return std::all_of(where.begin(), where.end(), [&](const Condition& condition) {
    const Value& have = row[static_cast<std::size_t>(table.column(condition.column))];
    const Value want = value_of(running, table, &row, condition.term);
    // NULL is neither equal nor less.
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

}  // namespace picklock::mysql
