// The model's side of a comparison: raw connections to a simulated server of its own, in virtual
// time.
#pragma once

#include <vector>

#include "conform/zookeeper/player.h"

namespace picklock::conform::zookeeper {

// Plays one sequence to a new server.
std::vector<Outcome> play_to_model(const Sequence& sequence);

}  // namespace picklock::conform::zookeeper
