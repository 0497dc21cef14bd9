// Which answers were compared: operation x code of the answer x state in which it found its znode.
// The cells that a run must fill are data; a cell left empty is a hole in the comparison.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conform/zookeeper/player.h"

namespace picklock::conform::zookeeper {

struct Cell {
  std::string operation;
  std::string answer;
  Znode znode = Znode::none;

  auto operator<=>(const Cell&) const = default;
};

// And how often each was seen.
using Coverage = std::map<Cell, std::uint64_t>;

// Returns how many requests were answered. `outcomes` are the model's, which alone can be looked
// into.
std::uint64_t count(const Sequence& sequence, const std::vector<Outcome>& outcomes,
                    Coverage& coverage);

// The cells that a run of the usual length fills, whatever its seed.
std::vector<Cell> expected_cells();
// Of those, the ones that are not filled.
std::vector<Cell> empty_cells(const Coverage& coverage);

}  // namespace picklock::conform::zookeeper
