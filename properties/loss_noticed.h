// loss-noticed: when a tenure's entry is removed, expires or is altered by another tenure during
// its belief, the belief ends because the client learns of the loss or reaches a declared deadline.
// A belief that ends with a release, or never, violates it.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct LossNoticedScratch {
  std::vector<std::uint32_t>
      lost;  // by tenure: the event that took its entry, or its quorum of entries
};

// Counts tenures. Witness: the release_invoked that ended the belief, or the last event of the
// history where none did, and the loss.
void loss_noticed(const Case& run, LossNoticedScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
