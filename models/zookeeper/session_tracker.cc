#include "models/zookeeper/session_tracker.h"

namespace picklock::zookeeper {

void SessionTracker::begin(const std::map<SessionId, std::int32_t>& sessions, std::int64_t now) {
  end();
  for (const auto& [session, timeout] : sessions) open(session, timeout, 0, now);
}

void SessionTracker::end() {
  sessions_.clear();
  expiry_.clear();
}

void SessionTracker::open(SessionId session, std::int32_t timeout, ServerId at, std::int64_t now) {
  sessions_[session] = {timeout, at};
  expiry_.heard_of(session, timeout, now);
}

Code SessionTracker::check(SessionId session, ServerId at) const {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return Code::session_expired;
  return found->second.at == 0 || found->second.at == at ? Code::ok : Code::session_moved;
}

bool SessionTracker::heard_of(SessionId session, std::int64_t now) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return false;
  expiry_.heard_of(session, found->second.timeout, now);
  return true;
}

bool SessionTracker::move(SessionId session, ServerId to, std::int32_t timeout, std::int64_t now) {
  if (!sessions_.contains(session)) return false;
  open(session, timeout, to, now);
  return true;
}

std::vector<SessionId> SessionTracker::ended(std::int64_t now) {
  std::vector<SessionId> all = expiry_.ended(now);
  for (const SessionId session : all) sessions_.erase(session);
  return all;
}

}  // namespace picklock::zookeeper
