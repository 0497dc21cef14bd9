// Runs of scenarios as JUnit XML, for CI systems: a suite for each scenario, whose cases are its
// own run and the runs of its twins. A case fails if its run is not as the file expects: it says in
// which ways and how to repeat the run, and the suite has the timeline. A scenario that could not
// be run is a suite whose case is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/run.h"

namespace picklock::reports {

class Junit {
 public:
  // `repeat_command`: how to repeat the run. `seconds`: wall time of the run and of each twin's, in
  // this order; empty: not measured.
  void add(const scenarios::Outcome& outcome, const std::string& repeat_command,
           const std::vector<double>& seconds = {});

  // A run that no scenario file expects anything of.
  struct FreeRun {
    std::string suite;
    std::string name;
    std::vector<std::string> violations;  // a sentence each
    std::string story;
    double seconds = 0;  // wall time
    std::string virtual_time;
  };
  void add_run(const FreeRun& run);

  // `kind`: what went wrong, in a word or two, such as "cut off".
  void add_error(const std::string& scenario, const std::string& kind, const std::string& problem);

  std::string document() const;

 private:
  struct Case {
    std::string name;
    std::string algorithm;
    std::string digest;
    std::vector<std::string> surprises;
    double seconds = 0;
    std::string error_kind;  // empty: it was run
    std::string error;
  };
  struct Suite {
    std::string name;
    std::string title;
    std::string source;
    std::optional<std::uint64_t> seed;  // none: it was not run
    std::string virtual_time{};         // of a run without a scenario file
    std::string repeat_command;
    std::string story;  // where a case fails
    std::vector<Case> cases;
  };
  // The attributes of a suite, or of all suites.
  struct Counts {
    std::size_t tests = 0;
    std::size_t failures = 0;
    std::size_t errors = 0;
    double seconds = 0;
    void add(const Case& one);
  };
  static Case case_of(const scenarios::Run& run);

  std::vector<Suite> suites_;
};

}  // namespace picklock::reports
