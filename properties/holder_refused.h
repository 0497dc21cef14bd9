// no-holder-refused: the resource rejects no request of the valid holder. That is the tenure whose
// grant is the newest, which believes that it holds the lock and has its entries.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct HolderRefusedScratch {
  struct Grant {
    std::uint32_t event = 0;
    KeyId key = 0;
  };
  std::vector<Grant> grants;           // in the order of their events
  std::vector<std::uint32_t> newest;   // by key: the last grant so far
  std::vector<std::uint32_t> entries;  // by tenure: servers that have its entry
};

// Counts the rejections. Witness: the rejection, and the grant of the tenure.
void no_holder_refused(const Case& run, HolderRefusedScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
