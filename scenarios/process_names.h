// The names of processes in a scenario file. A name that no process has is refused where it stands,
// with the nearest one.
#pragma once

#include <string>

#include "keys/value.h"
#include "models/servers/process_kind.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

// `where` is the value that has the name, alone or in a list.
const servers::ProcessKind& process_named(const keys::Value& where, const std::string& name,
                                          const Scenario& scenario);

}  // namespace picklock::scenarios
