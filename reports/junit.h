// Runs of scenarios as JUnit XML, for CI systems: a suite for each scenario, whose cases are its
// own run and those of its twins. A case fails if its run is not as the file expects: it says in
// which ways, how to repeat it, and the suite tells the story of the scenario's own run.
#pragma once

#include <string>
#include <vector>

#include "scenarios/run.h"

namespace picklock::reports {

class Junit {
 public:
  // `repeat_command`: how to repeat the run.
  void add(const scenarios::Outcome& outcome, const std::string& repeat_command);

  std::string document() const;

 private:
  struct Case {
    std::string name;
    std::string algorithm;
    std::string digest;
    std::vector<std::string> surprises;
  };
  struct Suite {
    std::string name;
    std::string title;
    std::string source;
    std::uint64_t seed = 0;
    std::string repeat_command;
    std::string story;  // where a case fails
    std::vector<Case> cases;
    std::size_t failures = 0;
  };
  static Case case_of(const scenarios::Run& run);

  std::vector<Suite> suites_;
};

}  // namespace picklock::reports
