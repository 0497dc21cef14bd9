// The words that SCAN, HSCAN, SSCAN and ZSCAN have in common. A hash, a set and a sorted set are
// over in one step, as small ones are on the real server.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/redis/commands.h"

namespace picklock::redis {

struct ScanOptions {
  std::uint64_t cursor = 0;
  std::int64_t count = 10;
  std::string_view pattern = "*";
  std::optional<std::string_view> type{};

  bool wants(std::string_view name) const;
};

// False: it is none, and the reply says so.
bool read_cursor(const Call& call, std::string_view word, ScanOptions& options);
// Reads the words from `first` on. False: they make no sense, and the reply says so.
bool read_scan_options(const Call& call, std::size_t first, bool of_keys, ScanOptions& options);
// Makes the reply one of the last step, and returns the place of its elements.
Reply& begin_scan(Reply& reply);

}  // namespace picklock::redis
