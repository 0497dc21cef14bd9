// The whole of a server's data at one instant, as bytes: what a full synchronisation transfers and
// a dump file holds. (Not the format of RDB: one request of RESP for each key, with its database,
// deadline and owner before its elements.)
#pragma once

#include <string_view>

#include "models/redis/keyspace.h"
#include "sim/message.h"

namespace picklock::redis {

// Dead keys that nobody has forgotten are part of it, as they are of the real one.
void take_snapshot(Keyspace& keys, sim::Payload& out);
// Adds its keys to those that are there.
void load_snapshot(std::string_view bytes, Keyspace& keys);

}  // namespace picklock::redis
