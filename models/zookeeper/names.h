// Names of znodes, as locks and observers of locks read them.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace picklock::zookeeper {

// The znode of a lock: its key, with a leading slash added if it has none.
inline std::string lock_path(std::string_view key) {
  return key.starts_with('/') ? std::string(key) : "/" + std::string(key);
}

inline std::string child_of(std::string_view parent, std::string_view name) {
  std::string path;
  path.reserve(parent.size() + 1 + name.size());
  return path.append(parent).append("/").append(name);
}

// The number that a server has appended to the name of a sequential znode (Z21); none: the znode is
// not sequential.
inline std::optional<std::int32_t> sequence_of(std::string_view name) {
  constexpr std::size_t kDigits = 10;
  if (name.size() < kDigits) return std::nullopt;
  const std::string_view digits = name.substr(name.size() - kDigits);
  const bool negative = name.size() > kDigits && digits.front() == '-';
  const auto is_digit = [](char one) { return one >= '0' && one <= '9'; };
  if (!std::all_of(digits.begin() + (negative ? 1 : 0), digits.end(), is_digit))
    return std::nullopt;
  std::int32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace picklock::zookeeper
