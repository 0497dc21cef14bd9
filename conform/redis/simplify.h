// What a sequence of commands is cut down to beyond its steps: without any one of the words or
// connections that are left, the two sides agree.
#pragma once

#include "conform/redis/sequence.h"
#include "conform/shrink.h"

namespace picklock::conform::redis {

bool simplify(Shrinking<Step>& shrinking);

}  // namespace picklock::conform::redis
