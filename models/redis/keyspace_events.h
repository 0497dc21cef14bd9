// Keyspace notifications: messages about keys, on channels of their own. The model has those of the
// class `x`, about keys that have expired (R125).
#pragma once

#include <cstdint>
#include <string_view>

#include "models/redis/parts.h"

namespace picklock::redis {

// The server forgets a dead key, in its cycle or because a command has touched it. Publishes that
// as `notify-keyspace-events` says, when it happens: the key's deadline is over by then.
void publish_expired(const Context& server, Keyspace& keys, std::uint32_t database,
                     std::string_view key);

}  // namespace picklock::redis
