#include "models/redis/conform/sequence.h"

#include <fmt/format.h>

#include <algorithm>

namespace picklock::models::redis::conform {

std::string shown(std::string_view word) {
  const auto plain = [](char letter) {
    return letter > ' ' && letter < 127 && letter != '"' && letter != '\\' && letter != '\'';
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
  std::string text = "\"";
  for (const char letter : word) {
    switch (letter) {
      case '\r':
        text += "\\r";
        break;
      case '\n':
        text += "\\n";
        break;
      case '"':
      case '\\':
        text += '\\';
        text += letter;
        break;
      default:
        if (letter >= ' ' && letter < 127) {
          text += letter;
        } else {
          text += fmt::format("\\x{:02x}", static_cast<unsigned char>(letter));
        }
    }
  }
  return text + '"';
}

std::string shown(const Step& step) {
  if (step.passes_time()) return fmt::format("   ({} ms pass)", step.pass_ms);
  std::string text = fmt::format("{}>", step.connection + 1);
  for (const std::string& word : step.words) text += ' ' + shown(word);
  return text;
}

std::string lower(std::string_view word) {
  std::string text(word);
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter + ('a' - 'A'));
  }
  return text;
}

}  // namespace picklock::models::redis::conform
