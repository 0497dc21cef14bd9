// The corpus of a guided search as a folder of scenario files, so that the next search begins with
// what earlier ones have found out. Files of several folders can be put into one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explore/corpus.h"
#include "explore/folder.h"
#include "scenarios/scenario.h"

namespace picklock::explore {

class CorpusFolder {
 public:
  // As explore/folder.h. Throws keys::BadInput.
  explicit CorpusFolder(std::filesystem::path path) : folder_("--corpus", std::move(path)) {}

  // The plans of its files in the order of their names. Faults at processes that the scenario does
  // not have are left out. Throws keys::BadInput if a file cannot be read.
  std::vector<Corpus::Entry> read(const scenarios::Scenario& scenario);

  // Writes the fewest plans that show as much as the corpus and the files that were read. Plans
  // with few faults come first. Removes the other files, except those of another scenario. Can be
  // called again when the corpus has grown, and then looks at what is new in it. Returns how many
  // plans these are; nullopt: the folder cannot be written to.
  std::optional<std::size_t> write(const Corpus& corpus, const scenarios::Scenario& scenario);

 private:
  Folder folder_;
  struct File {
    std::filesystem::path path;
    Corpus::Entry entry;
  };
  struct Shown {
    std::size_t faults = 0;
    std::string text;
    std::vector<std::uint32_t> places;
    std::filesystem::path file{};  // empty: not written
  };
  std::vector<File> read_;    // in the order of their names, until the first write
  std::vector<Shown> shown_;  // by the plans that were written
  std::size_t written_ = 0;   // plans of the corpus that were looked at
};

}  // namespace picklock::explore
