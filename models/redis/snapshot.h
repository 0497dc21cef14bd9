// All data of a server at one instant, as bytes: the content of a full synchronization and of a
// dump file. (The format is not RDB but one RESP request for each key, with its database, deadline
// and owner before its elements.)
#pragma once

#include <string_view>

#include "models/redis/keyspace.h"
#include "sim/message.h"

namespace picklock::redis {

// Includes dead keys that are not forgotten yet, as the real server does.
void take_snapshot(Keyspace& keys, sim::Payload& out);
// Adds the keys of a snapshot to the present ones.
void load_snapshot(std::string_view bytes, Keyspace& keys, const CompactLimits& limits);

}  // namespace picklock::redis
