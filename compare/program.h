// Fingerprints of what decides the runs of a comparison. While they stay the same, so do the runs.
#pragma once

#include <cstdint>
#include <string>

namespace picklock::compare {

// Of an executable file: its code and data, without what changes while these stay the same: the
// commit, the build id, and what is for debuggers.
std::uint64_t executable_fingerprint(const std::string& file);

// Of this program and of the scenarios that it compares. `directory`: where the shipped ones are.
std::uint64_t program_fingerprint(const std::string& directory);

}  // namespace picklock::compare
