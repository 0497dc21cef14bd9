// Measured cells beside those of the safety table (docs/safety-table.md) that are about the same
// lock with its default options and the same faults. Cells that are safe on a premise about the
// work are left out: these clients hold longer than the table's, and wait for a dead resource
// beyond their lease. The table's own searches are longer, and made for each of its cells
// (compare/safety_table/search_test.cc); this one says whether two ways to the same answer meet.
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.h"

namespace picklock::compare {

struct Agreement {
  std::size_t agree = 0;            // safe and nothing found, or unsafe and found
  std::vector<CellName> not_found;  // unsafe, but not in so many runs
  std::vector<CellName> against;    // safe, and yet there is a run

  std::size_t all() const { return agree + not_found.size() + against.size(); }
};

Agreement agreement(const Comparison& comparison);

}  // namespace picklock::compare
