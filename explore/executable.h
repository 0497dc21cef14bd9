// A fingerprint of what decides the runs that a program makes. While it stays the same, so do they.
#pragma once

#include <cstdint>
#include <string>

namespace picklock::explore {

// Covers the code and the data of an executable file. The commit, the build id and the information
// for debuggers are left out, because they change while code and data stay the same.
std::uint64_t executable_fingerprint(const std::string& file);

// That of this program.
std::uint64_t this_executable();

}  // namespace picklock::explore
