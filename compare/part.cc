#include "compare/part.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

namespace picklock::compare {

// Decides how far a comparison goes, never what a run does.
using PartClock = std::chrono::steady_clock;

MadePart PartMaker::make(const PartTask& task, explore::workers::Pulse& pulse) {
  const PartClock::time_point start = PartClock::now();
  Cell& cell = cell_of(cells_[task.number]);
  Measures measures;
  const std::uint64_t end = std::min(task.runs.to, cell.count().value_or(UINT64_MAX));
  for (std::uint64_t run = task.runs.from; run < end; ++run) {
    pulse.begin(run);
    cell.make(run, measures);
  }
  return {.measures = to_json(measures).dump(),
          .all = cell.count(),
          .end = std::max(end, task.runs.from),
          .took = PartClock::now() - start};
}

Cell& PartMaker::cell_of(const CellName& name) {
  if (!cell_ || cell_name_ != name) cell_ = comparison_.cell(name);
  cell_name_ = name;
  return *cell_;
}

}  // namespace picklock::compare
