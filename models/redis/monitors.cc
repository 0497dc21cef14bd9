#include "models/redis/monitors.h"

#include <fmt/format.h>

#include "models/redis/connections.h"

namespace picklock::redis {
namespace {

std::string quoted(std::string_view word) {
  std::string text = "\"";
  for (const char letter : word) {
    constexpr std::string_view kEscaped = "\\\"\n\r\t\a\b";
    constexpr std::string_view kLetters = "\\\"nrtab";
    if (const std::size_t at = kEscaped.find(letter); at != std::string_view::npos) {
      text += '\\';
      text += kLetters[at];
    } else if (letter >= ' ' && letter <= '~') {
      text += letter;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(letter));
    }
  }
  return text + '"';
}

// Passwords are not shown.
bool is_secret(const Command& command, Argv argv, std::size_t word) {
  if (command.name == "auth") return word > 0;
  if (command.name != "hello") return false;
  return (word > 1 && same_word(argv[word - 1], "auth")) ||
         (word > 2 && same_word(argv[word - 2], "auth"));
}

}  // namespace

void Monitors::add(Session& session) {
  if (session.monitors) return;
  session.monitors = true;
  sessions_.push_back(&session);
}

void Monitors::forget(Session& session) {
  if (session.monitors) std::erase(sessions_, &session);
  session.monitors = false;
}

void Monitors::show_all(const Session* by, std::uint32_t database, const Command& command,
                        Argv argv) {
  if (command.is(kAdmin)) return;
  const std::int64_t now_us = keys_.clock().us();
  std::string line = fmt::format("+{}.{:06} [{} {}]", now_us / 1'000'000, now_us % 1'000'000,
                                 database, by == nullptr ? "lua" : Connections::peer_address(*by));
  for (std::size_t i = 0; i < argv.size(); ++i)
    line += ' ' + (is_secret(command, argv, i) ? "\"(redacted)\"" : quoted(argv[i]));
  line += "\r\n";
  // One that has left too much unread is closed only after the command.
  for (Session* const session : sessions_) connections_.push_line(*session, line);
}

}  // namespace picklock::redis
