// A process that frees the locks of lost holders, as the master of a cluster reassigns the work of
// a lost server. When a holder's ephemeral znode vanishes, it has that holder's access to the
// resource revoked, and then deletes the lock's znode (docs/facts/failures.md B-11).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "models/client/coordination.h"
#include "models/locks/zookeeper/session.h"
#include "picklock/zookeeper.h"

namespace picklock::models::locks::zookeeper {

// The znode that exists as long as the session of the client that uses this token.
std::string holder_path(std::string_view lock, std::string_view token);

class Coordinator {
 public:
  explicit Coordinator(const Coordination& task)
      : path_(picklock::zookeeper::lock_path(task.key)),
        office_path_(path_ + "-coordinator"),
        revokes_(task.revokes),
        revoke_(task.revoke) {}

  // Never returns.
  void run(Client& self);

 private:
  // The outcome of a turn.
  enum class Turn : std::uint8_t { done, failed };
  Turn take_office(Client& self);
  Turn look(Client& self);
  Turn free(Client& self, const std::string& token);

  std::string path_;
  std::string office_path_;
  Revokes revokes_;
  std::function<bool(std::string_view token)> revoke_;
  SessionId office_ = 0;  // the session in which it may act; 0: none
};

}  // namespace picklock::models::locks::zookeeper
