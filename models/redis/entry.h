// A key of a Redis server, with its value and its deadline. A key with deadline D lives while the
// server's wall clock, in whole milliseconds, shows D or less, and is dead from D + 1 on (R13).
#pragma once

#include <cstdint>
#include <string>

#include "history/history.h"
#include "models/redis/value.h"

namespace picklock::redis {

inline constexpr std::int64_t kNoDeadline = INT64_MIN;
inline constexpr std::uint32_t kDatabases = 16;

struct Entry {
  std::string key;
  Value value;
  std::int64_t deadline_ms = kNoDeadline;
  std::uint64_t version = 0;  // counts what WATCH notices
  std::uint32_t database = 0;
  std::uint32_t slot = 0;
  std::uint32_t place = 0;  // index among the keys with a deadline, if it has one
  history::TenureId owner = 0;
  history::KeyId id = 0;
  bool named = false;    // `id` is set
  bool present = false;  // in memory, dead or alive
  bool mourned = false;  // its death by expiry is in the history already

  bool has_deadline() const { return deadline_ms != kNoDeadline; }
  bool alive(std::int64_t now_ms) const {
    return present && (now_ms <= deadline_ms || !has_deadline());
  }
};

}  // namespace picklock::redis
