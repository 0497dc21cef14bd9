#include "models/redis/socket_wire.h"

#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/redis/commands.h"
#include "models/redis/wire.h"

namespace picklock::redis {
namespace {

using servers::Cut;

constexpr std::size_t kLongestLine = 64 * 1024;
constexpr std::int64_t kMostWords = std::numeric_limits<std::int32_t>::max();

Cut refuse(sim::Payload& answer, std::string_view why) {
  answer.append("-ERR Protocol error: ");
  answer.append(why);
  answer.append("\r\n");
  return Cut::malformed;
}

// A word as a person types it, in quotes or not; nullopt: its quotes are unbalanced.
std::optional<std::string> quoted(std::string_view& line) {
  const char quote = line.front();
  line.remove_prefix(1);
  std::string word;
  while (!line.empty() && line.front() != quote) {
    char c = line.front();
    line.remove_prefix(1);
    if (c == '\\' && !line.empty() && (quote == '"' || line.front() == '\'')) {
      c = line.front();
      line.remove_prefix(1);
      if (quote == '"') {
        const bool hex = c == 'x' && line.size() >= 2 &&
                         std::isxdigit(static_cast<unsigned char>(line[0])) != 0 &&
                         std::isxdigit(static_cast<unsigned char>(line[1])) != 0;
        if (hex) {
          unsigned value = 0;
          std::from_chars(line.data(), line.data() + 2, value, 16);
          line.remove_prefix(2);
          c = static_cast<char>(value);
        } else {
          constexpr std::string_view kNames = "nrtba";
          constexpr std::string_view kValues = "\n\r\t\b\a";
          const std::size_t at = kNames.find(c);
          if (at != std::string_view::npos) c = kValues[at];
        }
      }
    }
    word += c;
  }
  if (line.empty()) return std::nullopt;
  line.remove_prefix(1);
  // A closing quote ends the word.
  if (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) == 0)
    return std::nullopt;
  return word;
}

std::optional<std::vector<std::string>> typed_words(std::string_view line) {
  std::vector<std::string> words;
  for (;;) {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) != 0)
      line.remove_prefix(1);
    if (line.empty()) return words;
    std::string word;
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) == 0) {
      if (line.front() == '"' || line.front() == '\'') {
        const std::optional<std::string> more = quoted(line);
        if (!more) return std::nullopt;
        word += *more;
        break;
      }
      word += line.front();
      line.remove_prefix(1);
    }
    words.push_back(std::move(word));
  }
}

Cut cut_inline(std::string_view& bytes, sim::Payload& message) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos)
    return bytes.size() > kLongestLine ? refuse(message, "too big inline request") : Cut::partial;
  std::string_view line = bytes.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::optional<std::vector<std::string>> words = typed_words(line);
  if (!words) return refuse(message, "unbalanced quotes in request");
  bytes.remove_prefix(end + 1);
  if (words->empty()) return Cut::nothing;
  const std::vector<std::string_view> argv(words->begin(), words->end());
  write_request(message, argv);
  return Cut::request;
}

// A line such as `*3`; nullopt: it is not whole yet. A real server does not look at the byte behind
// the carriage return; `strict` becomes false if it is no line feed.
std::optional<std::string_view> take_line(std::string_view& bytes, bool& strict) {
  const std::size_t end = bytes.find('\r');
  if (end == std::string_view::npos || end + 1 >= bytes.size()) return std::nullopt;
  const std::string_view line = bytes.substr(0, end);
  strict = strict && bytes[end + 1] == '\n';
  bytes.remove_prefix(end + 2);
  return line;
}

bool read_length(std::string_view text, std::int64_t& value) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc() && end == last;
}

// The arguments of an array, behind its first line, that is whole and well-formed but for what is
// behind each argument.
std::vector<std::string_view> arguments_of(std::string_view bytes) {
  std::vector<std::string_view> all;
  while (!bytes.empty()) {
    std::int64_t size = 0;
    bool strict = true;
    read_length(take_line(bytes, strict)->substr(1), size);
    all.push_back(bytes.substr(0, static_cast<std::size_t>(size)));
    bytes.remove_prefix(static_cast<std::size_t>(size) + 2);
  }
  return all;
}

}  // namespace

// A long request arrives in many pieces: a word that has been read is not read again.
Cut SocketWire::cut_array(std::string_view& bytes, sim::Payload& message) {
  std::string_view rest = bytes.substr(read_.bytes);
  if (read_.bytes == 0) {
    const std::optional<std::string_view> head = take_line(rest, read_.strict);
    if (!head) {
      return bytes.size() > kLongestLine ? refuse(message, "too big mbulk count string")
                                         : Cut::partial;
    }
    if (!read_length(head->substr(1), read_.missing) || read_.missing > kMostWords)
      return refuse(message, "invalid multibulk length");
    read_.bytes = bytes.size() - rest.size();
    read_.head = read_.bytes;
  }
  for (; read_.missing > 0; --read_.missing) {
    if (rest.empty()) return Cut::partial;
    const std::size_t left = rest.size();
    const std::string_view line_at = rest;
    const std::optional<std::string_view> line = take_line(rest, read_.strict);
    if (!line) {
      return left > kLongestLine ? refuse(message, "too big bulk count string") : Cut::partial;
    }
    if (line_at.front() != '$')
      return refuse(message, std::string("expected '$', got '") + line_at.front() + "'");
    std::int64_t size = 0;
    if (!read_length(line->substr(1), size) || size < 0)
      return refuse(message, "invalid bulk length");
    const auto length = static_cast<std::size_t>(size);
    const std::size_t before = bytes.size() - rest.size();
    if (length > kMostRequestBytes || before + length > kMostRequestBytes)
      return refuse(message, "invalid bulk length");
    if (rest.size() < length + 2) return Cut::partial;
    // Nor at the two bytes behind an argument.
    read_.strict = read_.strict && rest[length] == '\r' && rest[length + 1] == '\n';
    rest.remove_prefix(length + 2);
    read_.bytes = bytes.size() - rest.size();
  }
  const Read whole = std::exchange(read_, {});
  const std::string_view request = bytes.substr(0, whole.bytes);
  bytes.remove_prefix(whole.bytes);
  if (whole.bytes == whole.head) return Cut::nothing;
  if (whole.strict) {
    message.append(request);
  } else {
    write_request(message, arguments_of(request.substr(whole.head)));
  }
  return Cut::request;
}

Cut SocketWire::cut(std::string_view& bytes, sim::Payload& message) {
  if (bytes.empty()) return Cut::partial;
  return bytes.front() == '*' ? cut_array(bytes, message) : cut_inline(bytes, message);
}

std::optional<std::string> SocketWire::name_given(std::string_view message) {
  // Most commands are told apart by their length alone.
  const std::size_t size_at = message.find('$');
  if (size_at == std::string_view::npos) return std::nullopt;
  const std::string_view size = message.substr(size_at + 1, 2);
  if (size != "6\r" && size != "5\r") return std::nullopt;
  std::vector<std::string_view> argv;
  if (!read_request(message, argv)) return std::nullopt;
  if (argv.size() == 3 && same_word(argv[0], "client") && same_word(argv[1], "setname"))
    return std::string(argv[2]);
  if (!same_word(argv[0], "hello")) return std::nullopt;
  for (std::size_t i = 2; i + 1 < argv.size(); ++i) {
    if (same_word(argv[i], "setname")) return std::string(argv[i + 1]);
  }
  return std::nullopt;
}

void refuse_bytes(std::string_view bytes, sim::Payload& answer) {
  sim::Payload why;
  if (SocketWire().cut(bytes, why) == Cut::malformed) {
    answer.append(why.view());
  } else {
    refuse(answer, "the request is empty or not whole");
  }
}

}  // namespace picklock::redis
