#include "scenarios/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "keys/bad_input.h"
#include "keys/nearest.h"
#include "scenarios/catalogue.h"

namespace picklock::scenarios {

using keys::nearest;
using keys::printable;
using keys::Words;
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlain = "plain/";  // in front of what is shipped with each lock

// The name of a lock counts as the name of its plain scenario. Empty: none is near.
std::string nearest_shipped(const std::string& word, const std::vector<Shipped>& shipped) {
  const auto without_prefix = [](std::string_view name) {
    return name.starts_with(kPlain) ? name.substr(kPlain.size()) : name;
  };
  Words stems;
  for (const Shipped& one : shipped) stems.push_back(without_prefix(one.name));
  const std::string stem = fs::path(word).filename().string();
  const std::string_view best = nearest(
      stem.ends_with(".toml") ? std::string_view(stem).substr(0, stem.size() - 5) : stem, stems);
  const auto found = std::find(stems.begin(), stems.end(), best);
  if (best.empty() || found == stems.end()) return {};
  return shipped[static_cast<std::size_t>(found - stems.begin())].name;
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
  const std::vector<Shipped> shipped =
      fs::is_directory(directory, error) ? catalogue(directory) : std::vector<Shipped>{};
  const auto found = std::find_if(shipped.begin(), shipped.end(),
                                  [&word](const Shipped& one) { return one.name == word; });
  if (found != shipped.end()) return found->path;
  // Something else has this name; reading it gives the error.
  if (fs::exists(word, error)) return word;
  if (shipped.empty()) {
    throw BadInput(fmt::format("{}: there is no such file, and {}", printable(word, 200),
                               none_shipped(directory)));
  }
  const std::string best = nearest_shipped(word, shipped);
  throw BadInput(fmt::format(
      "{}: there is no such file and no shipped scenario of that name{}", printable(word, 200),
      best.empty() ? "; `picklock list scenarios` lists them all"
                   : printable(fmt::format("; did you mean `{}`?", best), 200)));
}

}  // namespace picklock::scenarios
