// A lock's test in GoogleTest: a class of one's own, a scenario of clients that contend for it, and
// a search for faults that break what it promises. It fails with the story of the shortest run that
// does, and with the command that tells it again.
//
//   TEST(MyLock, KeepsItsPromises) {
//     auto scenario = scenarios::contention<MyLock>({.clients = 3, .ttl = 10s, .hold = 4s});
//     EXPECT_CLEAN(explore::random(scenario, {.runs = 10'000}));
//   }
//
// The runs are made in the test's own process: a lock that crashes, or loops without asking
// anything of its client, takes the test with it.
#pragma once

#include <gtest/gtest.h>

#include <iostream>

#include "explore/trial.h"
#include "picklock/lock.h"
#include "scenarios/own_lock.h"

namespace picklock::explore {

inline testing::AssertionResult is_clean(const char* /*expression*/, const Trial& trial) {
  // A skip ends the function that says it.
  const auto skip = [&trial] { GTEST_SKIP() << trial.letter; };
  switch (trial.outcome) {
    case Trial::Outcome::clean:
      if (trial.replayed) std::cout << trial.letter;
      return testing::AssertionSuccess() << trial.letter;
    case Trial::Outcome::skipped:
      skip();
      return testing::AssertionSuccess();
    case Trial::Outcome::violated:
    case Trial::Outcome::vacuous:
      break;
  }
  return testing::AssertionFailure() << trial.letter;
}

}  // namespace picklock::explore

// Expects of the result of explore::random that no property that the lock answers for was violated.
#define EXPECT_CLEAN(trial) EXPECT_PRED_FORMAT1(::picklock::explore::is_clean, trial)
