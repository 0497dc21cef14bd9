// `picklock list KIND`: what can be named on the command line and in scenario files.
#pragma once

#include <string>

namespace picklock::cli {

// One line for each, or a JSON array of objects. Throws BadInput for a kind that is not there.
std::string list(const std::string& kind, bool json, const std::string& scenario_directory);

}  // namespace picklock::cli
