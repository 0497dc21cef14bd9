// A search as a test asks for it: so many random runs of one scenario in this process, and what
// they came to as a letter to whoever reads the test's output. What is found is kept as a file,
// which every test of the same lock runs again, alone and in full, when PICKLOCK_REPLAY names it.
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
