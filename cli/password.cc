#include "cli/password.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "keys/bad_input.h"

namespace picklock::cli {
namespace {

constexpr const char* kVariable = "PICKLOCK_PASSWORD";

}  // namespace

void add_password_file(CLI::App& command, std::string& into) {
  command
      .add_option("--password-file", into,
                  fmt::format("a file whose one line is the password of the ports (default: the "
                              "value of {}, or no password)",
                              kVariable))
      ->type_name("FILE");
}

std::string password_from(const std::string& file) {
  if (file.empty()) {
    const char* const given = std::getenv(kVariable);
    return given == nullptr ? "" : given;
  }
  std::ifstream in(file, std::ios::binary);
  std::string line{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw keys::BadInput(fmt::format("{}: cannot be read", keys::printable(file)));
  if (line.ends_with('\n')) line.pop_back();
  if (line.ends_with('\r')) line.pop_back();
  if (line.empty() || line.find_first_of(std::string("\r\n\0", 3)) != std::string::npos)
    throw keys::BadInput(fmt::format("{}: must be one line, the password", keys::printable(file)));
  return line;
}

}  // namespace picklock::cli
