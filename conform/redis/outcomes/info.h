// Parses the answer of INFO: lines of `name:value`.
#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace picklock::conform::redis::outcomes {

// Empty: no field of this name.
inline std::string_view field(std::string_view info, std::string_view name) {
  const std::size_t at = info.find("\n" + std::string(name) + ":");
  if (at == std::string_view::npos) return {};
  const std::string_view rest = info.substr(at + name.size() + 2);
  return rest.substr(0, rest.find('\r'));
}

// 0 if the text is not a number.
inline std::size_t number(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

inline std::size_t count(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; ++at) ++count;
  return count;
}

}  // namespace picklock::conform::redis::outcomes
