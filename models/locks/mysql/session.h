// What the locks on MySQL have in common: the statements that they are made of, connections that
// are kept as long as a lock is held, and fencing tokens from a committed counter.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "models/lock_options.h"
#include "picklock/lock.h"
#include "picklock/mysql.h"

namespace picklock::models::locks::mysql {

using picklock::mysql::Answer;
using picklock::mysql::Connection;
using picklock::mysql::Error;
using picklock::mysql::Op;
using picklock::mysql::Statement;

// On a row of `table`, whose key is the lock's.
Statement select_row(std::string_view table, std::string_view key);
Statement lock_row(std::string_view table, std::string_view key, IfLocked if_locked);
Statement insert_row(std::string_view table, std::string_view key);

// The only value of the only row, as a function returns it; nothing: NULL.
std::optional<std::int64_t> value_of(const Answer& answer);

// Whose sessions have the locks.
class Sessions {
 public:
  // Returns the token under which it is kept.
  std::string keep(Client& self, std::unique_ptr<Connection> connection);
  // nullptr: there is none.
  Connection* of(const Lease& lease) const;
  // To give it back to the pool.
  std::unique_ptr<Connection> take(const Lease& lease);

 private:
  std::map<std::string, std::unique_ptr<Connection>> kept_;  // by token
};

// By which a committed row knows its own: made for an acquisition, a client, or its machine.
class OwnerName {
 public:
  std::string of(Client& self, const LockOptions& options);

 private:
  std::string name_;
};

// Counts one on, in a transaction of its own on another connection: what is not committed does not
// survive the loss of the lock. 0: there is no token.
std::int64_t next_fence(Client& self, std::string_view key);
// The same for a lock that lives in a session: a token is good only if the lock was still held when
// it was counted, or the order of the tokens were not that of the grants.
std::int64_t next_fence(Client& self, std::string_view key, Connection& holds);

// One more write to what the lock protects, in its own database and on the session that holds the
// lock: part of its transaction, if it has one open.
Written write_work(Connection& connection, std::string_view key);

}  // namespace picklock::models::locks::mysql
