#include "explore/compare/pages.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string_view>

#include "explore/compare/markdown.h"

namespace picklock::compare {
namespace {

namespace fs = std::filesystem;

class Writer {
 public:
  explicit Writer(const fs::path& folder) : folder_(folder) {}

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

}  // namespace

Pages write_pages(Comparison& comparison, const Made& made, const fs::path& folder) {
  Writer writer(folder);
  for (const CellName& cell : comparison.cells()) {
    for (auto& [property, story] : comparison.known(cell).stories) {
      const std::string name =
          "found/" + comparison.label(cell) + "." + std::string(models::name(property)) + ".toml";
      story.file = writer.write(name, story.text);
    }
  }
  Pages pages;
  writer.write("comparison.json", json(comparison, made));
  const std::string page = writer.write("comparison.md", markdown(comparison, made));
  if (!page.empty()) pages.for_people.push_back(page);
  pages.all_written = writer.all_written();
  return pages;
}

}  // namespace picklock::compare
