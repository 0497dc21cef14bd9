// Consecutive runs of a cell, as workers make them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compare/budget.h"
#include "compare/comparison.h"
#include "explore/span.h"
#include "explore/workers/crew.h"

namespace picklock::compare {

struct PartTask {
  std::size_t number = 0;  // of the cell
  explore::Span runs;
  std::uint64_t first = 0;  // of the whole task
};
inline explore::Span& span_of(PartTask& task) { return task.runs; }

struct MadePart {
  std::string measures;                // as JSON
  std::optional<std::uint64_t> all{};  // runs that the cell has
  std::uint64_t end = 0;               // the first run that is not of it
  Seconds took{};
};

template <typename Archive>
void fields(Archive& archive, MadePart& made) {
  archive(made.measures, made.all, made.end, made.took);
}

class PartMaker {
 public:
  explicit PartMaker(Comparison& comparison)
      : comparison_(comparison), cells_(comparison.all_cells()) {}

  const std::vector<CellName>& cells() const { return cells_; }
  MadePart make(const PartTask& task, explore::workers::Pulse& pulse);
  Cell& cell_of(const CellName& name);

 private:
  Comparison& comparison_;
  const std::vector<CellName> cells_;
  CellName cell_name_;  // of the latest task
  std::unique_ptr<Cell> cell_;
};

}  // namespace picklock::compare
