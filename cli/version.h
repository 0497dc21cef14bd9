// The text of `picklock --version`.
#pragma once

#include <string>

namespace picklock::cli {

// The commit of the source tree; "unknown": nothing told it. cmake/commit.cmake defines it, in a
// section of its own and of one size: so it can change without the rest of the program.
extern const char kCommit[64];

// The program's version and commit, and the versions of the servers that the models follow.
std::string version();

}  // namespace picklock::cli
