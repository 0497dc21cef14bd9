// Starts a program under a filter, in a process namespace of its own. Its process is stopped right
// after the exec, and traced: Tracing::let_go lets it run.
#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <span>
#include <string>

#include "guests/descriptor.h"
#include "guests/guest.h"

namespace picklock::guests {

struct Spawned {
  pid_t process = -1;
  Descriptor pidfd;
  Descriptor listener;
  Descriptor beliefs;  // reads what the program writes to descriptor 3
};

inline constexpr int kBeliefs = 3;

Spawned spawn(const Start& start, std::span<const sock_filter> filter);

}  // namespace picklock::guests
