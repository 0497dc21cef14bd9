// The folder of finds. Every file in it is complete, and no kept find is lost, even if the program
// is killed at any moment.
#pragma once

#include <filesystem>
#include <string>

namespace picklock::explore {

class Folder {
 public:
  // Checks that the folder exists or can be made, and that files can be written there; the check
  // leaves nothing behind. Throws keys::BadInput, "WORD: ..." with the option `word`.
  Folder(const std::string& word, std::filesystem::path path);

  // Writes STEM-N.toml with the first free N, unless such a file has the same text already. Returns
  // its path from the working directory; empty: it cannot be written.
  std::string keep(const std::string& stem, const std::string& text);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool swept_ = false;
};

}  // namespace picklock::explore
