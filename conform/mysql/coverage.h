// Which answers were compared: statement x answer x state in which it found the row that it names.
// The cells that a run must fill are data; a cell left empty is a hole in the comparison.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conform/mysql/model_side.h"

namespace picklock::conform::mysql {

struct Cell {
  std::string statement;  // `SELECT FOR UPDATE`
  std::string answer;     // `rows`, `nothing`, `waits`, an error's number
  std::string row;        // `others`, `marked`

  auto operator<=>(const Cell&) const = default;
};

// And how often each was seen.
using Coverage = std::map<Cell, std::uint64_t>;

// Returns how many statements were said.
std::uint64_t count(const Interleaving& interleaving, const Played& played, Coverage& coverage);

// The cells that a run of the usual length fills, whatever its seed.
std::vector<Cell> expected_cells();
// Of those, the ones that are not filled.
std::vector<Cell> empty_cells(const Coverage& coverage);

}  // namespace picklock::conform::mysql
