// Every lock that is shipped, by name.
#pragma once

#include <span>
#include <string_view>

#include "models/algorithm.h"

namespace picklock::models::locks {

std::span<const Algorithm* const> all();
const Algorithm* named(std::string_view name);  // nullptr: there is none

// One with what the options put in front of it.
std::unique_ptr<Lock> make_lock(const Algorithm& algorithm, const LockOptions& options);

}  // namespace picklock::models::locks
