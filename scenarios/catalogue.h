// The scenarios that are shipped: where their folder is, and what it holds. Nothing but the running
// program says where: an installation can be moved as a whole.
#pragma once

#include <string>
#include <vector>

namespace picklock::scenarios {

// share/picklock/scenarios, in the folder above that of the running program, or what
// PICKLOCK_SCENARIO_PATH says. It need not exist.
std::string shipped_directory();

// The complaint to a user whose `directory` has no shipped scenarios.
std::string none_shipped(const std::string& directory);

// The .toml files of a directory, in alphabetical order, without .toml. Throws BadInput if the
// directory cannot be read.
std::vector<std::string> catalogue(const std::string& directory);

}  // namespace picklock::scenarios
