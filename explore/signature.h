// The events of a run in their order, without their times, as one number. Two plans that lead to
// the same events are one to a search that tries all of them.
#pragma once

#include <cstdint>

#include "history/history.h"
#include "scenarios/world.h"

namespace picklock::explore {

// Whether the event is more than the coming and going of a fault, whose effects are events of their
// own.
bool is_notable(const history::HistoryEvent& event);

// A hash of the notable events of the last run, and of what its faults have changed for good: a
// clock, what has no end, or the time that a message has lost on its way.
std::uint64_t signature(const scenarios::World& world);

}  // namespace picklock::explore
