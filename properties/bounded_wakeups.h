// bounded-wakeups: one release or loss wakes at most as many waiters as the algorithm promises. A
// tenure is released once, so all waiters that its messages wake count together.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/timeline.h"

namespace picklock::properties {

struct BoundedWakeupsScratch {
  struct Wakeup {
    TenureId by = 0;
    KeyId key = 0;
    TenureId waiter = 0;
    std::uint32_t event = 0;
  };
  std::vector<Wakeup> wakeups;
};

// Counts tenures. Witness: the first wait_ended beyond the promise, and the end of that tenure's
// belief, or the first wait_ended that it caused if its belief did not end.
void bounded_wakeups(const Case& run, BoundedWakeupsScratch& scratch, Verdict& verdict);

}  // namespace picklock::properties
