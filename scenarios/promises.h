// What a lock promises of a run: each property, given the classes of faults that the run meets. The
// verdict itself does not depend on it; a report marks by it, and a search answers to it.
#pragma once

#include <array>
#include <string_view>

#include "models/algorithm.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

struct Promised {
  bool promised = false;
  FaultClasses beyond;       // classes met under which it is not promised; none: it never is
  std::string_view premise;  // of the promise, where it is made; empty: unconditionally
  bool premise_kept = true;  // by the run that was made
};

using Promises = std::array<Promised, kPropertyCount>;  // in the order of Property

// A server's loss of its data is `amnesia`, however it came to be; what is late is late for the
// resource or for the lock.
FaultClass class_of(const sim::Fault& fault, const Scenario& scenario);

// Of the plan, and of what the file has happen by chance: collections, clocks that run wrong.
FaultClasses classes_met(const Scenario& scenario);
FaultClasses classes_met(const Scenario& scenario, const sim::Plan& faults);

Promises promises(const models::Algorithm& algorithm, const models::LockOptions& options,
                  FaultClasses met);

}  // namespace picklock::scenarios
