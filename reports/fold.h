// Leaves quiet repetition out of a transcript and says in one row what it was. What a fault is
// anchored to or where a property broke is never left out.
#pragma once

#include "reports/transcript.h"

namespace picklock::reports {

void fold(const Run& run, const Narrator& narrator, Transcript& transcript);

}  // namespace picklock::reports
