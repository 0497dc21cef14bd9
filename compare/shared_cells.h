// The cells of a comparison whose parts several processes make, by way of a store
// (explore/store.h). A part is some consecutive runs of a cell, or all plans of a cell that tries
// every one. Its results depend on the comparison and its name alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/make.h"
#include "explore/shard.h"
#include "explore/store.h"

namespace picklock::compare {

// Every part of a comparison with so many runs of each cell, in its order.
struct CellPart {
  std::size_t cell = 0;  // of Comparison::all_cells()
  explore::PartName name;
};
std::vector<CellPart> parts_of(const Comparison& comparison, std::uint64_t runs);

struct SharedEnding {
  std::uint64_t parts = 0;  // that this process made
  bool complete = false;    // nothing is missing of the shard
};

// Makes what is missing of the shard. It ends early with the time of the limits, an interruption or
// the file `stop` of the store; parts that were begun are made, except for an interruption. Throws
// explore::StoreLost, explore::NotDeterministic, and std::runtime_error if its processes cannot be
// made.
SharedEnding make_shard(Comparison& comparison, const explore::StoreReader& reader,
                        explore::StoreWriter& writer, const explore::Shard& shard,
                        const Limits& limits, const Onlooker& onlooker);

// Fills in the parts that the store has, and returns those that it lacks.
std::vector<explore::PartName> take_parts(Comparison& comparison,
                                          const explore::StoreReader& reader, std::uint64_t runs);

// The runs of a part as the store has it, for a report of progress.
Measures measures_of_part(const std::string& result);

}  // namespace picklock::compare
