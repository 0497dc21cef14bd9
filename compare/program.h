// Fingerprints of what decides the runs of a comparison. While they stay the same, so do the runs.
#pragma once

#include <cstdint>
#include <string>

namespace picklock::compare {

// Covers the code and the data of an executable file. The commit, the build id and the information
// for debuggers are left out, because they change while code and data stay the same.
std::uint64_t executable_fingerprint(const std::string& file);

// Covers this program and the scenarios that it compares. `directory`: where the shipped ones are.
std::uint64_t program_fingerprint(const std::string& directory);

}  // namespace picklock::compare
