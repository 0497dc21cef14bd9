// The order of messages that priorities have led to, as a list of late messages: a story names
// those that matter.
#pragma once

#include "scenarios/world.h"
#include "sim/fault.h"

namespace picklock::explore {

// Of the last run of the world, which was traced: a delay for each message that took more than the
// least time because of its priority.
sim::Plan late_messages(const scenarios::World& world);

}  // namespace picklock::explore
