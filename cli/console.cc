#include "cli/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "scenarios/bad_input.h"

namespace picklock::cli {
namespace {

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

bool speaks_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string locale(value);
    return locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos ||
           locale.find("UTF8") != std::string::npos;
  }
  // Not told: pages and pipes of today read it.
  return isatty(STDOUT_FILENO) == 0;
}

}  // namespace

void put(const std::string& text) {
  const bool taken = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) != 0 || !taken)
    throw OutputLost(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
}

std::string scenario_directory() {
  if (const char* given = std::getenv("PICKLOCK_SCENARIO_PATH")) return given;
  return PICKLOCK_SCENARIOS;
}

scenarios::Document document_of(const std::string& scenario,
                                const std::vector<std::string>& changes) {
  const std::string path = scenarios::find_scenario(scenario, scenario_directory());
  // Where shipped files lie differs from machine to machine; messages have their names alone.
  scenarios::Document document =
      scenarios::Document::from_file(path, path == scenario ? path : scenario + ".toml");
  for (const std::string& change : changes) {
    document.set(scenarios::change_from(change));
    document.forget_neighbours();
  }
  return document;
}

reports::TextOptions text_options() {
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  const char* no_color = std::getenv("NO_COLOR");
  return {.color = terminal && (no_color == nullptr || *no_color == '\0'),
          .width = terminal ? terminal_width() : 100,
          .unicode = speaks_unicode(),
          .repeat_command = {}};
}

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

std::uint64_t number_from(std::string_view option, const std::string& word, std::uint64_t least,
                          std::uint64_t most) {
  std::uint64_t number = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc{} || stop != end || number < least || number > most) {
    throw scenarios::BadInput(fmt::format("{}: must be a whole number, {} to {}, not \"{}\"",
                                          option, least, most, scenarios::printable(word)));
  }
  return number;
}

std::uint64_t seed_from(const std::string& word) {
  return number_from("--seed", word, 0, INT64_MAX);
}

std::pair<std::string, std::uint16_t> host_and_port(const std::string& word) {
  const std::size_t colon = word.rfind(':');
  std::uint16_t port = 0;
  const char* end = word.data() + word.size();
  const bool fits = colon != std::string::npos && colon > 0 && [&] {
    const auto [stop, error] = std::from_chars(word.data() + colon + 1, end, port);
    return error == std::errc{} && stop == end && port > 0;
  }();
  if (!fits) {
    throw scenarios::BadInput(
        fmt::format("--address: must be HOST:PORT, not \"{}\"", scenarios::printable(word)));
  }
  return {word.substr(0, colon), port};
}

}  // namespace picklock::cli
