// The text of `picklock --version`.
#pragma once

#include <string>
#include <string_view>

namespace picklock::cli {

// The commit of the source tree; "unknown": nothing told it. cmake/commit.cmake defines it.
extern const std::string_view kCommit;

// The program's version and commit, and the versions of the servers that the models follow.
std::string version();

}  // namespace picklock::cli
