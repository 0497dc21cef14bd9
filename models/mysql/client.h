// MySQL as an algorithm sees it: a pool of connections, each a session of its server. A lock that
// belongs to a session lives as long as that, and its holder hears of the end with the next
// statement (M22). A statement parks the calling thread until it is answered or its connection is
// lost. Nothing here knows whether the server is simulated.
#pragma once

#include <memory>

#include "models/mysql/types.h"
#include "models/step.h"

namespace picklock::models::mysql {

// Lent by the pool until it is destroyed.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  // Error::gone_away: it was never sent; Error::lost: sent, and what came of it is unknown.
  // Role::none: that of the verb in which it is sent.
  virtual Answer execute(const Statement& statement, Role role = Role::none) = 0;
  // How many sessions it has had: a driver that reconnects silently goes on with another one.
  virtual std::uint32_t session() const = 0;
};

class Client {
 public:
  virtual ~Client() = default;

  // nullptr: all were lent, or no server that takes writes was to be had, until the patience ended.
  virtual std::unique_ptr<Connection> connect() = 0;
};

// Whether the transaction, if one was open, is over with this answer.
constexpr bool ends_transaction(Error error) {
  return error == Error::deadlock || error == Error::gone_away || error == Error::lost;
}

}  // namespace picklock::models::mysql
