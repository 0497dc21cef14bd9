// A fingerprint of what decides the runs of a comparison. While it stays the same, so do the runs.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/scenario.h"

namespace picklock::compare {

// Covers this program, the workloads of the locks that it compares, and the resource of cells with
// fencing (compare/workload.h).
std::uint64_t program_fingerprint(const std::vector<scenarios::Scenario>& workloads,
                                  const scenarios::ResourceSpec& fenced);

}  // namespace picklock::compare
