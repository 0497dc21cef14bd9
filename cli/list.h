// `picklock list KIND`: what can be named on the command line and in scenario files.
#pragma once

#include <string>

namespace picklock::cli {

// Writes to standard output. Throws BadInput for a kind that is not there.
int list(const std::string& kind, bool json, const std::string& scenario_directory);

}  // namespace picklock::cli
