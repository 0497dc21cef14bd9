// The sessions of an ensemble as its leader counts them: which are alive, until when, and at which
// server. A new leader gives every session its full time (Z43). Only a leader with a quorum ends a
// session.
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

  // `now` is in milliseconds, on the clock on which sessions are counted.
  void begin(const std::map<SessionId, std::int32_t>& sessions, std::int64_t now);
  void end();

  void open(SessionId session, std::int32_t timeout, ServerId at, std::int64_t now);
  void close(SessionId session) {
    sessions_.erase(session);
    expiry_.forget(session);
  }
  // Whether to apply a write of this session that came through this server.
  Code check(SessionId session, ServerId at) const;
  // False: there is no such session.
  bool heard_of(SessionId session, std::int64_t now);
  // Moves the session to another connection, whose time-out becomes the session's (Z61).
  bool move(SessionId session, ServerId to, std::int32_t timeout, std::int64_t now);

  std::optional<std::int64_t> next_end() const { return expiry_.next(); }
  // Returns the sessions that have ended, and closes them.
  std::vector<SessionId> ended(std::int64_t now);

 private:
  struct Session {
    std::int32_t timeout = 0;
    ServerId at = 0;  // 0: no server yet
  };

  std::map<SessionId, Session> sessions_;
  Expiry expiry_;
};

}  // namespace picklock::zookeeper
