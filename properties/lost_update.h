// no-lost-update: no write that is based on a version of the resource replaces a later version that
// another tenure has written, and no read shows a version older than one that was accepted before.
// Judged from the resource's own log, whatever the tenures believed.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct LostUpdateScratch {
  // The last write, and the last one of another tenure than that.
  struct Writes {
    std::uint32_t last = kNone;
    std::uint32_t other = kNone;
  };
  std::vector<Writes> at;  // by place
};

// Counts the writes and reads. Witness: the write or read, and the last update that it does not
// know.
void no_lost_update(const Case& run, LostUpdateScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
