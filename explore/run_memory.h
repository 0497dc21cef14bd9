// The violations that earlier runs have shown, for runs that take long. Violations of one run are
// shrunk one after another, and often pass through the same scenarios.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "explore/violation.h"
#include "scenarios/scenario.h"

namespace picklock::explore {

class RunMemory {
 public:
  struct Result {
    std::uint64_t events = 0;
    bool counts = false;  // it was judged, and all its faults fired
    std::vector<Violation> shown{};
  };

  // nullptr: it was not made, or was forgotten.
  const Result* find(const scenarios::Scenario& scenario) const;
  // A run that did not take long is not kept: to make it again is quicker than to look it up.
  void keep(const scenarios::Scenario& scenario, const Result& result,
            std::chrono::steady_clock::duration took);

 private:
  std::map<std::string, Result> results_;  // by the text of the scenario
};

}  // namespace picklock::explore
