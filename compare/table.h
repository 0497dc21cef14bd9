// A comparison for a terminal, within 120 columns: harm at the resource, other violations, the cost
// of each lock; and every cell with its stories, if there are few locks.
#pragma once

#include <string>

#include "compare/comparison.h"
#include "compare/document.h"
#include "reports/timeline.h"

namespace picklock::compare {

std::string table(const Comparison& comparison, const Made& made, reports::TextOptions options);

}  // namespace picklock::compare
