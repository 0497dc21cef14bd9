// Orders of messages by priorities (sim/priorities.h), as probabilistic concurrency testing draws
// them: Burckhardt, Kothari, Musuvathi, Nagarakatte, A randomized scheduler with probabilistic
// guarantees of finding bugs (ASPLOS 2010). Faults are drawn as by the strategy `random`.
#pragma once

#include <cstdint>
#include <optional>

#include "explore/fault_plan.h"
#include "explore/strategies/strategy.h"

namespace picklock::explore::strategies {

class Pct final : public Strategy {
 public:
  // Throws keys::BadInput if every message takes a time that is given.
  Pct(Ways ways, const Settings& settings);

  void draw(const Batch& batch, std::uint64_t run, scenarios::Scenario& into) override;
  std::optional<Guarantee> guarantee() const override { return guarantee_; }

 private:
  FaultPlans plans_;
  const std::uint64_t seed_;
  const FaultLimits limits_;
  Guarantee guarantee_;
};

}  // namespace picklock::explore::strategies
