#include "models/redis/glob.h"

#include <algorithm>

namespace picklock::models::redis {
namespace {

// Takes a list, from its [ to its ], off the pattern.
bool in_list(std::string_view& pattern, char letter) {
  pattern.remove_prefix(1);
  const bool inverted = pattern.starts_with('^');
  if (inverted) pattern.remove_prefix(1);
  bool found = false;
  while (!pattern.empty() && pattern[0] != ']') {
    if (pattern[0] == '\\' && pattern.size() >= 2) {
      found |= pattern[1] == letter;
      pattern.remove_prefix(2);
    } else if (pattern.size() >= 3 && pattern[1] == '-') {
      // Letters are signed there, and the ends may come in either order.
      const auto [low, high] =
          std::minmax({static_cast<signed char>(pattern[0]), static_cast<signed char>(pattern[2])});
      const auto here = static_cast<signed char>(letter);
      found |= low <= here && here <= high;
      pattern.remove_prefix(3);
    } else {
      found |= pattern[0] == letter;
      pattern.remove_prefix(1);
    }
  }
  if (!pattern.empty()) pattern.remove_prefix(1);
  return found != inverted;
}

// `hopeless` is set when what follows the last * matches no tail of the text: then no earlier *
// needs to try a longer piece either, and the time stays bounded.
bool matches(std::string_view pattern, std::string_view text, bool& hopeless) {
  while (!pattern.empty() && !text.empty()) {
    switch (pattern[0]) {
      case '*':
        while (pattern.starts_with("**")) pattern.remove_prefix(1);
        if (pattern.size() == 1) return true;
        for (; !text.empty(); text.remove_prefix(1)) {
          if (matches(pattern.substr(1), text, hopeless)) return true;
          if (hopeless) return false;
        }
        hopeless = true;
        return false;
      case '?':
        pattern.remove_prefix(1);
        break;
      case '[':
        if (!in_list(pattern, text[0])) return false;
        break;
      case '\\':
        if (pattern.size() >= 2) pattern.remove_prefix(1);
        [[fallthrough]];
      default:
        if (pattern[0] != text[0]) return false;
        pattern.remove_prefix(1);
    }
    text.remove_prefix(1);
    if (text.empty()) {
      while (pattern.starts_with('*')) pattern.remove_prefix(1);
    }
  }
  return pattern.empty() && text.empty();
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  bool hopeless = false;
  return matches(pattern, text, hopeless);
}

}  // namespace picklock::models::redis
