#include "compare/agreement.h"

#include <fmt/format.h>

#include <algorithm>

namespace picklock::compare {
namespace {

using safety_table::Reach;

// The table's cell for all faults of a class, whatever they strike; nullptr: it has none.
const safety_table::Cell* cell_of(const safety_table::Configuration& configuration,
                                  std::string_view column) {
  const safety_table::Cell* found = nullptr;
  for (const safety_table::Cell& cell : configuration.cells) {
    if (picklock::name(cell.faults) != column) continue;
    // Unsafe somewhere is unsafe; safe from some of the faults, or from fewer, is not safe.
    const bool all = cell.strikes == explore::Strikes::anywhere && cell.most >= kMostFaults;
    const bool speaks = all || cell.reach == Reach::unsafe;
    if (speaks && (found == nullptr || cell.reach == Reach::unsafe)) found = &cell;
  }
  return found;
}

bool depends_on_the_work(const safety_table::Cell& cell) {
  return cell.reach == Reach::safe && (cell.premise == safety_table::kShortWork ||
                                       cell.premise == safety_table::kNobodyElseAndShortWork);
}

}  // namespace

std::map<CellName, Reach> expected(const Comparison& comparison) {
  std::map<CellName, Reach> all;
  if (!comparison.options().settings.empty()) return all;
  for (const safety_table::Configuration& one : safety_table::configurations()) {
    if (!one.changes.empty()) continue;
    for (std::size_t lock = 0; lock < comparison.locks().size(); ++lock) {
      if (one.scenario != fmt::format("plain/{}", comparison.locks()[lock].algorithm->name))
        continue;
      for (std::size_t column = 0; column < comparison.columns().size(); ++column) {
        const safety_table::Cell* cell = cell_of(one, comparison.columns()[column].name);
        if (cell == nullptr || !comparison.why_impossible(lock, column).empty()) continue;
        if (!depends_on_the_work(*cell)) all[{lock, column, false}] = cell->reach;
        all[{lock, column, true}] = cell->fenced;
      }
    }
  }
  return all;
}

std::vector<std::string> locks_without_row(const Comparison& comparison) {
  std::vector<std::string> names;
  if (!comparison.options().settings.empty()) return names;
  for (const Comparison::Lock& lock : comparison.locks()) {
    const auto is_about_it = [&lock](const safety_table::Configuration& one) {
      return one.changes.empty() && one.scenario == fmt::format("plain/{}", lock.algorithm->name);
    };
    const std::vector<safety_table::Configuration>& rows = safety_table::configurations();
    if (std::none_of(rows.begin(), rows.end(), is_about_it))
      names.emplace_back(lock.algorithm->name);
  }
  return names;
}

Agreement agreement(const Comparison& comparison) {
  Agreement result;
  for (const auto& [name, reach] : expected(comparison)) {
    const Measures& measures = comparison.known(name).measures;
    if (measures.counted() == 0) continue;
    const std::optional<Complete> complete =
        name.fenced ? std::nullopt : comparison.complete(name.lock, name.column);
    const bool found = measures.unsafe > 0 || (complete && complete->fewest_for_harm() > 0);
    if (found == (reach == Reach::unsafe)) {
      ++result.agree;
    } else {
      (found ? result.against : result.not_found).push_back(name);
    }
  }
  return result;
}

}  // namespace picklock::compare
