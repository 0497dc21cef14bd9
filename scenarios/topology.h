// The processes of a scenario: their names, what each is, and to which group of Redis servers it
// belongs, in the order in which a run declares them. Clients come first, then who takes steps as
// they do: the coordinator. Then the primaries, the lease store, the ensemble or the MySQL servers,
// whichever the lock lives on, then the resource, then what belongs to a primary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.h"
#include "scenarios/verb_rules.h"

namespace picklock::scenarios {

struct ProcessSpec {
  std::string name;
  TargetKind kind{};
  std::uint32_t group = 0;  // of a Redis server or Sentinel: redis-1 has 0
};

std::vector<ProcessSpec> processes_of(const Scenario& scenario);

// The first so many of them take steps that faults can be anchored to.
std::uint32_t askers(const Scenario& scenario);

// nullptr: there is none of that name.
const ProcessSpec* find(const std::vector<ProcessSpec>& processes, std::string_view name);

}  // namespace picklock::scenarios
