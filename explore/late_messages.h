// The order of messages that priorities have led to, as a list of late messages: a story names
// those that matter.
#pragma once

#include "scenarios/world.h"
#include "sim/fault.h"

namespace picklock::explore {

// A delay for each message of the last run that took more than the least time because of its
// priority. Requires: the run was traced.
sim::Plan late_messages(const scenarios::World& world);

}  // namespace picklock::explore
