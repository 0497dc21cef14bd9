// Common parts of the locks on MySQL: their statements, connections that are kept as long as a lock
// is held, and fencing tokens from a committed counter.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/locks/algorithm.h"
#include "models/locks/lock_options.h"
#include "models/locks/mysql/options.h"
#include "picklock/lock.h"
#include "picklock/mysql.h"

namespace picklock::models::locks::mysql {

using picklock::mysql::Answer;
using picklock::mysql::Connection;
using picklock::mysql::Error;
using picklock::mysql::Op;
using picklock::mysql::Statement;

// The connections that the threads of this process share.
inline picklock::mysql::Client& pool(Client& self) {
  return self.connection<picklock::mysql::Client>();
}

// On the row of `table` whose key is the lock's.
Statement select_row(std::string_view table, std::string_view key);
Statement lock_row(std::string_view table, std::string_view key, IfLocked if_locked);
Statement insert_row(std::string_view table, std::string_view key);

// The rows of a lock, in the order in which this client takes them.
std::vector<std::string> rows_in_order(Client& self, std::string_view key,
                                       const RowOptions& options);

// Runs a statement of a transaction, and repeats it after 1205 or 1213 if the client does so.
template <typename Run>
Error run(const RowOptions& options, Run statement) {
  constexpr int kRepeats = 2;
  Error error = statement();
  for (int again = 0; again < kRepeats && options.after_error == AfterError::repeat; ++again) {
    if (error != Error::lock_wait_timeout && error != Error::deadlock) break;
    error = statement();
  }
  return error;
}

// Ends a transaction of which a statement has failed.
void give_up(Connection& connection, const RowOptions& options);

// The only value of the only row, as a function returns it; nothing: NULL.
std::optional<std::int64_t> value_of(const Answer& answer);

// For a lock that changes only rows that exist: no gap that it locks is in another's way. In a
// transaction it reads a row only after it has changed it, so no snapshot is older than the row.
inline constexpr UnusedKey kUnusedIsolation{
    "isolation", "with a lock whose statements run alike under every isolation level"};

// The sessions that hold locks.
class Sessions {
 public:
  // Returns the token under which the connection is kept.
  std::string keep(Client& self, std::unique_ptr<Connection> connection);
  // nullptr: none is kept.
  Connection* of(const Lease& lease) const;
  // Removes the connection, so that it returns to the pool.
  std::unique_ptr<Connection> take(const Lease& lease);

 private:
  std::map<std::string, std::unique_ptr<Connection>> kept_;  // by token
};

// The name by which a committed row shows its owner: made for an acquisition, a client, or its
// machine.
class OwnerName {
 public:
  std::string of(Client& self, const LockOptions& options);

 private:
  std::string name_;
};

// Increments the counter in a transaction of its own on another connection, because uncommitted
// changes do not survive the loss of the lock. 0: there is no token.
std::int64_t next_fence(Client& self, std::string_view key);
// The same for a lock that lives in a session. A token is good only if the lock was still held when
// it was counted; otherwise tokens would not have the order of the grants.
std::int64_t next_fence(Client& self, std::string_view key, Connection& holds);

// Adds a write to the work that the lock protects, in its own database and on the session that
// holds the lock: part of its open transaction, if there is one.
Written write_work(Connection& connection, std::string_view key);

}  // namespace picklock::models::locks::mysql
