// A search: run after run under plans that a strategy draws, with every property judged. A find
// is a violation of a property that was requested, or that the lock promises under the faults that
// struck, with its premise kept. Finds differ by property and steps (architecture "Witness"). The
// result depends on the scenario, the options and the number of runs alone, not on the number or
// the speed of the processes that make the runs.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "explore/keeper.h"
#include "explore/runs.h"
#include "explore/tally.h"
#include "scenarios/scenario.h"

namespace picklock::explore {

// Runs that ended their process.
struct Crash {
  std::uint64_t run = 0;    // the first of them, counted from 1
  std::uint64_t times = 0;  // runs that ended it the same way
  std::string how;          // "SIGSEGV", or the text of the exception
  std::string text;         // of a file that repeats it
};

class Search {
 public:
  // Throws keys::BadInput if a requested class cannot act in this scenario.
  Search(const scenarios::Scenario& scenario, SearchOptions options);

  // Makes one run here and keeps its finds. Returns false if none is left. Throws NotDeterministic.
  bool run_next();
  // The same without keeping them: next_lead() has what the run has shown.
  bool make_next();

  // The same in parts, for runs that are made elsewhere. Blocks are taken in the order of the runs,
  // a crash before the block that it belongs to.
  Runs& runs() { return runs_; }
  void take(const Block& block);
  void take_crash(const Batch& batch, std::uint64_t run, const std::string& how);
  // The next lead to follow up, by Keeper and add(); nullopt: none for now.
  std::optional<Lead> next_lead();
  // Every batch of a part was taken, or no further one is made.
  void end_part();
  void add(Keeper::Kept kept);

  const SearchOptions& options() const { return runs_.options(); }
  const Tally& tally() const { return tally_; }
  // Runs with a violation that is known, for each exception of the options.
  const std::vector<std::uint64_t>& known_runs() const { return known_runs_; }
  bool has_met_known() const;
  const std::vector<Find>& finds() const { return finds_; }
  // In a comparison: for each property that both locks violate, the first example.
  const std::vector<Find>& limits() const { return limits_; }
  // The lock of a comparison; nullptr: there is none.
  const Reference* reference() const { return runs_.reference(); }
  const std::vector<Crash>& crashes() const { return crashes_; }
  bool clean() const { return finds_.empty() && crashes_.empty(); }
  // How far it has come if it tries every plan; nullopt: it tries a sample.
  std::optional<strategies::Decided> decided() const { return runs_.strategy().decided(); }
  // Whether its plans were drawn independently of each other, so that upper_bound_95() holds.
  bool is_independent() const;
  // The promise of its strategy for each run; nullopt: none.
  std::optional<strategies::Guarantee> guarantee() const { return runs_.strategy().guarantee(); }
  // The plans that it keeps to make others of; nullptr: it makes none of others.
  const Corpus* corpus() const { return runs_.strategy().corpus(); }
  // Why a clean search proves nothing: no run was judged, or no fault has struck; empty: it does.
  std::string_view why_vacuous() const;
  // The fault-free scenario that every run starts from; its own plan is left out.
  const scenarios::Scenario& scenario() const { return runs_.scenario(); }
  Duration patience() const { return runs_.patience(); }

 private:
  Runs runs_;
  std::optional<Batch> batch_;  // of run_next()
  Block made_;                  // its runs so far
  Tally tally_;
  std::vector<std::uint64_t> known_runs_;
  std::deque<Lead> leads_;  // in the order of the runs, what slipped before what comes after it
  std::set<std::pair<Violation, bool>> sighted_;  // whether as a limit
  std::set<Violation> known_;                     // finds, and what is being followed up
  std::set<Property> known_limits_;
  std::vector<Find> finds_;
  std::vector<Find> limits_;
  std::vector<Crash> crashes_;
};

// The largest probability of a violation per run at which `clean` runs without one still occur in
// one case of twenty: 1 - 0.05^(1/clean).
double upper_bound_95(std::uint64_t clean);

}  // namespace picklock::explore
