// Redisson's names for the keys and channels of a lock (docs/facts/algorithms.md 1.1): its own name
// in braces, so that a cluster keeps all of them in one slot.
#pragma once

#include <string>
#include <string_view>

namespace picklock::models::locks::redisson {

inline std::string decorated(std::string_view prefix, std::string_view name) {
  std::string whole(prefix);
  const bool braced = name.find('{') != std::string_view::npos;
  whole += braced ? ":" : ":{";
  whole += name;
  if (!braced) whole += "}";
  return whole;
}

inline std::string channel_of(std::string_view name) {
  return decorated("redisson_lock__channel", name);
}
inline std::string latch_of(std::string_view name, std::string_view request) {
  return decorated("redisson_unlock_latch", name).append(":").append(request);
}
inline std::string queue_of(std::string_view name) {
  return decorated("redisson_lock_queue", name);
}
inline std::string places_of(std::string_view name) {
  return decorated("redisson_lock_timeout", name);
}
inline std::string token_of(std::string_view name) {
  return decorated("redisson_lock_token", name);
}

}  // namespace picklock::models::locks::redisson
