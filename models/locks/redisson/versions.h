// Older versions of Redisson, as options (docs/facts/algorithms.md 1.12).
#pragma once

#include <vector>

#include "models/locks/algorithm.h"

namespace picklock::models::locks::redisson {

std::vector<Version> versions();
std::vector<Version> versions_with_latch();  // of locks with the key `unlock_latch`

}  // namespace picklock::models::locks::redisson
