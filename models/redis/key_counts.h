// Counts over the keys of a server, as DBSIZE and INFO report them. They include dead keys that no
// command has touched (R16).
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/redis/keyspace.h"

namespace picklock::redis {

std::size_t count_keys(const Keyspace& keys, std::uint32_t database);
std::size_t count_keys_with_deadline(const Keyspace& keys, std::uint32_t database);
// An estimate of the memory that the real server would use.
std::size_t used_memory(const Keyspace& keys);

}  // namespace picklock::redis
