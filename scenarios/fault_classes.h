// The classes of faults as data: each draws the verbs that name it, at the kinds of processes
// (ProcessKind) that name it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/servers/process_kind.h"
#include "picklock/lock.h"
#include "sim/fault.h"

namespace picklock::scenarios {

struct FaultClassRow {
  FaultClass fault_class{};
  std::string_view meaning;
  std::vector<sim::Verb> verbs;
};

std::span<const FaultClassRow> fault_classes();

// The faults of these classes in words: "a primary is lost …; and: …".
std::string meaning_of(FaultClasses classes);

// A target of a fault class: processes of a kind, or the messages with them.
struct FaultTarget {
  const servers::ProcessKind* kind = nullptr;
  bool message = false;
};

// Every target of the class, in the order in which plans draw them.
std::vector<FaultTarget> targets_of(FaultClass fault_class);

// As the tables of the classes name it: "redis message".
std::string name_of(const FaultTarget& target, FaultClass fault_class);

}  // namespace picklock::scenarios
