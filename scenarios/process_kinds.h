// Every kind of process that a scenario can have: clients, the resource, and the processes of all
// kinds of lock servers.
#pragma once

#include <span>

#include "models/servers/process_kind.h"

namespace picklock::scenarios {

extern const servers::ProcessKind kClientKind;
extern const servers::ProcessKind kResourceKind;

// In the order of the reference. Plans draw targets in this order, so a plan drawn from a seed
// depends on it: new kinds are added at the end.
std::span<const servers::ProcessKind* const> process_kinds();

}  // namespace picklock::scenarios
