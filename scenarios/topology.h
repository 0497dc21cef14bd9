// The processes of a scenario: name, kind and group of servers, in the order in which a run
// declares them. Clients come first, then the coordinator, which takes steps as they do. The
// servers of the lock follow, then the resource, then the processes that come after it
// (ProcessKind).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/servers/kind.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

using servers::ProcessKind;
using servers::ProcessSpec;

std::vector<ProcessSpec> processes_of(const Scenario& scenario);

// The group of servers that keep copies of the same entries. Only servers of one group have copies
// of an entry, and the nodes of the resource are one place; elsewhere the group does not matter.
std::uint32_t group_of(const Scenario& scenario, const ProcessSpec& process);

// How many of them, counted from the first, take steps that faults can be anchored to.
std::uint32_t askers(const Scenario& scenario);

// Processes that differ only in their number, in the order in which a run declares them.
std::vector<servers::Row> rows_of(const Scenario& scenario);

// The number in the name of a process of this row, 1 if they have none; 0: it is of another row.
std::uint32_t number_in(const servers::Row& row, std::string_view name);

// The kind of the process of this name, going by the name alone: there may be fewer processes of
// the kind. nullptr: no kind has such names.
const ProcessKind* kind_named(const Scenario& scenario, std::string_view name);

// Whether a process of this name is the resource, or a node of it.
bool is_resource(std::string_view process);

// nullptr: there is none of that name.
const ProcessSpec* find(const std::vector<ProcessSpec>& processes, std::string_view name);

}  // namespace picklock::scenarios
