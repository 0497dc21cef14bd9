// The runs of a search, made one by one: the strategy draws each, then it is made and judged. A run
// with a violation that was not seen in an earlier one is repeated, and so is a sample of the
// others. If a repetition differs, the search ends.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "explore/block.h"
#include "explore/exceptions.h"
#include "explore/fault_plan.h"
#include "explore/not_deterministic.h"
#include "explore/reference.h"
#include "explore/run_memory.h"
#include "explore/shrink.h"
#include "explore/strategies/strategy.h"
#include "explore/violation.h"
#include "picklock/lock.h"
#include "scenarios/promises.h"
#include "scenarios/scenario.h"
#include "scenarios/world.h"

namespace picklock::explore {

using picklock::Property;

struct SearchOptions {
  std::string_view strategy = "random";  // one of explore/strategies/list.h
  std::uint64_t seed = 1;
  FaultLimits faults{};
  std::uint64_t most_plans = 10'000'000;  // of a strategy that tries all (strategies/strategy.h)
  bool alike = false;                     // the same
  std::uint32_t depth = 3;                // the same
  std::uint64_t part = 0;                 // the same
  std::vector<Corpus::Entry> corpus{};    // the same
  bool all_classes = true;                // of faults that can act, instead of those of `faults`
  std::vector<Property> properties{};     // to be reported; empty: those that the lock promises
  Exceptions except{};                    // violations that are known
  std::optional<Against> against{};       // the lock to compare with; nullopt: none
  std::string command{};                  // the command of this search, for the files of its finds
  Shrinker::Limits shrinking{};           // of one story
};

// The scenario alone, without what its file plans and expects.
scenarios::Scenario without_plan(scenarios::Scenario scenario);

// The number of the run without faults.
inline constexpr std::uint64_t kWithoutFaults = UINT64_MAX;

class Runs {
 public:
  // Throws keys::BadInput if a requested class cannot act in this scenario.
  Runs(const scenarios::Scenario& scenario, SearchOptions options);
  // With a strategy that is not listed, in place of that of the options.
  Runs(const scenarios::Scenario& scenario, SearchOptions options,
       std::unique_ptr<strategies::Strategy> strategy);

  // Makes run number `run` of the batch and adds it to the block. Throws NotDeterministic.
  void make(const Batch& batch, std::uint64_t run, Block& block);

  // The violations of exclusion in the run that is made before all others, without faults. They are
  // reported whatever another lock does: the scenario itself lets two clients in.
  std::vector<Sighting> without_faults();

  // The scenario of run number `run` of the batch, with its plan; or of the run without faults.
  scenarios::Scenario drawn(const Batch& batch, std::uint64_t run);

  // Which runs to make; in the process that leads the search.
  strategies::Strategy& strategy() { return *strategy_; }
  const strategies::Strategy& strategy() const { return *strategy_; }

  // The violations of the last run that the search reports, each once: the property was requested,
  // or the lock promises it under these faults and the premise was kept. In a comparison it is
  // enough that the other lock promises it.
  std::vector<Violation> answered(const scenarios::Scenario& scenario, const sim::Plan& fired,
                                  const scenarios::World& world) const;
  // Those of them that are not known, whichever of the faults has caused them.
  std::vector<Violation> unknown(const scenarios::Scenario& scenario, const sim::Plan& fired,
                                 const scenarios::World& world) const;

  // In a comparison: whether the other lock violates the property in a run of the scenario with
  // these faults, or else with one of them at another moment. Requires: reference().
  bool is_limit(const scenarios::Scenario& scenario, const Struck& struck, Property property);
  bool is_limit_elsewhere(const scenarios::Scenario& scenario, const Struck& struck,
                          Property property);
  Reference* reference() { return reference_.get(); }
  const Reference* reference() const { return reference_.get(); }

  // The memory of runs by which stories were shrunk.
  RunMemory& memory() { return memory_; }

  const SearchOptions& options() const { return options_; }
  // The fault-free scenario that every run starts from; its own plan is left out.
  const scenarios::Scenario& scenario() const { return base_; }
  Duration patience() const { return world_.patience(); }

 private:
  void draw(const Batch& batch, std::uint64_t run, scenarios::Scenario& into);
  void run_again(std::uint64_t run, std::uint64_t digest);
  [[noreturn]] void differs(std::uint64_t run, std::uint64_t first, std::uint64_t second);
  void count_faults(Tally& tally);
  // A violation of a run, and the faults of the run that caused it.
  struct Shown {
    Violation violation;
    Struck struck;
  };
  std::optional<Struck> happens_under(const sim::Plan& plan, const Violation& one);
  void pass_known(std::vector<Shown>& shown, Block& block);
  bool compare(std::uint64_t run, const Batch& batch, std::vector<Shown>& shown,
               const std::vector<Property>& besides, Block& block);
  std::vector<Property> count_besides(const std::vector<Violation>& answered, Tally& tally) const;

  SearchOptions options_;
  scenarios::Scenario base_;
  const models::Algorithm& algorithm_;
  std::unique_ptr<strategies::Strategy> strategy_;
  scenarios::World world_;
  scenarios::Scenario current_;  // base_ with the plan and the seed of the present run
  Struck struck_;                // those of its faults that fired
  std::set<Violation> seen_;     // by runs that were made here
  std::array<bool, kPropertyCount> limits_seen_{};  // the same
  std::unique_ptr<Reference> reference_;
  RunMemory memory_;
};

// Those of the plan that fired in the run that the world has just made.
sim::Plan fired(const sim::Plan& plan, const scenarios::World& world);
Struck struck(const sim::Plan& plan, const scenarios::World& world);

}  // namespace picklock::explore
