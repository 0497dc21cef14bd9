// A process that frees the locks of lost holders, as the master of a cluster reassigns the work of
// a lost server. When a holder's ephemeral znode vanishes, it has that holder's access to the
// resource revoked, and then deletes the lock's znode (docs/facts/failures.md B-11).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "models/locks/zookeeper/session.h"
#include "picklock/zookeeper.h"

namespace picklock::models::locks::zookeeper {

// The znode that exists as long as the session of the client that uses this token.
std::string holder_path(std::string_view lock, std::string_view token);

class Coordinator {
 public:
  // When the access of a lost holder is revoked: before its lock is freed; or after, when another
  // client may have it.
  enum class Revokes : std::uint8_t { never, before_freeing, after_freeing };

  // `revoke` refuses everything that the holder with this token still sends to the resource; false:
  // there was no answer.
  Coordinator(std::string_view key, Revokes revokes,
              std::function<bool(std::string_view token)> revoke)
      : path_(picklock::zookeeper::lock_path(key)),
        office_path_(path_ + "-coordinator"),
        revokes_(revokes),
        revoke_(std::move(revoke)) {}

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
