// The simulated side of a situation: the same steps on the model, in virtual time under a seed.
// Commands that the model does not know are not supported.
#pragma once

#include <cstdint>

#include "conform/redis/outcomes/situation.h"

namespace picklock::conform::redis::outcomes {

bool can_be_simulated(const Situation& situation);

// Requires: can_be_simulated.
Outcome simulated(const Situation& situation, std::uint64_t seed);

}  // namespace picklock::conform::redis::outcomes
