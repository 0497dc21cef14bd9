#include "models/zookeeper/expiry.h"

#include <algorithm>

namespace picklock::zookeeper {

void Expiry::heard_of(SessionId session, std::int32_t timeout, std::int64_t now) {
  forget(session);
  const std::int64_t end = ((now + timeout) / tick_ + 1) * tick_;
  ends_[session] = end;
  buckets_[end].insert(session);
}

void Expiry::forget(SessionId session) {
  const auto known = ends_.find(session);
  if (known == ends_.end()) return;
  const auto bucket = buckets_.find(known->second);
  bucket->second.erase(session);
  if (bucket->second.empty()) buckets_.erase(bucket);
  ends_.erase(known);
}

void Expiry::clear() {
  ends_.clear();
  buckets_.clear();
}

std::optional<std::int64_t> Expiry::next() const {
  if (buckets_.empty()) return std::nullopt;
  return buckets_.begin()->first;
}

std::vector<SessionId> Expiry::ended(std::int64_t now) {
  std::vector<SessionId> all;
  while (!buckets_.empty() && buckets_.begin()->first <= now) {
    for (const SessionId session : buckets_.begin()->second) {
      all.push_back(session);
      ends_.erase(session);
    }
    buckets_.erase(buckets_.begin());
  }
  return all;
}

std::int32_t negotiated(std::int32_t asked, std::int32_t tick) {
  return std::clamp(asked, 2 * tick, 20 * tick);
}

}  // namespace picklock::zookeeper
