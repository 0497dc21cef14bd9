// When sessions end, as the server that counts them sees it: in buckets of its tick. A session that
// was heard of at `now` ends at the first multiple of the tick beyond now + time-out: never early,
// and at most one tick late (Z2).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "picklock/zookeeper.h"

namespace picklock::zookeeper {

// Times are milliseconds of the clock on which the server counts: one that never steps, except in
// old releases (docs/facts/failures.md C-15).
class Expiry {
 public:
  explicit Expiry(std::int64_t tick) : tick_(tick) {}

  void heard_of(SessionId session, std::int32_t timeout, std::int64_t now);
  void forget(SessionId session);
  void clear();

  // When the next sessions end; none: there are no sessions.
  std::optional<std::int64_t> next() const;
  // Returns the sessions that have ended by now, bucket by bucket, and forgets them.
  std::vector<SessionId> ended(std::int64_t now);

  bool knows(SessionId session) const { return ends_.contains(session); }

 private:
  std::int64_t tick_;
  std::map<SessionId, std::int64_t> ends_;
  std::map<std::int64_t, std::set<SessionId>> buckets_;
};

// The time-out that a client gets when it requests `asked`: at least 2 ticks, at most 20 (Z1).
std::int32_t negotiated(std::int32_t asked, std::int32_t tick);

}  // namespace picklock::zookeeper
