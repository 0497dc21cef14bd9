// docs/safety-table.md: the safety table for readers, with the premise of everything that is safe
// and the search that shows what is not.
#pragma once

#include <string>

namespace picklock::explore {

std::string safety_table_page();

}  // namespace picklock::explore
