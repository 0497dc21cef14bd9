// The scenarios that are shipped: the .toml files of a directory, in alphabetical order.
#pragma once

#include <string>
#include <vector>

namespace picklock::scenarios {

// Names without .toml. Throws BadInput if the directory cannot be read.
std::vector<std::string> catalogue(const std::string& directory);

}  // namespace picklock::scenarios
