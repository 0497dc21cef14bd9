#include "models/mysql/named_locks.h"

#include <algorithm>

namespace picklock::mysql {

void NamedLocks::clear() {
  locks_.clear();
  lost_.clear();
}

NamedLocks::Asked NamedLocks::ask(SessionId session, const std::string& name, bool may_wait,
                                  std::vector<SessionId>& victims) {
  Lock& lock = locks_[name];
  if (lock.owner == 0 || lock.owner == session) {
    lock.owner = session;
    ++lock.count;
    return Asked::granted;
  }
  if (!may_wait) return Asked::refused;
  lock.waiters.push_back(session);
  while (const SessionId loser = victim(session)) {
    withdraw(loser);
    ++lost_[loser];
    if (loser == session) return Asked::deadlock;
    victims.push_back(loser);
  }
  return Asked::waits;
}

// Each session waits for at most one lock; 0: for none.
SessionId NamedLocks::waits_for(SessionId session) const {
  const auto awaited = std::find_if(locks_.begin(), locks_.end(), [session](const auto& entry) {
    const std::deque<SessionId>& waiters = entry.second.waiters;
    return std::find(waiters.begin(), waiters.end(), session) != waiters.end();
  });
  return awaited == locks_.end() ? 0 : awaited->second.owner;
}

// The session of `closer`'s cycle that has been a victim least often; among equals the first in the
// order of waits, beginning with `closer`. 0: there is no cycle (M33, M57).
SessionId NamedLocks::victim(SessionId closer) const {
  const auto lost = [this](SessionId session) {
    const auto found = lost_.find(session);
    return found == lost_.end() ? 0 : found->second;
  };
  SessionId least = closer;
  for (SessionId next = waits_for(closer); next != closer; next = waits_for(next)) {
    if (next == 0) return 0;
    if (lost(next) < lost(least)) least = next;
  }
  return least;
}

int NamedLocks::release(SessionId session, const std::string& name,
                        std::vector<SessionId>& granted) {
  const auto found = locks_.find(name);
  if (found == locks_.end()) return -2;
  if (found->second.owner != session) return -1;
  const auto left = static_cast<int>(--found->second.count);
  if (left == 0) pass_on(found, granted);
  return left;
}

void NamedLocks::release_all(SessionId session, std::vector<SessionId>& granted) {
  withdraw(session);
  lost_.erase(session);
  for (auto lock = locks_.begin(); lock != locks_.end();) {
    const auto next = std::next(lock);
    if (lock->second.owner == session) pass_on(lock, granted);
    lock = next;
  }
}

void NamedLocks::pass_on(std::map<std::string, Lock>::iterator lock,
                         std::vector<SessionId>& granted) {
  if (lock->second.waiters.empty()) {
    locks_.erase(lock);
    return;
  }
  lock->second.owner = lock->second.waiters.front();
  lock->second.count = 1;
  lock->second.waiters.pop_front();
  granted.push_back(lock->second.owner);
}

void NamedLocks::withdraw(SessionId session) {
  for (auto& [name, lock] : locks_) std::erase(lock.waiters, session);
}

SessionId NamedLocks::owner(const std::string& name) const {
  const auto found = locks_.find(name);
  return found == locks_.end() ? 0 : found->second.owner;
}

}  // namespace picklock::mysql
