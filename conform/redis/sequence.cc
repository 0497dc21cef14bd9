#include "conform/redis/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace picklock::conform::redis {

std::optional<std::uint32_t> connection_meant(std::string_view word) {
  std::uint32_t connection = 0;
  if (!word.starts_with(kIdWord)) return std::nullopt;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + kIdWord.size(), end, connection);
  if (error != std::errc() || stop != end || connection == 0) return std::nullopt;
  return connection - 1;
}

std::string id_word(std::uint32_t connection) {
  return fmt::format("{}{}", kIdWord, connection + 1);
}

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

}  // namespace picklock::conform::redis
