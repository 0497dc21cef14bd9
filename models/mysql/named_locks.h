// GET_LOCK and RELEASE_LOCK: locks of sessions, counted, that no transaction's end touches
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
  // `victims`: who else waits no longer, for a circle that this one would have closed.
  Asked ask(SessionId session, const std::string& name, bool may_wait,
            std::vector<SessionId>& victims);
  // How often it still has it; -1: it is another's, -2: nobody's. `granted`: who has it now.
  int release(SessionId session, const std::string& name, std::vector<SessionId>& granted);
  void release_all(SessionId session, std::vector<SessionId>& granted);
  void withdraw(SessionId session);  // waits no longer
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
  std::map<SessionId, std::uint32_t> lost_;  // how often it has been a circle's victim
};

}  // namespace picklock::mysql
