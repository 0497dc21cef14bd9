// The reference of the scenario file, docs/scenario-format.md, written from the tables that files
// are read by.
#pragma once

#include <string>

namespace picklock::scenarios {

std::string format_reference();

}  // namespace picklock::scenarios
