// A user's own lock as an algorithm beside those that are shipped, and the scenario in which
// clients take turns with it. Nothing is registered anywhere: a scenario knows its lock.
#pragma once

#include <string_view>
#include <vector>

#include "models/locks/algorithm.h"
#include "picklock/scenario.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

// The same object for the same lock, for the life of the program. A key of the table [lock] that
// LockSettings does not have, and the client layer does not use, is refused. Throws BadInput if a
// shipped lock has this name.
const models::Algorithm& algorithm_of(const OwnLock& own);

// The shipped lock with which a lock of this scenario is compared; empty: none. `renews`: the
// scenario's lock renews its leases.
std::string_view best_of_kind(const Scenario& scenario, bool renews);

Scenario contended(const OwnLock& lock, const Contention& contention);

// What the same scenario says besides, in the words of a file. Throws BadInput if the servers of
// the lock cannot be several.
std::vector<Change> further_keys(const OwnLock& lock, const Contention& contention);

}  // namespace picklock::scenarios
