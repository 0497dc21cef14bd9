#include "keys/nesting.h"

namespace picklock::keys {
namespace {

// The position after the string that begins at `at`. At a string that is not closed, the parser
// will stop as well.
std::size_t past_string(std::string_view text, std::size_t at, int& line) {
  const char quote = text[at];
  const bool escapes = quote == '"';
  const std::string_view triple = escapes ? "\"\"\"" : "'''";
  const bool many_lines = text.substr(at, 3) == triple;
  at += many_lines ? 3 : 1;
  while (at < text.size()) {
    if (text[at] == '\n') {
      if (!many_lines) return at;
      ++line;
    }
    if (escapes && text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n') {
      at += 2;
    } else if (many_lines && text.substr(at, 3) == triple) {
      at += 3;
      // Up to two more quotes belong to the string itself.
      for (int i = 0; i < 2 && at < text.size() && text[at] == quote; ++i) ++at;
      return at;
    } else if (!many_lines && text[at] == quote) {
      return at + 1;
    } else {
      ++at;
    }
  }
  return at;
}

}  // namespace

std::optional<int> too_deep_at(std::string_view text) {
  int line = 1;
  int brackets = 0;
  int dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = past_string(text, at, line);
      continue;
    }
    if (c == '#') {
      at = text.find('\n', at);
      continue;
    }
    if (c == '\n') ++line;
    if (c == '[' || c == '{') ++brackets;
    if ((c == ']' || c == '}') && brackets > 0) --brackets;
    dots = c == '.' ? dots + 1 : c == '\n' || c == '=' || c == ',' ? 0 : dots;
    if (brackets > kDeepest || dots > kDeepest) return line;
    ++at;
  }
  return std::nullopt;
}

}  // namespace picklock::keys
