// The sessions of an ensemble as its leader counts them: who is alive, until when, and at which
// server. A new leader gives every session its whole time anew (Z43), and whoever has a quorum
// alone ends one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "models/zookeeper/expiry.h"
#include "models/zookeeper/proposal.h"

namespace picklock::zookeeper {

class SessionTracker {
 public:
  explicit SessionTracker(std::int64_t tick) : expiry_(tick) {}

  // `now` is in milliseconds, by the clock that sessions are counted on.
  void begin(const std::map<SessionId, std::int32_t>& sessions, std::int64_t now);
  void end();

  void open(SessionId session, std::int32_t timeout, ServerId at, std::int64_t now);
  void close(SessionId session) {
    sessions_.erase(session);
    expiry_.forget(session);
  }
  // Whether a write of this session that came by this server is to be done.
  Code check(SessionId session, ServerId at) const;
  // False: there is none such.
  bool heard_of(SessionId session, std::int64_t now);
  // To another connection, whose time-out is the session's from now on (Z61).
  bool move(SessionId session, ServerId to, std::int32_t timeout, std::int64_t now);

  std::optional<std::int64_t> next_end() const { return expiry_.next(); }
  // They are closed with it.
  std::vector<SessionId> ended(std::int64_t now);

 private:
  struct Session {
    std::int32_t timeout = 0;
    ServerId at = 0;  // 0: at none yet
  };

  std::map<SessionId, Session> sessions_;
  Expiry expiry_;
};

}  // namespace picklock::zookeeper
