// Keys that have no effect without another one: the loader refuses them, and the writer leaves them
// out. Most say themselves what they need (keys/key.h); here are those that need other tables.
#pragma once

#include "keys/value.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

// `scenario` was read from `root`.
void check_needs(const keys::Value& root, const Scenario& scenario);

// Gives the keys without effect their defaults.
void drop_idle(Scenario& scenario);

// Whether a key of [clients] has an effect for this client, which has a value of its own.
bool has_effect(const Scenario& scenario, const OneClient& one, std::string_view key);

}  // namespace picklock::scenarios
