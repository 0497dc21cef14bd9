// Says in words whether a lock promises a property in one run, for every form of report.
#pragma once

#include <string>

#include "scenarios/promises.h"

namespace picklock::reports {

// Whether a violation breaks a promise: the lock promises the property under the faults that the
// run meets, and the run keeps the condition of the promise.
bool promised_here(const scenarios::Promised& promised);

// promised / never promised / not promised under pause and crash / not promised here, if only the
// condition of the promise is missing.
std::string promise(const scenarios::Promised& promised);

}  // namespace picklock::reports
