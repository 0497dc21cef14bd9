// docs/safety-table.md: the safety table for readers, with the premise of everything that is safe
// and the search that shows what is not.
#pragma once

#include <string>

#include "explore/safety_table.h"

namespace picklock::explore {

std::string safety_table_page();

// The cells of one configuration as a table in Markdown.
std::string cells_as_table(const Configuration& one);

}  // namespace picklock::explore
