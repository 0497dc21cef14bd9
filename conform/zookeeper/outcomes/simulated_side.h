// The simulated side: applies the steps of a situation to servers of the model, in virtual time.
#pragma once

#include <cstdint>

#include "conform/zookeeper/outcomes/situation.h"

namespace picklock::conform::zookeeper::outcomes {

Outcome simulated(const Situation& situation, std::uint64_t seed);

}  // namespace picklock::conform::zookeeper::outcomes
