#include "conform/coverage.h"

#include <algorithm>
#include <iterator>

namespace picklock::conform {

void Coverage::add(const Coverage& other) {
  for (const auto& [cell, count] : other.counts_) counts_[cell] += count;
  commands_ += other.commands_;
}

std::vector<Cell> Coverage::empty(std::span<const Cell> expected) const {
  std::vector<Cell> empty;
  std::copy_if(expected.begin(), expected.end(), std::back_inserter(empty),
               [this](const Cell& cell) { return !counts_.contains(cell); });
  return empty;
}

std::vector<Cell> cells_of(std::span<const ExpectedRow> rows, std::span<const State> states) {
  std::vector<Cell> cells;
  for (const ExpectedRow& row : rows) {
    std::string_view left = row.cells;
    while (!left.empty()) {
      const std::string_view part = left.substr(0, left.find(' '));
      left.remove_prefix(std::min(left.size(), part.size() + 1));
      const std::size_t colon = part.find(':');
      for (const char letter : part.substr(colon + 1)) {
        const auto state = std::ranges::find(states, letter, &State::letter);
        cells.push_back({.command = std::string(row.command),
                         .reply = std::string(part.substr(0, colon)),
                         .state = static_cast<std::uint8_t>(state - states.begin())});
      }
    }
  }
  return cells;
}

}  // namespace picklock::conform
