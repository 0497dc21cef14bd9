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

// HSCAN and its kin. `find` looks for the value of the key, which must be of its type; `tell` adds
// one of its elements to the reply, if it is wanted.
template <typename Elements, typename Tell>
void scan_elements(Call& call, bool (*find)(const Call&, Entry*&, Elements*&), Tell tell) {
  ScanOptions options;
  if (!read_cursor(call, call[2], options)) return;
  Entry* entry = nullptr;
  Elements* elements = nullptr;
  if (!find(call, entry, elements)) return;
  if (elements != nullptr && !read_scan_options(call, 3, false, options)) return;
  Reply& found = begin_scan(call.reply);
  if (elements == nullptr) return;
  for (const auto& element : *elements) tell(options, element, found);
}

}  // namespace picklock::redis
