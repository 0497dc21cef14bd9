// The violations that earlier runs have shown, for runs that take long. Violations of one run are
// shrunk one after another, and often pass through the same scenarios.
#pragma once

#include <cstdint>
#include <functional>
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

  // The result of an equal run; if there was none, that of `make`. A run that does not take long is
  // made again, which is quicker than to look it up.
  Result result(const scenarios::Scenario& scenario, const std::function<Result()>& make);

 private:
  std::map<std::string, Result> results_;  // by the text of the scenario
};

}  // namespace picklock::explore
