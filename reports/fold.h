// Replaces quiet repetition in a transcript by one row that says what was repeated. It never leaves
// out a command to which a fault is anchored or in which a property was violated.
#pragma once

#include "reports/transcript.h"

namespace picklock::reports {

void fold(const Run& run, const Narrator& narrator, Transcript& transcript);

}  // namespace picklock::reports
