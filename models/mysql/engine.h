// How a MySQL server executes statements, without network, disk or clock: sessions and their
// transactions, row locks and named locks, snapshots, deadlocks. A statement that must wait is
// finished by the event that ends its wait. The engine follows MariaDB 10.11; it also knows where
// MySQL 8.0 answers otherwise (docs/facts/algorithms.md 8.1, 8.5).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/mysql/lock_table.h"
#include "models/mysql/named_locks.h"
#include "models/mysql/settings.h"
#include "models/mysql/table.h"
#include "picklock/mysql.h"

namespace picklock::mysql {

// A row as a session finds it; none: the statement is not about a single row.
enum class RowState : std::uint8_t { none, missing, free, mine, others, marked };

class Engine {
 public:
  struct Finished {
    SessionId session = 0;
    Answer answer;
  };
  // Picks one of so many where the server's threads race: the waiter that runs first, or the
  // deadlock victim among transactions of equal weight, the last of which closed the cycle.
  using Pick = std::function<std::size_t(std::size_t)>;

  // A committed transaction and its changes, in order.
  struct Committed {
    SessionId session = 0;
    Changes changes;
  };

  void reset(Variant variant = Variant::mariadb);
  // Commits now wait for flushed(), which says that their log is on disk; otherwise they take no
  // time.
  void wait_for_disk() { waits_for_disk_ = true; }
  void set_pick(Pick pick) { pick_ = std::move(pick); }
  void create(const Schema& schema);

  SessionId open();
  bool is_open(SessionId session) const { return sessions_.contains(session); }
  // The end of its connection: rolls back what it has not committed and releases its locks.
  void close(SessionId session);
  // The session ends, and begins anew under the same number.
  void renew(SessionId session);
  std::vector<SessionId> sessions() const;

  // `now`: microseconds since 1970 on the server's clock. Nothing: the statement waits, and
  // finished() will return its answer.
  std::optional<Answer> execute(SessionId session, const Statement& statement, std::int64_t now);
  // The statements whose waits have ended since the last call, in order.
  std::vector<Finished> finished() { return std::exchange(finished_, {}); }
  // The transactions with changes that have committed since the last call.
  std::vector<Committed> committed() { return std::exchange(committed_, {}); }
  // The sessions that have begun to wait for the disk since the last call; flushed() ends each
  // wait.
  std::vector<SessionId> flushing() { return std::exchange(flushing_, {}); }
  void flushed(SessionId session);
  // The sessions that others have ended with KILL since the last call.
  std::vector<SessionId> killed() { return std::exchange(killed_, {}); }
  // Applies on a replica what has committed on its primary.
  void apply(const Changes& changes);

  bool waits(SessionId session) const;
  // Whether it waits for a row; otherwise for a named lock, or the disk.
  bool waits_for_row(SessionId session) const;
  bool waits_for_disk(SessionId session) const { return sessions_.at(session).flushing; }
  // Ends a wait that has timed out: 1205 for a row, 0 for a named lock; M15, M30.
  void time_out(SessionId session);
  // KILL QUERY: 1317 for a row, NULL for a named lock; M23, M33.
  void interrupt(SessionId session);

  // Removes the versions that no snapshot can see: marked records go, and locks on them become
  // locks on gaps. False: some must be kept for now.
  bool purge();

  RowState look(SessionId session, std::string_view table, const std::string& key);
  bool in_transaction(SessionId session) const { return sessions_.at(session).trx != 0; }
  bool commits_by_itself(SessionId session) const { return sessions_.at(session).autocommit; }
  Isolation isolation(SessionId session) const { return sessions_.at(session).isolation; }
  // The only session that can change the row, by a lock or as its writer; 0: there is none.
  SessionId owner_of_row(std::string_view table, const std::string& key);
  // The name that is meant where its case does not matter.
  std::string name_of(std::string name) const;
  SessionId owner_of_name(const std::string& name) const { return names_.owner(name_of(name)); }
  // As last committed; nullptr: no such row.
  const Row* row(std::string_view table, const std::string& key);

 private:
  struct Undo {
    TableId table = 0;
    std::string key;
  };
  struct Savepoint {
    std::string name;
    std::size_t undo = 0;
    bool untouched = false;
  };
  struct Transaction {
    Isolation isolation{};
    bool touched = false;  // has read any table
    std::vector<Undo> undo;
    std::vector<Savepoint> savepoints;
    std::optional<std::uint64_t> snapshot;  // sees commits up to this one
  };
  // A statement under way, and its progress.
  struct Running {
    Statement statement;
    std::int64_t now = 0;
    std::size_t undo = 0;  // length of its transaction's undo list when it began
    std::string cursor{};  // the row a scan is at
    bool begun = false;    // the scan is at a row
    Answer answer{};
  };
  struct Session {
    bool autocommit = true;
    Isolation isolation = Isolation::repeatable_read;
    TrxId trx = 0;            // 0: none is open
    bool of_its_own = false;  // begun by autocommit for a single statement
    std::optional<Running> running;
    std::optional<Statement> commits;  // waits for the disk before it commits
    bool waits_for_name = false;
    bool flushing = false;
  };
  enum class Went : std::uint8_t { on, waits, refused };

  // --- statements
  Answer control(Session& session, SessionId id, const Statement& statement);
  std::optional<Answer> named_lock(Session& session, SessionId id, const Statement& statement);
  Error refused() const {  // by NOWAIT; M16
    return variant_ == Variant::mysql ? Error::locked_nowait : Error::lock_wait_timeout;
  }
  void give_up_wait(SessionId id, const Value& value, Error error);
  void run(SessionId id);
  void finish(SessionId id);
  bool run_rows(Session& session);  // false: it waits
  bool one_row(Session& session, Running& running, Table& table);
  bool scan(Session& session, Running& running, Table& table);
  bool insert(Session& session, Running& running, Table& table);
  void plain_read(Session& session, Running& running, Table& table);
  // Does what the statement does with this row; the session has locked it.
  void act(Session& session, Running& running, Table& table, const std::string& key,
           Record& record);
  bool matches(const Running& running, const Table& table, const Row& row) const;
  Value value_of(const Running& running, const Table& table, const Row* row,
                 const Term& term) const;
  bool change(Session& session, Running& running, Table& table, const std::string& key,
              Record& record, const std::vector<Assignment>& set);
  void write(TrxId trx, Table& table, const std::string& key, Record& record, bool deleted,
             Row row);

  // --- locks
  Went lock(Session& session, const Place& place, LockMode mode, LockKind kind, Waiting waiting);
  void make_explicit(const Table& table, const std::string& key, const Record& record, TrxId asker);
  static LockMode mode_of(const Statement& statement);
  void resolve(TrxId trx);  // deadlocks
  TrxId victim_of(const std::vector<TrxId>& cycle, TrxId closer);
  std::size_t weight(TrxId trx) const;
  void go_on(const LockTable::Granted& granted);
  void go_on_named(const std::vector<SessionId>& granted);
  void run_ready();
  void drain();

  // --- transactions
  void begin(Session& session, SessionId id);
  bool must_flush(SessionId id);
  void commit(Session& session);
  void roll_back(Session& session);
  void undo_to(TrxId trx, std::size_t size);
  void end(Session& session);
  void fail(SessionId id, Error error);
  const Version* visible(const Record& record, TrxId trx, std::uint64_t snapshot) const;
  std::uint64_t snapshot_of(Session& session);

  Table& table_of(TableId id) { return tables_[id]; }
  Table* table_named(std::string_view name);
  SessionId session_of(TrxId trx) const { return owners_.at(trx); }
  std::size_t pick(std::size_t among) { return pick_ && among > 1 ? pick_(among) : among - 1; }

  std::deque<Table> tables_;
  std::map<SessionId, Session> sessions_;
  std::map<TrxId, Transaction> transactions_;
  std::map<TrxId, SessionId> owners_;
  LockTable locks_;
  NamedLocks names_;
  std::vector<SessionId> ready_;  // their waits are over
  std::vector<Finished> finished_;
  std::vector<Committed> committed_;
  std::vector<SessionId> flushing_;
  std::vector<SessionId> killed_;
  Variant variant_{};
  bool waits_for_disk_ = false;
  Pick pick_;
  SessionId opened_ = 0;
  TrxId begun_ = 0;
  std::uint64_t commits_ = 0;
};

}  // namespace picklock::mysql
