// The promises of a lock for one run: for each property, whether it is promised under the classes
// of faults that the run meets. Verdicts do not depend on them; reports mark broken promises, and a
// search looks for them.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "models/locks/algorithm.h"
#include "models/servers/process_kind.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

struct Promised {
  bool promised = false;
  FaultClasses beyond;       // classes met under which it is not promised; none: it never is
  std::string_view premise;  // of the promise, where it is made; empty: unconditionally
  bool premise_kept = true;  // by the run that was made
  std::string_view part_not_kept{};  // of the premise, in its own words
  // The run meets no fault, and the property is one that every lock must keep then.
  bool without_faults = false;
  bool answers = false;  // a violation counts in the run that was made (scenarios/premise.h)
};

using Promises = std::array<Promised, kPropertyCount>;  // in the order of Property

// Every loss of a server's data is `amnesia`, whatever caused it. A late message is a late write or
// a late command. nullopt: it is no fault, because the scenario's network may do that anyway.
std::optional<FaultClass> class_of(const sim::Fault& fault, const servers::ProcessKind& target,
                                   const Scenario& scenario);
std::optional<FaultClass> class_of(const sim::Fault& fault, const Scenario& scenario);

// The classes of the plan's faults and of what the file leaves to chance: garbage collections,
// clocks that run at the wrong rate, and a network that is slower than its clients are patient.
FaultClasses classes_met(const Scenario& scenario);
FaultClasses classes_met(const Scenario& scenario, const sim::Plan& faults);

Promises promises(const models::Algorithm& algorithm, const models::LockOptions& options,
                  FaultClasses met);
// The promises that the locks of all its clients make for a run in which these faults have fired.
Promises promises(const Scenario& scenario, const sim::Plan& faults);

}  // namespace picklock::scenarios
