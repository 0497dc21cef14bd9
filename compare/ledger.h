// The results of a comparison on disk: a line for every part of a cell that was made, and for every
// story. Lines are only appended, each with one write. So no finished part is lost when the program
// ends, for whatever reason, and the next one continues from there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.h"

namespace picklock::compare {

// Consecutive runs of a cell.
struct Part {
  std::uint64_t from = 0;
  std::uint64_t to = 0;  // the first run that is not of it
  Measures measures;
  std::string crash{};                 // how the run ended its process; a part of its own
  std::optional<std::uint64_t> all{};  // how many runs the cell has (Known)
};

class Ledger {
 public:
  // Opens the ledger of `folder`, which exists. A ledger of another program, whose runs may differ,
  // is renamed; `set_aside` says so. Throws keys::BadInput if another process is writing to
  // it.
  Ledger(const std::filesystem::path& folder, std::uint64_t seed, std::uint64_t program);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  bool set_aside() const { return set_aside_; }
  // False: something could not be written, as on a full disk.
  bool is_whole() const { return whole_; }

  // Fills in what is known of the cells, up to so many runs of each, and their stories.
  void read(Comparison& comparison, std::optional<std::uint64_t> runs) const;
  // Only the stories, of runs that are known from elsewhere.
  void read_stories(Comparison& comparison) const;

  void write(const std::string& cell, const Part& part);
  void write(const std::string& cell, Property property, const Story& story);

 private:
  void read_line(const std::string& line);
  void append(const std::string& line);

  int file_ = -1;
  bool set_aside_ = false;
  bool whole_ = true;
  std::map<std::string, std::multimap<std::uint64_t, Part>> parts_;  // by cell, by first run
  std::map<std::string, std::map<Property, std::vector<Story>>> stories_;
};

}  // namespace picklock::compare
