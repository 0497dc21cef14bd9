// resource-exclusion: at one resource, no operation of tenure B is accepted between two accepted
// operations of tenure A. Judged from the resource's own log, whatever the tenures believed.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct ResourceExclusionScratch {
  std::vector<std::uint32_t> last_at;  // by place: the latest operation there
  std::vector<std::uint32_t> last_of;  // by tenure: its latest operation anywhere
  std::vector<std::uint32_t> before;   // by operation: the one before of the same tenure
};

// Counts the operations that return to a resource after another tenure's. Witness: A's second
// operation, and B's in between.
void resource_exclusion(const Case& run, ResourceExclusionScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
