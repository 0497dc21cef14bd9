// Every lock that is shipped, and those that a program of yours has added, by name.
#pragma once

#include <span>
#include <string_view>

#include "models/locks/algorithm.h"

namespace picklock::models::locks {

std::span<const Algorithm* const> all();

// Adds a lock behind the shipped ones. The same rules as for servers::add().
void add(const Algorithm& algorithm);

const Algorithm* named(std::string_view name);  // nullptr: no such lock

// Makes the lock, with the wrappers that the options name.
std::unique_ptr<Lock> make_lock(const Algorithm& algorithm, const LockOptions& options);

}  // namespace picklock::models::locks
