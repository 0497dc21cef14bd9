// The state of each process over a run: whether it runs, what it believes, whose entry it has.
#pragma once

#include <cstddef>
#include <vector>

#include "reports/story.h"

namespace picklock::reports {

// In order of position; `positions` are those of the events of the history.
std::vector<Change> changes(const Run& run, const Narrator& narrator,
                            const std::vector<std::size_t>& positions);

}  // namespace picklock::reports
