// A comparison for a terminal, within 120 columns: what reaches the resource, what else breaks,
// what each lock costs; and where there are few locks, every cell with its stories.
#pragma once

#include <string>

#include "explore/compare/comparison.h"
#include "explore/compare/document.h"
#include "reports/timeline.h"

namespace picklock::compare {

std::string table(const Comparison& comparison, const Made& made, reports::TextOptions options);

}  // namespace picklock::compare
