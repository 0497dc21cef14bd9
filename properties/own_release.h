// own-release: no operation of one tenure removes or alters a lock entry of another. Whose entry it
// is, is the simulator's ground truth: a token that two tenures share does not make it the
// operation's own.
#pragma once

#include "properties/timeline.h"

namespace picklock::properties {

// Counts such operations. Witness: the operation, and the event by which the owner had come to have
// the entry.
void own_release(const Case& run, Verdict& verdict);

}  // namespace picklock::properties
