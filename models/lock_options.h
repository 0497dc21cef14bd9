// What a user can set about a lock, in one aggregate. Durations are the client's patience or the
// lease's length; a lock ignores what its algorithm has no use for, and says so in its description.
#pragma once

#include <chrono>
#include <cstdint>

namespace picklock::models {

// The interfaces locks are written against use the standard's own duration, never the simulator's
// types.
using Duration = std::chrono::nanoseconds;

// How the owner token is made: a fresh one for each acquisition, or one for the life of the client.
enum class TokenPer : std::uint8_t { acquisition, client };

struct LockOptions {
  Duration ttl = std::chrono::seconds(10);
  Duration retry_every = std::chrono::milliseconds(100);
  Duration retry_jitter{};     // adds up to this much to every retry, drawn at random
  Duration acquire_timeout{};  // 0: tries for ever
  Duration command_timeout = std::chrono::seconds(3);
  TokenPer value = TokenPer::acquisition;
};

}  // namespace picklock::models
