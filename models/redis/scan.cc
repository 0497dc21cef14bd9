#include "models/redis/scan.h"

#include <charconv>
#include <system_error>

#include "models/redis/glob.h"

namespace picklock::redis {

bool ScanOptions::wants(std::string_view name) const {
  return pattern == "*" || matches_glob(pattern, name);
}

// Reads like C's strtoul: an empty text is 0, and a minus negates.
bool read_cursor(const Call& call, std::string_view word, ScanOptions& options) {
  const std::string_view text = until_zero(word);
  if (text.empty()) return true;
  const bool negative = text.starts_with('-');
  const std::string_view digits = negative || text.starts_with('+') ? text.substr(1) : text;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), options.cursor);
  if (negative) options.cursor = 0 - options.cursor;
  if (error == std::errc() && end == digits.data() + digits.size()) return true;
  call.reply.set_error("ERR invalid cursor");
  return false;
}

bool read_scan_options(const Call& call, std::size_t first, bool of_keys, ScanOptions& options) {
  for (std::size_t i = first; i < call.words(); i += 2) {
    const bool has_value = i + 1 < call.words();
    if (has_value && same_word(call[i], "count")) {
      if (!integer(call[i + 1], options.count, call.reply)) return false;
    } else if (has_value && same_word(call[i], "match")) {
      options.pattern = call[i + 1];
    } else if (has_value && of_keys && same_word(call[i], "type")) {
      options.type = call[i + 1];
    } else {
      options.count = 0;
    }
    if (options.count < 1) {
      syntax_error(call.reply);
      return false;
    }
  }
  return true;
}

Reply& begin_scan(Reply& reply) {
  reply.set(Reply::Kind::array);
  reply.elements.resize(2);
  reply.elements[0].set_bulk("0");
  reply.elements[1].set(Reply::Kind::array);
  return reply.elements[1];
}

}  // namespace picklock::redis
