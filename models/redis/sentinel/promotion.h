// The choice of the next master among the replicas.
#pragma once

#include "models/redis/sentinel/instance.h"

namespace picklock::redis {

// Whether the replica is reachable and recent enough to be promoted.
bool may_be_promoted(const Instance& replica, const Instance& master, Milliseconds now);
// Lower priority, then larger offset, then smaller run id; an unknown run id comes last.
bool better_for_promotion(const Instance& one, const Instance& other);
// nullptr: none may be promoted.
Instance* best_for_promotion(const Instance& master, Milliseconds now);

}  // namespace picklock::redis
