// The cells of the coverage table of MySQL: statement x answer x state of the row that it names.
#pragma once

#include <array>
#include <vector>

#include "conform/coverage.h"
#include "conform/mysql/model_side.h"

namespace picklock::conform::mysql {

// By name.
inline constexpr std::array<State, 6> kRowStates = {
    {{'-', "-"}, {'f', "free"}, {'d', "marked"}, {'m', "mine"}, {'n', "missing"}, {'o', "others"}}};

void count(const Interleaving& interleaving, const Played& played, Coverage& coverage);

// The cells that each of ten runs of the usual length has filled at least five times.
std::vector<Cell> expected_cells();

}  // namespace picklock::conform::mysql
