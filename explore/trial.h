// A search in a test: random runs of one scenario in this process, with the result as a letter to
// the reader of the test's output. A find is kept as a file. When PICKLOCK_REPLAY names that file,
// every test of the same lock runs only it and shows the whole timeline.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explore/fault_plan.h"
#include "picklock/lock.h"
#include "scenarios/scenario.h"

namespace picklock::explore {

// Every class that can act, unless told; none: runs without any fault.
struct Faults {
  FaultClasses classes = FaultClasses::all();
  std::uint32_t most = 3;  // in one run
};

struct TrialOptions {
  std::uint64_t runs = 10'000;
  std::uint64_t seed = 1;
  Faults faults{};
  // Answers to these; empty: to what the lock promises under the faults that struck.
  std::vector<Property> properties{};
};

struct Trial {
  enum class Outcome : std::uint8_t {
    clean,
    violated,
    vacuous,  // nothing was tried: the lock never granted, or no fault struck
    skipped,  // the file to be replayed is about another lock
  };
  Outcome outcome = Outcome::clean;
  bool replayed = false;
  std::string letter;
  std::string file{};  // of the counterexample; empty: there is none, or it could not be written
};

// Counterexamples go to the folder that PICKLOCK_OUT names, or else to picklock-out. Throws
// scenarios::BadInput where the scenario, the faults or the file to be replayed make no sense.
Trial random(const scenarios::Scenario& scenario, const TrialOptions& options = {});

}  // namespace picklock::explore
