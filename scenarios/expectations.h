// Compares a run with the expectations of its file. Expectations are total: a property that is not
// listed must hold, every fault must fire, and a twin must have been contended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/run.h"
#include "scenarios/world.h"

namespace picklock::scenarios {

struct Demands {
  bool contention = false;  // required of a twin: at least two grants, or it is safe by accident
  // For a neighbor: its fault strikes, and may change nothing, because it misses the window.
  bool may_be_vain = false;
  bool digest = false;  // the digest in the file applies: neither file nor seed was changed
};

// Every way in which the world's last run is not as its scenario expects, one sentence each.
std::vector<std::string> surprises(const World& world, Demands demands);

}  // namespace picklock::scenarios
