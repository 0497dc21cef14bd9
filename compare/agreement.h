// Measured cells beside those of the safety table (docs/safety-table.md) that are about the same
// lock with its default options and the same faults. Cells that are safe on a premise about the
// work are left out: these clients hold longer than the table's, and wait for a dead resource
// beyond their lease. The table's own searches are longer, and made for each of its cells
// (compare/safety_table/search_test.cc); this one says whether two ways to the same answer meet.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/safety_table/table.h"

namespace picklock::compare {

// The reach of cells by the safety table. Cells that it does not have are left out.
std::map<CellName, safety_table::Reach> expected(const Comparison& comparison);

// The locks that the table does not have. Finding nothing is no agreement there.
std::vector<std::string> locks_without_row(const Comparison& comparison);

struct Agreement {
  std::size_t agree = 0;            // safe and nothing found, or unsafe and found
  std::vector<CellName> not_found;  // unsafe, but not in so many runs
  std::vector<CellName> against;    // safe, and yet there is a run

  std::size_t all() const { return agree + not_found.size() + against.size(); }
};

// The cells are in the order of the comparison.
Agreement agreement(const Comparison& comparison);

}  // namespace picklock::compare
