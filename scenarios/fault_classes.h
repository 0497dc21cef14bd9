// The classes of faults as data: which verbs and targets each of them draws. Every verb belongs to
// a class.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "picklock/lock.h"
#include "sim/fault.h"

namespace picklock::scenarios {

struct FaultClassRow {
  FaultClass fault_class{};
  std::string_view meaning;
  std::vector<sim::Verb> verbs;
  std::vector<std::string_view> targets;  // kinds of process, or whose message
};

std::span<const FaultClassRow> fault_classes();

}  // namespace picklock::scenarios
