// A fingerprint of what decides the runs of a comparison. While it stays the same, so do the runs.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/scenario.h"

namespace picklock::compare {

// Covers this program and the workloads of the locks that it compares (compare/workload.h).
std::uint64_t program_fingerprint(const std::vector<scenarios::Scenario>& workloads);

}  // namespace picklock::compare
