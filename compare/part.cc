#include "compare/part.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

namespace picklock::compare {

// Decides how far a comparison goes, never what a run does.
using PartClock = std::chrono::steady_clock;

explore::Span runs_of(const PartTask& task, bool fenced) {
  if (!task.fenced) return task.items;
  const std::uint64_t more = fenced ? 0 : 1;
  return {(task.items.from + more) / 2, (task.items.to + more) / 2};
}

MadePart PartMaker::make(const PartTask& task, explore::workers::Pulse& pulse) {
  const PartClock::time_point start = PartClock::now();
  if (task.fenced) {
    MadePart made = make_both(task, pulse);
    made.took = PartClock::now() - start;
    return made;
  }
  Cell& cell = cell_of(cells_[task.number]);
  Measures measures;
  const std::uint64_t end = std::min(task.items.to, cell.count().value_or(UINT64_MAX));
  for (std::uint64_t run = task.items.from; run < end; ++run) {
    pulse.begin(run);
    cell.make(run, measures);
  }
  return {.measures = to_json(measures).dump(),
          .all = cell.count(),
          .end = std::max(end, task.items.from),
          .took = PartClock::now() - start};
}

MadePart PartMaker::make_both(const PartTask& task, explore::workers::Pulse& pulse) {
  Cell& cell = cell_of(cells_[task.number]);
  Cell& fenced = cell_of(cells_[task.number + 1]);
  Measures without;
  Measures with;
  for (std::uint64_t item = task.items.from; item < task.items.to; ++item) {
    pulse.begin(item);
    const std::uint64_t run = item / 2;
    if (item % 2 == 0) {
      cell.make(run, without);
    } else if (item == task.items.from) {
      fenced.make(run, with);
    } else {
      fenced.make_after(cell, run, with);
    }
  }
  return {
      .measures = to_json(without).dump(), .fenced = to_json(with).dump(), .end = task.items.to};
}

Cell& PartMaker::cell_of(const CellName& name) {
  Named& latest = latest_[name.fenced ? 1 : 0];
  if (!latest.cell || latest.name != name) latest = {name, comparison_.cell(name)};
  return *latest.cell;
}

}  // namespace picklock::compare
