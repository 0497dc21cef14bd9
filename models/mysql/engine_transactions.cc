// Transactions, the locks for which they wait, and how they end.
#include "models/mysql/engine.h"

#include <algorithm>

namespace picklock::mysql {

Engine::Went Engine::lock(Session& session, const Place& place, LockMode mode, LockKind kind,
                          Waiting waiting) {
  // A transaction needs no further lock on a row that it has written.
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

// The writer of a row gets a lock on it only when another transaction requests one.
void Engine::make_explicit(const Table& table, const std::string& key, const Record& record,
                           TrxId asker) {
  const TrxId writer = record.writer();
  if (writer != 0 && writer != asker)
    locks_.give(writer, table.place(key), LockMode::exclusive, LockKind::record);
}

std::size_t Engine::weight(TrxId trx) const {
  return transactions_.at(trx).undo.size() + locks_.structs(trx);
}

// The victim is the lightest transaction; among equals the server's threads decide, and most often
// it is the one that closed the cycle (M5, M18).
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

// The victim of a deadlock loses its whole transaction; any other error undoes only the statement
// (M5, M15).
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

// Runs everything that can run.
void Engine::drain() {
  for (;;) {
    run_ready();
    // A transaction whose obstacle is gone may now wait for another one.
    if (!locks_.may_have_cycle()) return;
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

void Engine::finish(SessionId id) {
  Session& session = sessions_.at(id);
  Running done = *std::exchange(session.running, std::nullopt);
  if (session.of_its_own) commit(session);
  finished_.push_back({id, std::move(done.answer)});
}

// Whether the log of the transaction must reach the disk before it commits.
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

void Engine::begin(Session& session, SessionId id) {
  session.trx = ++begun_;
  session.of_its_own = false;
  transactions_[session.trx].isolation = session.isolation;
  owners_[session.trx] = id;
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
  // Sessions that wait for a row which the rollback removes may run before its locks are free
  // (M56).
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

// Row locks stay, also after ROLLBACK TO SAVEPOINT (M9).
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

}  // namespace picklock::mysql
