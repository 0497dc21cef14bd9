// The result of one execution of a scenario under one seed, and of a whole `picklock run`: the
// file's own run and those of its twins. It has everything that a report needs, as data; the
// reports make the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "history/history.h"
#include "properties/verdict.h"
#include "scenarios/measures.h"
#include "scenarios/promises.h"
#include "scenarios/scenario.h"
#include "sim/trace.h"

namespace picklock::scenarios {

struct FiredFault {
  std::uint32_t fault = 0;     // index into the plan
  sim::Instant at{};           // when it fired
  std::string_view in_vain{};  // why it changed nothing; empty: it changed something
  bool healed = false;         // it was over before its end, which changed nothing
};

// How a program ended by itself.
struct ProgramEnd {
  std::string process;
  std::string how;           // "ended with exit status 1"
  std::string output;        // its last line; empty: none
  std::int64_t printed = 0;  // bytes
};

struct Run {
  Scenario scenario;  // as it was run, with the twin's change and `--set` applied
  std::uint64_t seed = 1;
  std::uint64_t digest = 0;
  std::uint64_t events = 0;
  sim::Instant ended{};
  history::History history;
  sim::Trace trace;  // empty unless asked for
  properties::Verdicts verdicts;
  FaultClasses met;                    // classes of the faults it meets
  Promises promised;                   // of each property, under these classes
  Duration patience{};                 // from the last disturbance to the horizon
  std::vector<std::string> processes;  // names by ProcessId
  std::uint32_t outside = 0;           // so many of them, the first, are clients outside
  std::vector<std::string> keys;       // names by KeyId; the lock's is the first
  std::vector<FiredFault> fired;       // in order of time, one entry per fault that fired
  LongestWait longest_wait;
  LongestIdle longest_idle;
  Wakeups wakeups;
  std::vector<Property> unseen;  // what cannot be judged, because the clients are programs
  std::vector<ProgramEnd> ends;  // in the order of processes, if the clients are programs
  std::vector<std::string>
      data;                  // keys that were changed in a run with programs and that are no lock's
  std::uint32_t grants = 0;  // tenures that learned that they have the lock
  std::vector<std::string>
      steps_reached;  // "client-1 acquire.sent x3", for a fault that did not fire

  std::optional<std::string> twin;     // "lock.algorithm = lua-check-delete" if this run is a twin
  std::vector<std::string> surprises;  // every difference from what is expected, one sentence each
  bool as_expected() const { return surprises.empty(); }
};

struct Outcome {
  Run run;
  std::vector<Run> twins;
  bool as_expected() const {
    if (!run.as_expected()) return false;
    for (const Run& twin : twins) {
      if (!twin.as_expected()) return false;
    }
    return true;
  }
};

}  // namespace picklock::scenarios
