// The lock that a search compares with (`--against`): the same scenario with another lock, or with
// the same one after some change, such as another version. A plan that breaks both shows a limit of
// their kind, and one that breaks only the first is a find.
//
// Locks take different steps, so the same plan need not strike both at the same place. The other
// lock is struck at the same steps, then at the instants at which the faults struck the first.
// Before a plan counts as a find, each of its faults is moved to every other moment of another lock
// as well.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "explore/moments.h"
#include "models/locks/algorithm.h"
#include "picklock/lock.h"
#include "scenarios/document.h"
#include "scenarios/scenario.h"
#include "scenarios/world.h"
#include "sim/fault.h"

namespace picklock::explore {

struct Against {
  std::string algorithm;
  std::vector<scenarios::Change> changes{};  // of further keys, as `--set` makes them
  // Violations of what the other lock promises count as well.
  bool its_promises = true;
};

// The faults of a plan that fired, and when.
struct Struck {
  sim::Plan plan;
  std::vector<sim::Instant> at;
};

class Reference {
 public:
  // Throws keys::BadInput if the scenario cannot have the other lock, or not all of its processes.
  Reference(const scenarios::Scenario& scenario, Against against);

  // Its result with the faults of a run.
  struct Result {
    std::array<bool, kPropertyCount> violated{};
    bool judged = true;        // false: a run was too long
    std::uint32_t missed = 0;  // faults that struck it neither at their step nor at their instant

    bool breaks(Property one) const { return violated[static_cast<std::size_t>(one)]; }
  };
  // `scenario`: the run that was made, whose clients, seed and ties it gets.
  Result under(const scenarios::Scenario& scenario, const Struck& struck);

  // Whether it breaks the property if one of the faults strikes at another moment. Not asked of the
  // same lock, which takes the same steps: false.
  bool breaks_elsewhere(const scenarios::Scenario& scenario, const Struck& struck, Property one);
  // How many other moments the last call has tried.
  std::uint64_t tried() const { return tried_; }

  const Against& against() const { return against_; }
  // The scenario that was given, with this lock.
  const scenarios::Scenario& scenario() const { return base_; }
  // The changes that make the other scenario of this one.
  std::vector<scenarios::Change> changes(const scenarios::Scenario& scenario) const;

 private:
  scenarios::Scenario with_this_lock(scenarios::Scenario scenario) const;
  void prepare(const scenarios::Scenario& scenario);
  void make(const sim::Plan& plan, Result& result, std::vector<bool>& did);

  const Against against_;
  const bool same_lock_;
  const models::Algorithm& lock_;
  const scenarios::Scenario given_;  // without its faults
  const std::string text_;           // of that
  scenarios::Scenario base_;
  scenarios::Scenario current_;
  scenarios::World world_;
  std::uint64_t tried_ = 0;
};

}  // namespace picklock::explore
