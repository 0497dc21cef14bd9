// Common data of Redisson's locks: their promises, how long a waiter may wait, the options that
// they read, and their defaults (docs/facts/algorithms.md 1, 10).
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "models/locks/algorithm.h"

namespace picklock::models::locks::redisson {

// The same algorithm under another name.
Algorithm renamed(Algorithm one, std::string_view name, std::string_view summary,
                  std::string_view source);
Uses uses();
void preset(LockOptions& options);
std::vector<Promise> promises(const LockOptions& options);
std::vector<Promise> promises_of_several(const LockOptions& options);  // servers
Duration bound(const LockOptions& options);
Duration wakeup(const LockOptions& options);

}  // namespace picklock::models::locks::redisson
