// The parts of a search that several processes make, by way of a store (explore/store.h). The
// results of a part depend on the search and the runs of the part alone, so it does not matter
// which process makes it, or how often.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explore/block.h"
#include "explore/runs.h"
#include "explore/shard.h"
#include "explore/store.h"
#include "scenarios/loader.h"
#include "scenarios/scenario.h"

namespace picklock::explore {

struct CrashedRun {
  std::uint64_t run = 0;
  std::string how;

  template <typename Archive>
  friend void fields(Archive& archive, CrashedRun& crashed) {
    archive(crashed.run, crashed.how);
  }
};

struct PartResult {
  Block block;
  std::vector<CrashedRun> crashed;  // runs that the block does not have

  void add(const Block& next, const std::vector<CrashedRun>& more);

  template <typename Archive>
  friend void fields(Archive& archive, PartResult& result) {
    archive(result.block, result.crashed);
  }
};

std::string to_text(const PartResult& result);
// Throws std::exception if it is none.
PartResult part_result_from(const std::string& text);

// A search that is shared: everything that decides its results, but for the number of runs.
struct SharedSearch {
  scenarios::Scenario scenario;
  SearchOptions options;         // without a corpus
  std::uint64_t stop_after = 0;  // finds; 0: all runs are made
};

// As the store keeps it (StoredCampaign::search), and read back.
std::string to_text(const SharedSearch& search);
SharedSearch shared_search_from(const std::string& text, const scenarios::Vocabulary& vocabulary);

class SharedParts {
 public:
  enum class Role : std::uint8_t {
    shard,  // makes the parts of a shard
    all,    // makes every part that is missing, and the report
    merge   // makes the report
  };

  // `writer`: nullptr if the role is merge.
  SharedParts(Role role, const Shard& shard, StoreReader& reader, StoreWriter* writer)
      : role_(role), shard_(shard), reader_(reader), writer_(writer) {}

  Role role() const { return role_; }
  const Shard& shard() const { return shard_; }

  bool has(const Span& runs) const { return reader_.find({.runs = runs}) != nullptr; }
  std::optional<PartResult> find(const Span& runs) const;
  // The result as every process writes it. Throws StoreLost.
  void keep(const Span& runs, const PartResult& result);

  // Learns of what others have made. Throws StoreLost.
  void update() { reader_.update(); }
  StoreSigns signs() const { return read_signs(reader_.folder()); }
  void enough(std::uint64_t run) const { write_enough(reader_.folder(), run); }

 private:
  const Role role_;
  const Shard shard_;
  StoreReader& reader_;
  StoreWriter* const writer_;
};

}  // namespace picklock::explore
