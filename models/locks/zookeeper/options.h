// The options of the locks on ZooKeeper, and their keys.
#pragma once

#include <cstdint>

#include "models/locks/option_keys.h"

namespace picklock::models::locks::zookeeper {

// When a holder of a ZooKeeper lock stops believing that it holds: never, when its session is lost,
// or as soon as it has no connection (docs/facts/failures.md B-12).
enum class StopsAt : std::uint8_t { never, lost, suspended };

// The fencing token of a ZooKeeper lock: the zxid that created its znode, or the number in the
// znode's name.
enum class FenceBy : std::uint8_t { zxid, sequence };

struct SessionOptions {
  StopsAt stops_at = StopsAt::lost;
  std::uint32_t lost_after_percent = 0;  // of the session timeout: then a client without connection
                                         // gives its session up; 0: never
};

// How the clients of a queue sort its znodes: by their numbers, by the text of the numbers, or by
// whole names.
enum class OrderBy : std::uint8_t { number, suffix, name };

struct QueueOptions {
  FenceBy fence_by = FenceBy::zxid;
  OrderBy order_by = OrderBy::number;
};

OptionKeys session_keys();            // of every lock on ZooKeeper
OptionKeys resending_session_keys();  // of those that send a command again
OptionKeys client_session_keys();     // those of them that its client's session has, not the lock
OptionKeys queue_keys();

}  // namespace picklock::models::locks::zookeeper
