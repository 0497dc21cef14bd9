// The corpus of a guided search as a folder of scenario files, so that the next search begins with
// what earlier ones have found out. Files of several folders can be put into one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
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

  // Writes the smallest set of plans that shows as much as the corpus and the files in the folder.
  // Plans with few faults come first. Removes the other files, except those of another scenario.
  // Returns how many plans these are; nullopt: the folder cannot be written to.
  std::optional<std::size_t> write(const Corpus& corpus, const scenarios::Scenario& scenario);

 private:
  Folder folder_;
  struct File {
    std::filesystem::path path;
    Corpus::Entry entry;
  };
  std::vector<File> read_;  // in the order of their names
};

}  // namespace picklock::explore
