// Rows of a story that say the same at one instant, as one: what several servers answer alike, and
// what happens to one process several times. The rows of a story that has a row for each server are
// many and say little.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reports/story.h"

namespace picklock::reports {

struct JoinedRow {
  Row row;                           // the first one, with the last one's outcome
  std::vector<sim::ProcessId> more;  // the servers of the others
  std::uint32_t times = 1;           // that it happened to the same process
};

// `shows`: whether the reader sees the process. Rows of other processes stay apart, because they
// have to name them.
std::vector<JoinedRow> joined_rows(const std::vector<Row>& rows,
                                   const std::function<bool(sim::ProcessId)>& shows);

}  // namespace picklock::reports
