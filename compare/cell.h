// One cell of the comparison: the runs of one lock under one column of faults, without fencing or
// with it. Run number i depends on the seed and i alone. In every cell of a column it has the same
// seed and the same plan, placed at the lock's own steps (explore/paired_plans.h), so locks and
// fencing are compared run by run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/measures.h"
#include "explore/paired_plans.h"
#include "explore/runs.h"
#include "picklock/lock.h"
#include "scenarios/scenario.h"
#include "scenarios/world.h"

namespace picklock::compare {

// Faults of one class, or a mix of several, or none.
struct Column {
  std::string name;  // "none", a class, "all", "pause+partition"
  FaultClasses classes;
};

// Faults in one run.
inline constexpr std::uint32_t kMostFaults = 3;

class Cell {
 public:
  // `plans`: of all locks; `lock`: which of them `workload` is.
  Cell(const scenarios::Scenario& workload, explore::PairedPlans& plans, std::size_t lock,
       Column column, bool fenced, std::uint64_t seed);

  // Makes a run and adds what comes of it. Throws explore::NotDeterministic.
  void make(std::uint64_t run, Measures& measures);

  // The scenario of run number `run`, with its plan.
  scenarios::Scenario drawn(std::uint64_t run);

  // The digest of the latest run.
  std::uint64_t digest() const { return world_.digest(); }

 private:
  std::uint32_t draw(std::uint64_t run, scenarios::Scenario& into);
  void judge(std::uint64_t run, const sim::Plan& fired, Measures& measures);

  explore::PairedPlans& plans_;
  const std::size_t lock_;
  const Column column_;
  const std::uint64_t seed_;
  const explore::FaultLimits limits_;
  const models::Algorithm& algorithm_;
  scenarios::Scenario current_;  // the workload with the plan and the seed of the present run
  std::vector<bool> resources_;  // of each process
  scenarios::World world_;
};

}  // namespace picklock::compare
