#include "compare/pages.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "compare/markdown.h"
#include "reports/page.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"

namespace picklock::compare {
namespace {

namespace fs = std::filesystem;

class FolderWriter {
 public:
  explicit FolderWriter(const fs::path& folder) : folder_(folder) {}

  bool all_written() const { return all_written_; }

  // Its path from the working directory; empty: it could not be written.
  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = folder_ / name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (!holds(path, text)) {
      const fs::path part = path.string() + ".part-" + std::to_string(getpid());
      std::ofstream file(part, std::ios::binary);
      file << text;
      file.close();
      if (file) fs::rename(part, path, error);
      if (!file || error) {
        fs::remove(part, error);
        all_written_ = false;
        return {};
      }
    }
    return fs::proximate(path, error).string();
  }

 private:
  static bool holds(const fs::path& path, const std::string& text) {
    std::ifstream file(path, std::ios::binary);
    return file && std::string(std::istreambuf_iterator<char>(file), {}) == text;
  }

  const fs::path& folder_;
  bool all_written_ = true;
};

// Every story is run again for it, with a trace.
std::string html(const Comparison& comparison, const std::string& document,
                 const std::function<bool()>& late, std::size_t& left_out) {
  reports::Page page;
  scenarios::Runner runner;
  for (const CellName& cell : comparison.cells()) {
    for (const auto& [property, story] : comparison.known(cell).stories) {
      if (story.file.empty()) continue;
      if (late()) {
        ++left_out;
        continue;
      }
      const scenarios::Scenario scenario =
          scenarios::parse(story.text, story.file, scenarios::shipped_vocabulary());
      page.add(story.file, {.run = runner.run(scenario, scenario.seed, true), .twins = {}});
    }
  }
  return page.html(document);
}

}  // namespace

Pages write_pages(Comparison& comparison, const Made& made, const fs::path& folder,
                  const std::function<bool()>& late) {
  FolderWriter writer(folder);
  for (const CellName& cell : comparison.cells()) {
    for (auto& [property, story] : comparison.known(cell).stories) {
      if (comparison.told(cell, property).cell != cell) continue;
      const std::string name =
          "found/" + comparison.label(cell) + "." + std::string(picklock::name(property)) + ".toml";
      story.file = writer.write(name, story.text);
    }
  }
  const std::string document = json(comparison, made);
  writer.write("comparison.json", document);
  Pages pages;
  const std::string page = html(comparison, document, late, pages.left_out);
  for (const auto& [name, text] : {std::pair{"comparison.html", page},
                                   std::pair{"comparison.md", markdown(comparison, made)}}) {
    const std::string file = writer.write(name, text);
    if (!file.empty()) pages.for_people.push_back(file);
  }
  pages.all_written = writer.all_written();
  return pages;
}

}  // namespace picklock::compare
