// One cell of the comparison: the runs of one lock under one column of faults, without fencing or
// with it. Run number i depends on the seed and i alone. With plans that are drawn, it has the same
// seed and the same plan in every cell of a column, placed at the lock's own steps
// (explore/paired_plans.h), so locks and fencing are compared run by run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compare/cell_plans.h"
#include "compare/measures.h"
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
  Cell(const scenarios::Scenario& workload, std::unique_ptr<CellPlans> plans, Column column,
       const scenarios::ResourceSpec* fenced, std::uint64_t seed);

  // How many runs it has; nullopt: as many as are wanted.
  std::optional<std::uint64_t> count() const { return plans_->count(); }

  // Makes a run and adds what comes of it. Throws explore::NotDeterministic.
  void make(std::uint64_t run, Measures& measures);
  // The same if `other`, the same cell without fencing, has just made this run. Most runs have no
  // write that ideal fencing rejects, so they are not made again.
  void make_after(Cell& other, std::uint64_t run, Measures& measures);

  // The scenario of run number `run`, with its plan.
  scenarios::Scenario drawn(std::uint64_t run);

  // The digest of the latest run.
  std::uint64_t digest() const { return world_.digest(); }

 private:
  bool differs_by_fencing(const Cell& other) const;
  bool is_traced(std::uint64_t run) const;
  // Adds what the latest run of `world`, number `run`, has shown.
  void tell(const scenarios::World& world, std::uint64_t run, Measures& measures);
  void judge(const scenarios::World& world, std::uint64_t run, const sim::Plan& fired,
             Measures& measures);

  const std::unique_ptr<CellPlans> plans_;
  const Column column_;
  const std::uint64_t seed_;
  const models::Algorithm& algorithm_;
  scenarios::Scenario current_;  // the workload with the plan and the seed of the present run
  std::uint32_t left_out_ = 0;   // faults of its plan
  std::vector<bool> resources_;  // of each process
  scenarios::World world_;
};

}  // namespace picklock::compare
