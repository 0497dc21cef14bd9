// available: an acquire is not refused while the algorithm's documented condition for success
// holds. The condition: for at least the declared bound within the acquire, the lock was free on a
// quorum of servers that were up and that the client could reach. A client that a fault has struck
// may await an answer that will not come; of its acquire, only the time after it has given up on
// that answer counts. A lock with replicas is free once no copy of its entry is left. Without a
// declared bound, nothing is judged.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/surroundings.h"
#include "properties/timeline.h"

namespace picklock::properties {

struct AvailableScratch {
  // The entry of one key on one server and its replicas.
  struct Entry {
    Instant free_since{};      // without a break; not while it has copies
    std::uint32_t copies = 0;  // servers that have it
  };
  struct Acquire {
    TenureId tenure = 0;
    std::uint32_t invoked = 0;
    std::uint32_t next = kNone;  // of the same key
    bool open = true;
    bool had_its_chance = false;
  };
  SurroundingsScratch surroundings;
  std::vector<Entry> entries;            // by key and server
  std::vector<bool> present;             // by slot: whether it has an entry
  std::vector<Acquire> acquires;         // as they were invoked
  std::vector<std::uint32_t> asking;     // by key: its acquires that may still be open
  std::vector<std::uint32_t> latest_of;  // by tenure: its acquire
};

// Counts acquires. Witness: the refusal (or unknown outcome), and its acquire_invoked.
void available(const Case& run, AvailableScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
