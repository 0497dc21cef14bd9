// Runs scenarios and compares the results with their expectations: verdicts, faults that fired,
// waiting times, digests, twins. A run is made twice, with and without a trace, and must give the
// same result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scenarios/document.h"
#include "scenarios/expectations.h"
#include "scenarios/run.h"
#include "scenarios/vocabulary.h"
#include "scenarios/world.h"

namespace picklock::scenarios {

// The vocabulary of the shipped algorithms.
const Vocabulary& shipped_vocabulary();
// The same with the vocabulary of the user's own lock; nullptr: there is none.
Vocabulary vocabulary_with(const models::Algorithm* own);
inline Vocabulary vocabulary_of(const Scenario& scenario) {
  return vocabulary_with(scenario.lock.own);
}

class Runner {
 public:
  // One run of a scenario without its twins, with its surprises; a committed digest is ignored.
  // Throws std::logic_error if a second run differs.
  Run run(const Scenario& scenario, std::uint64_t seed, bool tracing);
  // The same with a trace, but made once: nothing says that it repeats.
  Run run_once(const Scenario& scenario, std::uint64_t seed);

  // A file with its twins. `seed` empty: the file's own. `changed`: the caller has changed the
  // document, so committed digests do not apply. `ran` is called after each of the runs: the
  // file's own, then every twin's. `words`: the algorithms that the file may name.
  Outcome run_file(
      const Document& document, std::optional<std::uint64_t> seed, bool changed, bool tracing,
      const std::function<void()>& ran = [] {}, const Vocabulary& words = shipped_vocabulary());

 private:
  Run run(const Scenario& scenario, std::uint64_t seed, bool tracing, Demands demands);
  void make(const Scenario& scenario, std::uint64_t seed);
  Run made(const Scenario& scenario, std::uint64_t seed, Demands demands) const;

  World world_;
};

// The step of a client in one record of a trace.
struct PassedStep {
  sim::ProcessId client = 0;
  sim::ProcessId server = 0;
  Role role{};
  sim::Phase phase{};
};

// Reads a trace from its beginning, record by record.
class PassedSteps {
 public:
  std::optional<PassedStep> read(const sim::TraceRecord& record);

 private:
  std::set<std::uint32_t> given_up_;  // requests whose answer nobody reads
};

// "client-1 acquire.sent x3" for every step that was reached, from a trace.
std::vector<std::string> steps_reached(const sim::Trace& trace,
                                       const std::vector<std::string>& processes);

}  // namespace picklock::scenarios
