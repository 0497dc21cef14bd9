// Consecutive runs of a cell, as workers make them.
#pragma once

#include <array>
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
  // With `fenced`, its items 2i and 2i+1 are run i without fencing and with it: of the cell, and of
  // the next one. Otherwise item i is run i.
  explore::Span items;
  bool fenced = false;
  std::uint64_t first = 0;  // of the whole task
};
inline explore::Span& span_of(PartTask& task) { return task.items; }

// The runs of its items, without fencing or with it.
explore::Span runs_of(const PartTask& task, bool fenced);

struct MadePart {
  std::string measures;                // as JSON
  std::string fenced{};                // the measures of the next cell, where these were asked for
  std::optional<std::uint64_t> all{};  // runs that the cell has
  std::uint64_t end = 0;               // the first item that is not of it
  Seconds took{};
};

template <typename Archive>
void fields(Archive& archive, MadePart& made) {
  archive(made.measures, made.fenced, made.all, made.end, made.took);
}

class PartMaker {
 public:
  explicit PartMaker(Comparison& comparison)
      : comparison_(comparison), cells_(comparison.all_cells()) {}

  const std::vector<CellName>& cells() const { return cells_; }
  MadePart make(const PartTask& task, explore::workers::Pulse& pulse);
  Cell& cell_of(const CellName& name);

 private:
  MadePart make_both(const PartTask& task, explore::workers::Pulse& pulse);

  Comparison& comparison_;
  const std::vector<CellName> cells_;
  struct Named {
    CellName name;
    std::unique_ptr<Cell> cell;
  };
  std::array<Named, 2> latest_;  // without fencing, and with it
};

}  // namespace picklock::compare
