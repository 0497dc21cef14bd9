// The step as which a client sends a command.
#pragma once

#include "picklock/client.h"
#include "sim/simulation.h"

namespace picklock::models {

static_assert(kRoleNames.size() <= sim::kMostRoles);

// Upkeep is no step; a command without a role belongs to the step that its thread is at.
inline Role step_of(Role role, sim::Scheduler& scheduler) {
  if (role == Role::upkeep) return Role::none;
  return role == Role::none ? scheduler.running()->role : role;
}

}  // namespace picklock::models
