#include "cli/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/search_words.h"
#include "keys/bad_input.h"
#include "keys/nearest.h"
#include "scenarios/catalogue.h"

namespace picklock::cli {
namespace {

constexpr int kTimelineWidth = 100;  // where standard output is not a terminal
constexpr int kPageWidth = 80;
constexpr int kNarrowest = 40;

int terminal_width(int otherwise) {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return otherwise;
}

bool speaks_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string locale(value);
    return locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos ||
           locale.find("UTF8") != std::string::npos;
  }
  // No locale is set: files and pipes are taken to be UTF-8, a terminal is not.
  return isatty(STDOUT_FILENO) == 0;
}

scenarios::Document read_document(const std::string& scenario) {
  if (scenario == "-") return scenarios::Document::from_stream(std::cin, "standard input");
  if (scenario == "/dev/stdin") return scenarios::Document::from_stream(std::cin, scenario);
  const std::string path = scenarios::find_scenario(scenario, scenarios::shipped_directory());
  // Messages name a shipped file without its folder, which differs from machine to machine.
  return scenarios::Document::from_file(path, path == scenario ? path : scenario + ".toml");
}

}  // namespace

void complain(const std::string& message) {
  constexpr std::size_t kLongestLine = 500;
  const std::string line = keys::printable(message, kLongestLine);
  std::fputs(("picklock: " + line + '\n').c_str(), stderr);
}

void put(const std::string& text) {
  const bool taken = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) != 0 || !taken)
    throw OutputLost(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
}

void write_file(const std::string& path, const std::string& text) {
  const auto fail = [&path] {
    throw OutputLost(
        fmt::format("{} cannot be written: {}", keys::printable(path, 200), std::strerror(errno)));
  };
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) fail();
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (out) return;
  const int why = errno;
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) std::filesystem::remove(path, error);
  errno = why;
  fail();
}

scenarios::Document document_of(const std::string& scenario,
                                const std::vector<std::string>& changes) {
  scenarios::Document document = read_document(scenario);
  for (const std::string& change : changes) {
    document.set(scenarios::change_from(change));
    document.forget_neighbours();
  }
  return document;
}

std::string repeatable(const std::string& scenario) {
  std::error_code error;
  const bool stream =
      scenario == "-" || scenario.starts_with("/dev/") || std::filesystem::is_fifo(scenario, error);
  return stream ? "FILE" : shell_quoted(scenario);
}

void add_color(CLI::App& command, std::string& into) {
  command
      .add_option("--color", into,
                  "color the output: auto, always or never (default: auto: on a terminal, unless "
                  "NO_COLOR is set or TERM is dumb)")
      ->type_name("WHEN");
}

bool colored(const std::string& color) {
  if (color == "always") return true;
  if (color == "never") return false;
  const keys::Words known = {"auto", "always", "never"};
  if (!color.empty() && color != "auto") refuse("--color", "value", color, known);
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && !is_dumb() && (no_color == nullptr || *no_color == '\0');
}

bool is_dumb() {
  const char* kind = std::getenv("TERM");
  return kind != nullptr && std::string_view(kind) == "dumb";
}

reports::TextOptions text_options(const std::string& color) {
  return {.color = colored(color),
          .width = terminal_width(kTimelineWidth),
          .unicode = speaks_unicode(),
          .repeat_command = {}};
}

int page_width() { return std::max(kNarrowest, terminal_width(kPageWidth)); }

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
    throw keys::BadInput(fmt::format("{}: must be a whole number, {} to {}, not \"{}\"", option,
                                     least, most, keys::printable(word)));
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
    throw keys::BadInput(
        fmt::format("--address: must be HOST:PORT, not \"{}\"", keys::printable(word)));
  }
  return {word.substr(0, colon), port};
}

}  // namespace picklock::cli
