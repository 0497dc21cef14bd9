// Hands what the writes of a command come to (Effects) on to those that get it: the append-only
// file first, then the replicas.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/redis/keyspace.h"
#include "models/redis/parts.h"

namespace picklock::redis {

class Propagation {
 public:
  explicit Propagation(const Parts& parts)
      : keys_(parts.keys),
        executor_(parts.executor),
        effects_(parts.effects),
        replication_(parts.replication),
        persistence_(parts.persistence) {}

  void hand_on();
  // Replicas or the file come or go: effects are kept only while there is somebody to get them.
  void receivers_changed();
  // A key that the server has removed by itself: it is dead, or evicted.
  void forget(std::uint32_t database, std::string_view key);

 private:
  Keyspace& keys_;
  Executor& executor_;
  Effects& effects_;
  Replication& replication_;
  Persistence& persistence_;
};

}  // namespace picklock::redis
