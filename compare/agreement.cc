#include "compare/agreement.h"

#include <fmt/format.h>
#include <algorithm>

#include "compare/summary.h"
#include "explore/safety_table.h"

namespace picklock::compare {
namespace {

using explore::Reach;

// The table's cell for all faults of a class, whatever they strike; nullptr: it has none.
const explore::Cell* cell_of(const explore::Configuration& configuration, std::string_view column) {
  const explore::Cell* found = nullptr;
  for (const explore::Cell& cell : configuration.cells) {
    if (picklock::name(cell.faults) != column) continue;
    // Unsafe somewhere is unsafe; safe from some of the faults, or from fewer, is not safe.
    const bool all = cell.strikes == explore::Strikes::anywhere && cell.most >= kMostFaults;
    const bool speaks = all || cell.reach == Reach::unsafe;
    if (speaks && (found == nullptr || cell.reach == Reach::unsafe)) found = &cell;
  }
  return found;
}

bool depends_on_the_work(const explore::Cell& cell) {
  return cell.reach == Reach::safe &&
         (cell.premise == explore::kShortWork || cell.premise == explore::kNobodyElseAndShortWork);
}

}  // namespace

Agreement agreement(const Comparison& comparison) {
  Agreement result;
  const auto judge = [&](const CellName& name, Reach reach) {
    const Measures& measures = comparison.known(name).measures;
    if (measures.counted() == 0) return;
    const bool found = measures.unsafe > 0;
    if (found == (reach == Reach::unsafe)) {
      ++result.agree;
    } else {
      (found ? result.against : result.not_found).push_back(name);
    }
  };
  for (const explore::Configuration& one : explore::safety_table()) {
    if (!one.changes.empty()) continue;
    for (std::size_t lock = 0; lock < comparison.locks().size(); ++lock) {
      if (one.scenario != fmt::format("plain/{}", comparison.locks()[lock].algorithm->name))
        continue;
      for (std::size_t column = 0; column < comparison.columns().size(); ++column) {
        const explore::Cell* cell = cell_of(one, comparison.columns()[column].name);
        if (cell == nullptr || !comparison.why_impossible(lock, column).empty()) continue;
        if (!depends_on_the_work(*cell)) judge({lock, column, false}, cell->reach);
        judge({lock, column, true}, cell->fenced);
      }
    }
  }
  return result;
}

}  // namespace picklock::compare
