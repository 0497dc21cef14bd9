// Plans drawn at random (explore/fault_plan.h).
#pragma once

#include <cstdint>

#include "explore/fault_plan.h"
#include "explore/strategies/strategy.h"

namespace picklock::explore::strategies {

class Random final : public Strategy {
 public:
  // Requires: every class of the limits is possible.
  Random(Ways ways, const Settings& settings);
  void draw(const Batch& batch, std::uint64_t run, scenarios::Scenario& into) override;

 private:
  FaultPlans plans_;
  const std::uint64_t seed_;
  const FaultLimits limits_;
};

}  // namespace picklock::explore::strategies
