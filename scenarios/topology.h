// The processes of a scenario: name, kind and group of Redis servers, in the order in which a run
// declares them. Clients come first, then the coordinator, which takes steps as they do. The
// servers of the lock follow (primaries, lease store, ensemble or MySQL servers), then the
// resource, then the replicas and Sentinels.
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

// How many of them, counted from the first, take steps that faults can be anchored to.
std::uint32_t askers(const Scenario& scenario);

// nullptr: there is none of that name.
const ProcessSpec* find(const std::vector<ProcessSpec>& processes, std::string_view name);

}  // namespace picklock::scenarios
