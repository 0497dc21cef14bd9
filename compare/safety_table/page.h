// docs/safety-table.md: the safety table for readers, with the premise of everything that is safe
// and the search that shows what is not.
#pragma once

#include <string>

#include "compare/safety_table/table.h"

namespace picklock::compare::safety_table {

std::string page();

// The cells of one configuration as a table in Markdown.
std::string cells_as_table(const Configuration& one);

}  // namespace picklock::compare::safety_table
