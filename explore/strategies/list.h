// The strategies that `picklock explore` can search by. A new one is a file beside this one and a
// line in list.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "explore/fault_plan.h"
#include "explore/strategies/strategy.h"

namespace picklock::explore::strategies {

struct Listed {
  std::string_view name;
  std::string_view meaning;
  std::unique_ptr<Strategy> (*make)(FaultPlans plans, std::uint64_t seed,
                                    const FaultLimits& limits);
};

// The first is the default.
std::span<const Listed> all();
// Requires: there is one of that name.
const Listed& named(std::string_view name);

}  // namespace picklock::explore::strategies
