// The number of faults up to which each safe cell of the safety table is decided. Every plan of so
// many faults of the cell's class was tried in the cell's own scenario, and none contradicts the
// cell (explore/strategies/exhaustive.h says what "every" means). Beyond that it is searched.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compare/safety_table/table.h"

namespace picklock::compare::safety_table {

// Two faults are decided if they have no more plans than this.
inline constexpr std::uint64_t kMostPlans = 100'000;
inline constexpr std::uint32_t kMostDecided = 2;  // faults

struct Decided {
  std::string_view claim;  // as claim_of() says
  std::uint32_t faults = 0;
  std::uint64_t plans = 0;  // of at most so many faults
};

// One for each claim that is safe, in the order of the table.
std::span<const Decided> decided();
// nullptr: the claim is not safe.
const Decided* decided(const Configuration& configuration, const Cell& cell, bool fenced);

}  // namespace picklock::compare::safety_table
