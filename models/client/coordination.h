// The task of a coordinator: it frees the locks of holders that are gone.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace picklock::models {

// When the access of a lost holder to the resource is revoked: before its lock is freed; or after,
// when another client may have it.
enum class Revokes : std::uint8_t { never, before_freeing, after_freeing };

struct Coordination {
  std::string_view key;  // of the lock
  Revokes revokes{};
  // Refuses everything that the holder with this token still sends to the resource; false: there
  // was no answer.
  std::function<bool(std::string_view token)> revoke;
};

}  // namespace picklock::models
