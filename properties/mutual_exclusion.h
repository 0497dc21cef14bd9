// mutual-exclusion: the beliefs of two tenures of one lock do not overlap. Judged by instants, so a
// belief that ends in the instant in which another begins, or that lasts no time at all, overlaps
// nothing.
#pragma once

#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct MutualExclusionScratch {
  std::vector<std::uint32_t> longest;  // by key: the place among the beliefs
};

// Counts the beliefs that began during another. Witness: the later acquire_ok, and
// the earlier.
void mutual_exclusion(const Case& run, MutualExclusionScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
