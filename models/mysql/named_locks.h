// GET_LOCK and RELEASE_LOCK: counted locks of sessions, which outlast transactions
// (docs/facts/fidelity.md M30 to M33, M57).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace picklock::mysql {

using SessionId = std::uint32_t;  // CONNECTION_ID(); 0: none

class NamedLocks {
 public:
  enum class Asked : std::uint8_t { granted, waits, refused, deadlock };

  void clear();
  // `victims`: other sessions whose waits end because this one would have closed a cycle.
  Asked ask(SessionId session, const std::string& name, bool may_wait,
            std::vector<SessionId>& victims);
  // Returns how often the session still holds it; -1: held by another, -2: not held. `granted`:
  // appends the new owner.
  int release(SessionId session, const std::string& name, std::vector<SessionId>& granted);
  void release_all(SessionId session, std::vector<SessionId>& granted);
  void withdraw(SessionId session);  // it waits no longer
  SessionId owner(const std::string& name) const;

 private:
  struct Lock {
    SessionId owner = 0;
    std::uint32_t count = 0;
    std::deque<SessionId> waiters;
  };
  SessionId waits_for(SessionId session) const;
  SessionId victim(SessionId closer) const;
  void pass_on(std::map<std::string, Lock>::iterator lock, std::vector<SessionId>& granted);

  std::map<std::string, Lock> locks_;
  std::map<SessionId, std::uint32_t> lost_;  // how often it was a cycle's victim
};

}  // namespace picklock::mysql
