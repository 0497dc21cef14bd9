// The step as which a client sends a command.
#pragma once

#include "picklock/client.h"
#include "sim/simulation.h"

namespace picklock::models {

// Upkeep is no step; a command without a role belongs to the step that its thread is at.
inline std::uint8_t step_of(Role role, sim::Scheduler& scheduler) {
  if (role == Role::upkeep) return 0;
  return role == Role::none ? scheduler.running()->role : static_cast<std::uint8_t>(role);
}

}  // namespace picklock::models
