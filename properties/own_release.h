// own-release: no operation of one tenure removes or alters a lock entry of another. The
// simulator's ground truth decides who owns an entry: sharing a token with the owner does not make
// a tenure the owner.
#pragma once

#include "properties/timeline.h"

namespace picklock::properties {

// Counts such operations. Witness: the operation, and the event by which the owner had come to have
// the entry.
void own_release(const Case& run, Verdict& verdict);

}  // namespace picklock::properties
