// The claims of the cells of the safety table, and the searches that test them. Tests only; they
// run in the root of the repository.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "compare/safety_table/decided.h"
#include "compare/safety_table/table.h"
#include "explore/fault_plan.h"
#include "explore/search.h"
#include "scenarios/measures.h"
#include "scenarios/shipped.h"

namespace picklock::compare::safety_table::claims {

using explore::FaultPlans;
using explore::Find;
using explore::Search;
using explore::SearchOptions;

// A cell says what is within reach at a resource without fencing, and at one with it, and whether
// waiters are kept out.
enum class Claim : std::uint8_t { reach, fenced, wait };

struct Case {
  const Configuration* configuration = nullptr;
  const Cell* cell = nullptr;
  Claim claim{};

  Reach reach() const { return claim == Claim::fenced ? cell->fenced : cell->reach; }
};

inline std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Configuration& configuration : configurations()) {
    for (const Cell& cell : configuration.cells) {
      all.push_back({&configuration, &cell, Claim::reach});
      if (can_be_fenced(configuration)) all.push_back({&configuration, &cell, Claim::fenced});
      if (cell.stuck != Stuck::no) all.push_back({&configuration, &cell, Claim::wait});
    }
  }
  return all;
}

// A name that GoogleTest accepts.
inline std::string test_name(const Case& one) {
  const std::string said = claim_of(*one.configuration, *one.cell, one.claim == Claim::fenced) +
                           (one.claim == Claim::wait ? ", waits" : "");
  std::string word;
  for (const char letter : said) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      word += letter;
    } else if (!word.empty() && word.back() != '_') {
      word += '_';
    }
  }
  return word;
}

inline SearchOptions options(const Case& one, std::uint64_t seed) {
  SearchOptions options{.seed = seed,
                        .faults = {.classes = {one.cell->faults},
                                   .most = one.cell->most,
                                   .strikes = one.cell->strikes},
                        .all_classes = false,
                        .properties = {Property::no_stale_write, Property::resource_exclusion},
                        .command = test_name(one)};
  if (one.claim == Claim::wait) {
    options.properties = {Property::not_stuck};
    for (const FaultClass beside : one.cell->beside) options.faults.classes.add(beside);
  }
  return options;
}

inline scenarios::Scenario scenario(const Case& one) {
  return scenario_of(*one.configuration, one.claim == Claim::fenced,
                     scenarios::shipped::kDirectory);
}

struct EveryPlan {
  explore::strategies::Decided decided;
  std::string find;  // of a violation; empty: there is none
};

// Tries every plan of at most so many faults, until a violation is found or there are more plans
// than this.
inline EveryPlan every_plan(const Case& one, std::uint32_t faults, std::uint64_t most_plans) {
  SearchOptions every = options(one, 1);
  every.strategy = "exhaustive";
  every.faults.most = faults;
  every.most_plans = most_plans;
  Search search(scenario(one), every);
  while (search.clean() && search.run_next()) {
  }
  return {.decided = search.decided().value(),
          .find = search.clean() ? std::string() : search.finds()[0].text};
}

// Every plan of one fault, however many there are, or of two where these are few.
inline EveryPlan every_plan(const Case& one) {
  EveryPlan two = every_plan(one, std::min(one.cell->most, kMostDecided), kMostPlans);
  return two.decided.too_many > 0 && two.decided.most == 0 ? every_plan(one, 1, UINT64_MAX) : two;
}

// Runs until something is found, `most` times at most; nullptr: nothing was.
inline const Find* first_find(Search& search, std::uint64_t most) {
  while (search.tally().runs < most && search.clean()) search.run_next();
  return search.clean() ? nullptr : &search.finds()[0];
}

// How long clients wait under a cell's class, in a number of runs with each seed.
struct Waits {
  std::uint64_t runs = 0;
  std::uint64_t stuck = 0;   // of these, with somebody who waits for ever
  std::uint64_t single = 0;  // of these, with one fault of each class
  Duration longest{};        // in those
};

// Whether each class of the claim has struck once, and no server stays away: then its lock is not
// to be had, whatever the lock.
inline bool is_single(const Case& one, const scenarios::Scenario& run) {
  std::vector<FaultClass> wanted = one.cell->beside;
  wanted.push_back(one.cell->faults);
  std::vector<FaultClass> struck;
  for (const sim::Fault& fault : run.faults) {
    struck.push_back(*scenarios::class_of(fault, run));
    const bool stays_away = fault.verb == sim::Verb::crash && !fault.lasts;
    if (stays_away && !fault.target.starts_with("client-")) return false;
  }
  return std::is_permutation(struck.begin(), struck.end(), wanted.begin(), wanted.end());
}

inline Waits waits(const Case& one, std::uint64_t seeds, std::uint64_t runs) {
  scenarios::Scenario current = scenario(one);
  scenarios::World world;
  Waits seen;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    FaultPlans plans(current, explore::profile(current, seed));
    world.set(current);
    for (std::uint64_t run = 0; run < runs; ++run) {
      plans.draw(seed, run, options(one, seed).faults, current.faults);
      world.run(explore::run_seed(seed, run));
      ++seen.runs;
      const auto& verdict = world.verdicts()[static_cast<std::size_t>(Property::not_stuck)];
      if (verdict.outcome == properties::Outcome::violated) ++seen.stuck;
      if (!is_single(one, current)) continue;
      ++seen.single;
      seen.longest =
          std::max(seen.longest, scenarios::longest_wait(world.history(), world.ended()).length);
    }
    current.faults.clear();
  }
  return seen;
}

inline void PrintTo(const Case& one, std::ostream* out) { *out << test_name(one); }

}  // namespace picklock::compare::safety_table::claims
