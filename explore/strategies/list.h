// The strategies that `picklock explore` can search by. A new one is a file beside this one and a
// line in list.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "explore/fault_plan.h"
#include "explore/strategies/strategy.h"
#include "keys/nearest.h"

namespace picklock::explore::strategies {

struct Listed {
  std::string_view name;
  std::string_view meaning;
  std::uint32_t most_faults = 3;  // in one plan, unless the user says otherwise
  bool complete = false;          // tries every plan
  // Draws each plan like any other, so that the number of clean runs bounds what may be missed.
  bool independent = false;
  bool has_depth = false;  // of orders of messages (Settings::depth)
  std::unique_ptr<Strategy> (*make)(Ways ways, const Settings& settings);
};

// The first is the default.
std::span<const Listed> all();
keys::Words names();
// Requires: there is one of that name.
const Listed& named(std::string_view name);

}  // namespace picklock::explore::strategies
