// The plans of a cell: drawn, the same for every lock; or every plan of one fault.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explore/fault_plan.h"
#include "explore/paired_plans.h"
#include "scenarios/scenario.h"
#include "sim/fault.h"

namespace picklock::compare {

class CellPlans {
 public:
  virtual ~CellPlans() = default;
  // Writes the plan, the seed and the order of ties of run number `run`. Returns how many faults of
  // the plan have no counterpart in this lock.
  virtual std::uint32_t draw(std::uint64_t run, scenarios::Scenario& into) = 0;
  // How many runs there are; nullopt: as many as are wanted.
  virtual std::optional<std::uint64_t> count() const { return std::nullopt; }
};

class DrawnPlans final : public CellPlans {
 public:
  // `plans`: of all locks; `lock`: which of them it is.
  DrawnPlans(explore::PairedPlans& plans, std::size_t lock, const explore::FaultLimits& limits,
             std::uint64_t seed)
      : plans_(plans), lock_(lock), limits_(limits), seed_(seed) {}
  std::uint32_t draw(std::uint64_t run, scenarios::Scenario& into) override;

 private:
  explore::PairedPlans& plans_;
  const std::size_t lock_;
  const explore::FaultLimits limits_;
  const std::uint64_t seed_;
};

// At the steps of the lock's own run (explore/vocabulary.h).
class EveryPlan final : public CellPlans {
 public:
  // Requires: the class can act on the workload.
  EveryPlan(const scenarios::Scenario& workload, FaultClass fault_class, std::uint64_t seed);
  std::uint32_t draw(std::uint64_t run, scenarios::Scenario& into) override;
  std::optional<std::uint64_t> count() const override { return faults_.size(); }

 private:
  std::vector<sim::Fault> faults_;
  const std::uint64_t seed_;
};

}  // namespace picklock::compare
