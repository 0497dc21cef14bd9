// MySQL as a lock sees it: a pool of connections, each a session of its server, and the few
// statements that locks are made of. A lock that belongs to a session lives as long as the session,
// and its holder learns of the end with the next statement (M22). A statement blocks the calling
// thread until it is answered or its connection is lost. This interface does not show whether the
// server is simulated. No function throws.
//
// The database has the tables locks(name), lock_rows(name), insert_locks(name, owner, expires_at),
// shedlock(name, lock_until, locked_at, locked_by), fences(name, value) and work(name, value). The
// first column is the primary key, a VARCHAR; times are in microseconds since 1970, by the server's
// clock. lock_rows, fences and work have a row for the scenario's lock when a run begins.
//
// The judges of a run know a holder by its entry, and an entry is one of these: a name of GET_LOCK;
// the row of the lock's name in `locks` or `lock_rows`, while an open transaction has it locked
// exclusively; a committed row of that name in `insert_locks` or `shedlock`, until its time has
// passed or it is deleted. A committed row of `locks` is no entry, because it may stay when its
// lock is released: a lock that inserts a row for good uses `insert_locks`.
//
//   const auto session = self.connection<mysql::Client>().connect();
//   if (session == nullptr) return std::nullopt;
//   const auto answer = session->execute(
//       {.op = mysql::Op::insert, .table = "locks", .values = {{.value = std::string(key)}}});
//   if (answer.error == mysql::Error::lost) return Acquired::unknown();
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "picklock/client.h"

namespace picklock::mysql {

// A lock on this server says so: `static constexpr LockServer server = mysql::kServer;`.
inline constexpr LockServer kServer{"mysql"};

using Value = std::variant<std::monostate, std::int64_t, std::string>;  // NULL, BIGINT, VARCHAR
using Row = std::vector<Value>;

enum class Op : std::uint8_t {
  begin,
  commit,
  rollback,
  savepoint,
  rollback_to,
  set_autocommit,  // number: 0 or 1
  set_isolation,   // of the transactions that follow
  select,
  insert,
  update,
  remove,    // DELETE
  ddl,       // any statement that commits implicitly
  get_lock,  // number: seconds it waits
  release_lock,
  is_used_lock,
  kill,  // number: the session
  kill_query,
  ping,
  read_only,  // whether the server is a replica: SELECT @@read_only
  // number: seconds that a statement of the session waits for a row, unless the server's limit is
  // lower; MySQL waits for at least one, and MariaDB not at all with 0
  set_lock_wait_timeout,
  about_session,  // one row, with a column for each of About
  // COM_RESET_CONNECTION: rolled back, its names released, its variables as at first
  reset_session,
};
inline constexpr std::size_t kOps = static_cast<std::size_t>(Op::reset_session) + 1;

// A fact about a server or about the session of its client.
enum class About : std::uint8_t {
  connection_id,
  version,
  isolation,
  lock_wait_timeout,  // seconds
  wait_timeout,       // the same
  autocommit,
  read_only,
};
inline constexpr std::size_t kAbouts = static_cast<std::size_t>(About::read_only) + 1;

// Whether a statement works on rows, so that it may wait for their locks.
constexpr bool is_of_rows(Op op) {
  return op == Op::select || op == Op::insert || op == Op::update || op == Op::remove;
}
constexpr bool is_of_named_locks(Op op) {
  return op == Op::get_lock || op == Op::release_lock || op == Op::is_used_lock;
}

enum class Isolation : std::uint8_t { read_committed, repeatable_read, serializable };
enum class Locking : std::uint8_t { none, share, update };
enum class Waiting : std::uint8_t { waits, nowait, skips };  // SKIP LOCKED
enum class OnDuplicate : std::uint8_t { fails, ignores, updates };

// A value, the value of a column, or the server's time in microseconds since 1970; plus a number.
struct Term {
  enum class Of : std::uint8_t { value, column, now };
  Of of = Of::value;
  Value value{};
  std::string column{};
  std::int64_t plus = 0;
};

struct Condition {
  enum class Is : std::uint8_t { equal, at_most, more };
  std::string column;
  Is is{};
  Term term{};
};

struct Assignment {
  std::string column;
  Term term{};
};

struct Statement {
  Op op{};
  std::string table{};
  std::optional<std::string> key{};  // primary key of one row; none: every row is read
  std::vector<Condition> where{};
  Locking locking{};
  Waiting waiting{};
  std::vector<Term> values{};  // to insert
  OnDuplicate on_duplicate{};
  std::vector<Assignment> set{};
  std::string name{};  // of a savepoint or of a lock
  Isolation isolation = Isolation::repeatable_read;
  std::int64_t number = 0;
};

// Error numbers, as the server has them.
enum class Error : std::uint16_t {
  none = 0,
  bad_null = 1048,
  name_too_long = 1059,
  duplicate = 1062,
  no_such_thread = 1094,
  no_such_table = 1146,
  lock_wait_timeout = 1205,
  deadlock = 1213,
  is_read_only = 1290,
  no_such_savepoint = 1305,
  interrupted = 1317,
  no_data = 1329,              // a client's own word for an empty answer
  wrong_lock_name = 3057,      // of GET_LOCK; MySQL's
  named_lock_deadlock = 3058,  // the same
  locked_nowait = 3572,        // the same, of NOWAIT
  gone_away = 2006,            // the client's own: no connection; the statement was never sent
  lost = 2013,  // the client's own: lost after the statement was sent, outcome unknown
};

struct Answer {
  Error error{};
  std::vector<Row> rows{};     // of a select, or the one value of a function
  std::uint64_t affected = 0;  // rows that were changed; of an upsert 2

  bool ok() const { return error == Error::none; }
};
inline Answer failed(Error error) { return {.error = error}; }

// A connection of the pool. Its destructor returns it.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  // Error::gone_away: the statement was never sent; Error::lost: it was sent, and its outcome is
  // unknown. Role::none: the role of the verb in which it is sent.
  virtual Answer execute(const Statement& statement, Role role = Role::none) = 0;
  // How many sessions the connection has had: a driver may reconnect silently with a new session.
  virtual std::uint32_t session() const = 0;
};

class Client {
 public:
  virtual ~Client() = default;

  // nullptr: every connection was in use, or no server accepted writes, until the patience ended
  // (`lock.command_timeout`).
  virtual std::unique_ptr<Connection> connect() = 0;
};

// Whether the transaction, if one was open, is over with this answer.
constexpr bool ends_transaction(Error error) {
  return error == Error::deadlock || error == Error::gone_away || error == Error::lost;
}

}  // namespace picklock::mysql
