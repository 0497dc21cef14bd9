#include "scenarios/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "keys/bad_input.h"

namespace picklock::scenarios {

using keys::printable;

std::string shipped_directory() {
  if (const char* given = std::getenv("PICKLOCK_SCENARIO_PATH")) return given;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return program.parent_path().parent_path() / "share/picklock/scenarios";
}

std::string none_shipped(const std::string& directory) {
  return fmt::format(
      "there are no shipped scenarios in {}; set PICKLOCK_SCENARIO_PATH to their folder",
      printable(directory, 200));
}

std::vector<std::string> catalogue(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  if (error) throw BadInput(none_shipped(directory));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace picklock::scenarios
