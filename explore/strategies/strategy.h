// How a search chooses the plan of each run. One process leads the search: it asks for batches and
// hands back their results, in the order in which it was given them. Any process draws the plans of
// a batch.
//
// A part is the batches that one of several machines makes (explore/shared_parts.h). Its results
// depend on its numbers and the settings, and on those of other parts only if waits() says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explore/block.h"
#include "explore/corpus.h"
#include "explore/critical_lengths.h"
#include "explore/fault_plan.h"
#include "scenarios/scenario.h"
#include "scenarios/world.h"

namespace picklock::explore::strategies {

// The ingredients of a strategy.
struct Settings {
  std::uint64_t seed = 1;
  FaultLimits faults{};
  std::uint64_t most_plans = 10'000'000;  // of a number of faults, if it tries all of them
  std::vector<Corpus::Entry> corpus{};    // to begin with, if it makes plans of others
  bool alike = false;                     // tries also plans that differ by their times alone
  std::uint32_t depth = 3;                // orders of messages that a violation may need
  std::uint64_t part = 0;                 // runs of a part, if they can be chosen; 0: as usual
};

// What a strategy that draws orders of messages promises of each run: a violation that needs at
// most `depth` orders of two messages each shows with at least this probability.
struct Guarantee {
  std::uint32_t depth = 0;
  std::uint64_t directions = 0;  // of connections, as in the run without faults
  std::uint64_t messages = 0;    // the same

  double probability() const;
};

// How far a strategy has come that tries every plan.
struct Decided {
  bool begun = false;           // the run without faults was made
  std::uint32_t most = 0;       // every plan of at most so many faults was tried
  std::uint64_t plans = 0;      // these
  std::uint64_t different = 0;  // runs of them that differ by more than their times
  std::uint64_t unjudged = 0;   // runs of them that were too long to be judged, or crashed
  // The plans with one fault more, about, if they were too many to begin; 0: they were not.
  std::uint64_t too_many = 0;
  std::uint64_t wanted = 1;  // plans, with about as many of the next number of faults as there are
  std::vector<std::string> verbs;  // that it knows
  bool orders = false;             // it also knows the orders of messages, as if they were faults
  std::vector<CriticalLength> lengths;
};

class Strategy {
 public:
  explicit Strategy(std::uint64_t part = 0) : part_(part > 0 ? part : kRunsOfAPart) {}
  virtual ~Strategy() = default;

  // --- in the process that leads
  // The next batch; nullopt: none before further results are taken, or none any more if all of them
  // are. By default consecutive runs without end, drawn from no plan.
  virtual std::optional<Batch> next();
  virtual void take(const Batch& batch, const Block& block);
  // The batch that was given last, the first of its part, is not made here, nor is the rest of the
  // part: next() continues after it.
  virtual void leave_out(const Batch& first);
  // The results of a part that was left out. They may come late, but in the order of the parts.
  virtual void take_part(const Batch& first, const Block& block) { take(first, block); }
  // Whether there are further parts only once the results of those given are taken.
  virtual bool waits() const { return false; }
  // Every batch of a part was taken, or no further one is made. Leaves in its results what
  // take_part() needs.
  virtual void end_part(Block&) {}
  // nullopt: it tries a sample.
  virtual std::optional<Decided> decided() const { return std::nullopt; }
  // nullopt: it promises nothing.
  virtual std::optional<Guarantee> guarantee() const { return std::nullopt; }
  // The plans that it keeps to make others of; nullptr: it makes none of others.
  virtual const Corpus* corpus() const { return nullptr; }

  // --- in any process
  // Writes the plan of run number `run` of the batch. The scenario has a seed and an order of ties
  // of this number, which the strategy may change. The plan depends on the batch, the number and
  // the settings alone.
  virtual void draw(const Batch& batch, std::uint64_t run, scenarios::Scenario& into) = 0;
  // Adds the signs and the plan that it wants to know of run number `run`, which the world has just
  // made.
  virtual void note(std::uint64_t run, const scenarios::World& world, Block& block);

 private:
  // A second or so: long enough to be worth a line of a store, and soon made again.
  static constexpr std::uint64_t kRunsOfAPart = 4096;

  const std::uint64_t part_;
  std::uint64_t next_ = 0;
};

}  // namespace picklock::explore::strategies
