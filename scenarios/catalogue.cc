#include "scenarios/catalogue.h"

#include <algorithm>
#include <filesystem>

#include "scenarios/bad_input.h"

namespace picklock::scenarios {

std::vector<std::string> catalogue(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  if (error) throw BadInput(directory + ": " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace picklock::scenarios
