// The connections in MONITOR: each is shown every command that the server has carried out, the
// commands of transactions and scripts among them (R126).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/redis/commands.h"
#include "models/redis/parts.h"

namespace picklock::redis {

class Monitors {
 public:
  explicit Monitors(const Parts& parts) : keys_(parts.keys), connections_(parts.connections) {}

  void halted() { sessions_.clear(); }

  void add(Session& session);
  void forget(Session& session);

  // Commands of this connection, or of a script (nullptr), in its database.
  void show(const Session* by, std::uint32_t database, const Command& command, Argv argv) {
    if (!sessions_.empty()) show_all(by, database, command, argv);
  }

 private:
  void show_all(const Session* by, std::uint32_t database, const Command& command, Argv argv);

  Keyspace& keys_;
  Connections& connections_;
  std::vector<Session*> sessions_;
};

}  // namespace picklock::redis
