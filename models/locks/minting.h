// The script that takes a key and mints a fencing token in the same step.
#pragma once

#include "picklock/redis.h"

namespace picklock::models::locks {

// KEYS: lock, counter. ARGV: token, lease in ms. 0: refused, else the counter's next number.
const redis::Script& take_and_mint();

}  // namespace picklock::models::locks
