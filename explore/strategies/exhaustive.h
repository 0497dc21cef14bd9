// Every plan of at most so many faults, each fault out of a finite vocabulary
// (explore/vocabulary.h) and placed at a step of the run under the faults before it. First the run
// without faults, then every plan of one fault, and so on: a violation that comes first has the
// fewest faults.
//
// Plans whose runs differ by their times alone are one (explore/signature.h): only the first of
// them gets a further fault, and none that changes nothing. This is a judgement, not a theorem: it
// holds where a lock cares for the order of events and not for their exact times. With `alike` it
// is left out. Faults that do exactly the same are tried once (docs/searching.md lists them).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "explore/fault_plan.h"
#include "explore/strategies/strategy.h"
#include "explore/vocabulary.h"
#include "scenarios/world.h"

namespace picklock::explore::strategies {

class Exhaustive final : public Strategy {
 public:
  Exhaustive(Ways ways, const Settings& settings);

  std::optional<Batch> next() override;
  void take(const Batch& batch, const Block& block) override;
  void leave_out(const Batch&) override {}  // a part is one batch
  bool waits() const override;
  void end_part(Block& block) override;
  std::optional<Decided> decided() const override { return decided_; }
  void draw(const Batch& batch, std::uint64_t run, scenarios::Scenario& into) override;
  void note(std::uint64_t run, const scenarios::World& world, Block& block) override;

 private:
  struct Expanded {
    sim::Plan plan;
    std::vector<sim::Fault> children;  // each can be added to it
  };

  const std::vector<sim::Fault>& children(const sim::Plan& plan);
  void end_level();
  std::uint64_t size_of_next_level();

  Vocabulary vocabulary_;
  const Settings settings_;
  scenarios::Scenario scenario_;  // with the plan that was expanded last
  scenarios::World world_;
  std::deque<Expanded> expanded_;  // the last few

  // --- in the process that leads
  std::uint32_t level_ = 0;           // the faults of the plans that are being made
  std::uint64_t number_ = 0;          // of the next run
  std::vector<sim::Plan> parents_;    // of the plans of this level
  std::size_t parent_ = 0;            // whose children are being made
  std::uint64_t child_ = 0;           // the next of them
  std::vector<sim::Plan> different_;  // plans of this level whose runs are new
  std::uint64_t under_way_ = 0;       // batches
  std::uint64_t made_ = 0;            // runs
  std::uint64_t judged_ = 0;          // of these
  bool violated_ = false;             // in this level
  bool over_ = false;
  std::set<std::uint64_t> signs_;
  Decided decided_;
};

}  // namespace picklock::explore::strategies
