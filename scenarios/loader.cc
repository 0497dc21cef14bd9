#include "scenarios/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "scenarios/bad_input.h"
#include "scenarios/nearest.h"

namespace picklock::scenarios {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> shipped_names(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".toml") names.push_back(entry->path().stem().string());
  }
  std::sort(names.begin(), names.end());  // a directory has no order of its own
  return names;
}

}  // namespace

Scenario load(const std::string& path, const Vocabulary& vocabulary) {
  return Document::from_file(path).scenario(vocabulary);
}

Scenario parse(std::string text, std::string name, const Vocabulary& vocabulary) {
  return Document(std::move(text), std::move(name)).scenario(vocabulary);
}

std::string find_scenario(const std::string& word, const std::string& directory) {
  std::error_code error;
  if (fs::is_regular_file(word, error)) return word;
  const fs::path shipped = fs::path(directory) / (word + ".toml");
  if (!word.empty() && fs::is_regular_file(shipped, error)) return shipped.string();
  // Something else is there, and reading it will say what.
  if (fs::exists(word, error)) return word;
  std::string problem = fmt::format(
      "{}: there is no such file and no shipped scenario of that name", printable(word, 200));
  const std::vector<std::string> names = shipped_names(directory);
  const std::string stem = fs::path(word).stem().string();
  if (!names.empty()) {
    problem += printable(did_you_mean(stem, Words(names.begin(), names.end()),
                                      "`picklock list scenarios` has them all"),
                         200);
  }
  throw BadInput(problem);
}

}  // namespace picklock::scenarios
