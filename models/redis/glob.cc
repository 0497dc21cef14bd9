#include "models/redis/glob.h"

#include <utility>

namespace picklock::redis {
namespace {

// The real server's letters are signed, on every machine.
int signed_value(char letter) {
  return static_cast<signed char>(letter);
}  // NOLINT: signed as there

struct GlobMatcher {
  bool any_case = false;
  // A star has tried every place for what follows it: an earlier star need not try again, or long
  // patterns of stars would take for ever.
  bool hopeless = false;

  int fold(char letter) const {
    const int value = signed_value(letter);
    return any_case && letter >= 'A' && letter <= 'Z' ? value + 32 : value;
  }

  // Takes a class, `[` already gone, off the pattern but for its last character.
  bool in_class(std::string_view& pattern, char letter) const {
    const bool inverted = pattern.starts_with('^');
    if (inverted) pattern.remove_prefix(1);
    bool found = false;
    for (;; pattern.remove_prefix(1)) {
      if (pattern.size() >= 2 && pattern[0] == '\\') {
        pattern.remove_prefix(1);
        found = found || pattern[0] == letter;
      } else if (pattern.empty() || pattern[0] == ']') {
        break;
      } else if (pattern.size() >= 3 && pattern[1] == '-') {
        int first = signed_value(pattern[0]);
        int last = signed_value(pattern[2]);
        if (first > last) std::swap(first, last);
        if (any_case) {
          first = fold(static_cast<char>(first));
          last = fold(static_cast<char>(last));
        }
        pattern.remove_prefix(2);
        found = found || (fold(letter) >= first && fold(letter) <= last);
      } else {
        found = found || fold(pattern[0]) == fold(letter);
      }
    }
    return found != inverted;
  }

  bool match(std::string_view pattern, std::string_view text) {
    while (!pattern.empty() && !text.empty()) {
      if (pattern[0] == '*') {
        while (pattern.size() > 1 && pattern[1] == '*') pattern.remove_prefix(1);
        if (pattern.size() == 1) return true;
        for (; !text.empty(); text.remove_prefix(1)) {
          if (match(pattern.substr(1), text)) return true;
          if (hopeless) return false;
        }
        hopeless = true;
        return false;
      }
      if (pattern[0] == '[') {
        pattern.remove_prefix(1);
        if (!in_class(pattern, text[0])) return false;
      } else if (pattern[0] != '?') {
        if (pattern[0] == '\\' && pattern.size() >= 2) pattern.remove_prefix(1);
        if (fold(pattern[0]) != fold(text[0])) return false;
      }
      if (!pattern.empty()) pattern.remove_prefix(1);
      text.remove_prefix(1);
      if (text.empty()) {
        while (pattern.starts_with('*')) pattern.remove_prefix(1);
      }
    }
    return pattern.empty() && text.empty();
  }
};

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view text, bool any_case) {
  return GlobMatcher{.any_case = any_case}.match(pattern, text);
}

}  // namespace picklock::redis
