// The folder of finds. Every file in it is complete, and no kept find is lost, even if the program
// is killed at any moment.
#pragma once

#include <filesystem>
#include <string>

namespace picklock::explore {

class Folder {
 public:
  // Tries whether there is a folder, or can be, and files can be put there; nothing of it stays.
  // Throws keys::BadInput, "WORD: ..." with the word that asked for it.
  Folder(const std::string& word, std::filesystem::path path);

  // Writes STEM-N.toml with the first N that is free, unless one of them holds the very same
  // already. Its path from the working directory; empty: it cannot be written.
  std::string keep(const std::string& stem, const std::string& text);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool swept_ = false;
};

}  // namespace picklock::explore
