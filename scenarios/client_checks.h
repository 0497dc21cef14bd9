// Checks of the keys of [lock], of [clients] and of clients that differ: whether a client can have
// such a setup (scenarios/setup.h).
#pragma once

#include "keys/value.h"
#include "models/servers/kind.h"
#include "scenarios/scenario.h"
#include "scenarios/vocabulary.h"

namespace picklock::scenarios {

// The words of the lock in the table `lock`; fails there if it has none.
const AlgorithmWords& algorithm_in(const keys::Value& lock, const LockSpec& spec,
                                   const Vocabulary& vocabulary);

// The tables [lock] and [clients], and every table [[client]]. Sets in each of these what its own
// algorithm presets.
void check_setups(const keys::Value& root, Scenario& scenario, const Vocabulary& vocabulary,
                  const servers::FindProcess& find);

}  // namespace picklock::scenarios
