// The plans of a cell: drawn, the same for every lock; or every plan of so many faults.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explore/fault_plan.h"
#include "explore/paired_plans.h"
#include "explore/vocabulary.h"
#include "scenarios/scenario.h"
#include "scenarios/world.h"
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

// Every plan of one fault at the steps of the lock's own run (explore/vocabulary.h); or of two, the
// second at the steps of the run under the first. As in a search (explore/strategies/exhaustive.h),
// only the first of those faults whose runs differ by their times alone gets a second one, and none
// that changes nothing.
class EveryPlan final : public CellPlans {
 public:
  // Plans of two faults are tried if there are no more than these.
  static constexpr std::uint64_t kMostOfTwo = 5'000;

  // Requires: the class can act on the workload; one fault or two.
  EveryPlan(const scenarios::Scenario& workload, FaultClass fault_class, std::uint32_t faults,
            std::uint64_t seed);
  std::uint32_t draw(std::uint64_t run, scenarios::Scenario& into) override;
  // 0 if plans of two faults are too many.
  std::optional<std::uint64_t> count() const override { return count_; }

 private:
  const std::vector<sim::Fault>& after(const sim::Plan& plan);

  const explore::Vocabulary vocabulary_;
  const std::uint64_t seed_;
  scenarios::Scenario scenario_;
  scenarios::World world_;
  struct Basis {
    sim::Plan plan;
    std::uint64_t first = 0;  // number of a plan with one fault more
  };
  std::vector<Basis> bases_;
  std::uint64_t count_ = 0;
  std::optional<sim::Plan> last_;  // whose continuations are `faults_`
  std::vector<sim::Fault> faults_;
};

}  // namespace picklock::compare
