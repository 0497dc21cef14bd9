// Simplifies a sequence of commands beyond its steps, until the two sides agree without any single
// one of the words and connections that are left.
#pragma once

#include "conform/redis/sequence.h"
#include "conform/shrink.h"

namespace picklock::conform::redis {

bool simplify(Shrinking<Step>& shrinking);

}  // namespace picklock::conform::redis
