#include "scenarios/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "keys/bad_input.h"

namespace picklock::scenarios {

using keys::printable;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPlain = "plain";

// A directory has no order of its own.
bool by_name(const Shipped& one, const Shipped& other) { return one.name < other.name; }

// The files of one folder, if it can be read.
void add_files(const fs::path& folder, const std::string& prefix, std::vector<Shipped>& all) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml")
      all.push_back({prefix + entry.path().stem().string(), entry.path().string()});
  }
}

}  // namespace

std::string shipped_directory() {
  if (const char* given = std::getenv("PICKLOCK_SCENARIO_PATH")) return given;
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error);
  return program.parent_path().parent_path() / "share/picklock/scenarios";
}

std::string none_shipped(const std::string& directory) {
  return fmt::format(
      "there are no shipped scenarios in {}; set PICKLOCK_SCENARIO_PATH to their folder",
      printable(directory, 200));
}

std::vector<Shipped> documented(const std::string& directory) {
  std::vector<Shipped> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.is_directory() && entry.path().filename() != kPlain) add_files(entry.path(), "", all);
  }
  if (error) throw BadInput(none_shipped(directory));
  add_files(directory, "", all);
  std::sort(all.begin(), all.end(), by_name);
  return all;
}

std::vector<Shipped> catalogue(const std::string& directory) {
  std::vector<Shipped> all = documented(directory);
  const auto plain = static_cast<std::ptrdiff_t>(all.size());
  add_files(fs::path(directory) / kPlain, std::string(kPlain) + "/", all);
  std::sort(all.begin() + plain, all.end(), by_name);
  return all;
}

}  // namespace picklock::scenarios
