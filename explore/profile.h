// The profile of a scenario without faults: which steps each client reaches, how often, and how
// long the run takes. Faults are drawn only for steps that are reached.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "history/history.h"
#include "scenarios/scenario.h"
#include "sim/fault.h"

namespace picklock::explore {

using sim::Duration;

// The steps of one client with one server in one role.
struct ReachedRole {
  struct Command {
    std::string name;
    std::uint32_t times = 0;
  };

  sim::ProcessId client = 0;
  sim::ProcessId server = 0;
  Role role{};
  std::array<std::uint32_t, 3> times{};  // by sim::Phase
  std::vector<Command> commands;         // sent in this role
};

struct ReachedMark {
  sim::ProcessId client = 0;
  std::string mark;
  std::uint32_t times = 0;
};

struct Profile {
  std::vector<std::string> processes;  // names by ProcessId
  std::vector<ReachedRole> roles;      // in the order in which they were first reached
  std::vector<ReachedMark> marks;
  Duration length{};
};

// The profile of one run without the scenario's own faults.
Profile profile(const scenarios::Scenario& scenario, std::uint64_t seed);
// The profile of each of them. One world makes all runs: every world maps stacks of its own.
std::vector<Profile> profiles(const std::vector<scenarios::Scenario>& scenarios,
                              std::uint64_t seed);

}  // namespace picklock::explore
