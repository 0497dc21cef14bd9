// A fingerprint of what decides the runs of a comparison. While it stays the same, so do the runs.
#pragma once

#include <cstdint>
#include <string>

namespace picklock::compare {

// Covers this program and the scenarios that it compares. `directory`: where the shipped ones are.
std::uint64_t program_fingerprint(const std::string& directory);

}  // namespace picklock::compare
