// A random search: run after run under a plan of faults drawn for it, every property judged, until
// one is violated that the lock promises under the faults that struck and on a premise that was
// kept, or that was asked for. Run i depends on (seed, i) alone. What is found is run again, and
// comes out the same, before it is believed; then it is made as simple as it gets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explore/fault_plan.h"
#include "models/property.h"
#include "scenarios/promises.h"
#include "scenarios/run.h"
#include "scenarios/scenario.h"
#include "scenarios/world.h"

namespace picklock::explore {

using models::Property;

struct SearchOptions {
  std::uint64_t seed = 1;
  FaultLimits faults{};
  bool all_classes = true;             // of faults that can act, instead of those of `faults`
  std::vector<Property> properties{};  // answers to these; empty: to what is promised
  std::string command{};               // that asks for this search, for what it finds
};

// What the runs so far came to.
struct Tally {
  std::uint64_t runs = 0;
  std::uint64_t events = 0;
  std::uint64_t fired = 0;
  std::uint64_t dropped = 0;    // faults whose step was not reached
  std::uint64_t repeated = 0;   // clean runs that were run again, to the same digest
  std::uint64_t cut_short = 0;  // runs too long to be judged
  std::array<std::uint64_t, models::kFaultClassCount> fired_of{};
  // Runs that violated a property without being a find, and those among them in which it was
  // promised, and the premise of its promise was not kept.
  struct Besides {
    std::uint64_t runs = 0;
    std::uint64_t premise_broken = 0;
  };
  std::array<Besides, models::kPropertyCount> besides{};
};

// A run that violates what the search answers to, and the shortest story of that violation.
struct Find {
  std::uint64_t run = 0;           // counted from 1
  std::size_t faults = 0;          // that fired in it
  std::vector<Property> answered;  // violated, and promised or asked for
  bool minimal = false;            // no single step makes the story simpler
  std::uint64_t shrunk_in = 0;     // runs
  std::string text;                // of its file, which expects what it came to
  scenarios::Run result;           // of that file, with its trace
};

class Search {
 public:
  // Throws scenarios::BadInput if a class is asked for that cannot act in this scenario.
  Search(const scenarios::Scenario& scenario, SearchOptions options);

  // Makes one run. Throws std::logic_error where a second one of the same differs.
  void run_next();

  const SearchOptions& options() const { return options_; }
  const Tally& tally() const { return tally_; }
  const std::optional<Find>& find() const { return find_; }
  // The fault-free scenario that every run starts from; its own plan is left out.
  const scenarios::Scenario& scenario() const { return base_; }
  Duration patience() const { return world_.patience(); }

 private:
  // What a second run must repeat.
  struct Result {
    std::uint64_t digest = 0;
    std::array<std::uint64_t, models::kPropertyCount> verdicts{};
    bool operator==(const Result&) const = default;
  };

  Result run();
  void run_again(const Result& first);
  void count_faults();
  std::vector<Property> violated_and_answered_to();
  bool answers_to(const properties::Verdict& verdict, const scenarios::Scenario& scenario,
                  const scenarios::Promises& promised, const sim::History& history) const;
  void keep(const Result& first, std::vector<Property> answered);
  [[noreturn]] void differs(const Result& first, const Result& second) const;

  SearchOptions options_;
  scenarios::Scenario base_;
  const models::Algorithm& algorithm_;
  FaultPlans plans_;
  scenarios::World world_;
  scenarios::Scenario current_;  // base_ with the plan and the seed of the present run
  sim::Plan fired_;              // those of its faults that fired
  Tally tally_;
  std::optional<Find> find_;
};

// The largest chance p of a violation a run with which `clean` runs without one are still seen in
// one case of twenty: 1 - 0.05^(1/clean).
double upper_bound_95(std::uint64_t clean);

}  // namespace picklock::explore
