// Names of znodes, as locks and observers of locks read them.
#pragma once

#include <cstdint>
#include <limits>
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

// The text that a server appends to the name of a sequential znode: `%010d` of a signed number
// (Z21, Z62).
inline std::string sequence_text(std::int32_t number) {
  std::string digits = std::to_string(number < 0 ? -std::int64_t{number} : std::int64_t{number});
  const std::size_t width = number < 0 ? 9 : 10;
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return number < 0 ? "-" + digits : digits;
}

// The number at the end of the name of a sequential znode; none: the znode is not sequential. The
// ten digits of a large negative number follow its sign, which follows the end of the prefix, a `-`
// or a `_`. Otherwise a `-` before ten digits belongs to the prefix.
inline std::optional<std::int32_t> sequence_of(std::string_view name) {
  constexpr std::size_t kDigits = 10;
  if (name.size() < kDigits) return std::nullopt;
  const std::string_view digits = name.substr(name.size() - kDigits);
  const bool negative = name.size() > kDigits && digits.front() == '-';
  std::int64_t number = 0;
  for (const char one : digits.substr(negative ? 1 : 0)) {
    if (one < '0' || one > '9') return std::nullopt;
    number = 10 * number + (one - '0');
  }
  if (negative) number = -number;
  const std::string_view before = name.substr(0, name.size() - kDigits);
  const bool is_signed = before.ends_with("--") || before.ends_with("_-");
  if (is_signed && digits.front() != '0') number = -number;
  if (number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<std::int32_t>(number);
}

}  // namespace picklock::zookeeper
