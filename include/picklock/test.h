// A lock's test: a class of your own, a scenario of clients that contend for it, and a search for
// faults that break its promises. The test fails with the story of the shortest run that breaks
// one, and with the command that shows it again.
//
//   TEST(MyLock, KeepsItsPromises) {
//     auto scenario = picklock::contention<MyLock>({.clients = 3, .ttl = 10s, .hold = 4s});
//     EXPECT_CLEAN(picklock::search(scenario, {.runs = 200}));
//   }
//
//   TEST(MyLock, SurvivesAStory) {
//     EXPECT_AS_EXPECTED(picklock::run(picklock::Scenario::from_text(kStory)));
//   }
//
//   RC_GTEST_PROP(MyLock, ExcludesBesideACrash, ()) {
//     static const auto scenarios = picklock::arbitrary(
//         picklock::contention<MyLock>(), {.classes = {picklock::FaultClass::crash}, .most = 2});
//     const picklock::Scenario scenario = *scenarios;
//     RC_ASSERT(!picklock::run(scenario).violated(picklock::Property::mutual_exclusion));
//   }
//
// The property test also includes <rapidcheck/gtest.h>, and a lock on another server than Redis
// includes the header of that server. BadInput is thrown through the test, which then fails with
// its line.
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <ostream>
#include <utility>

#include "picklock/client.h"
#include "picklock/lock.h"
#include "picklock/scenario.h"

#if __has_include(<rapidcheck.h>)
#include <rapidcheck.h>
#endif

namespace picklock {

namespace detail {

inline ::testing::AssertionResult is_clean(const char* /*expression*/, const SearchResult& result) {
  // A skip ends the function that calls it.
  const auto skip = [&result] { GTEST_SKIP() << result.text; };
  switch (result.outcome) {
    case SearchResult::Outcome::clean:
      std::cout << result.text;  // what else broke, and within which bounds nothing did
      return ::testing::AssertionSuccess() << result.text;
    case SearchResult::Outcome::skipped:
      skip();
      return ::testing::AssertionSuccess();
    case SearchResult::Outcome::violated:
    case SearchResult::Outcome::vacuous:
      break;
  }
  return ::testing::AssertionFailure() << result.text;
}

inline ::testing::AssertionResult is_as_expected(const char* /*expression*/,
                                                 const RunResult& result) {
  if (result.as_expected()) return ::testing::AssertionSuccess();
  ::testing::AssertionResult failure = ::testing::AssertionFailure();
  for (const std::string& surprise : result.surprises) failure << surprise << '\n';
  return failure << '\n' << result.text;
}

}  // namespace detail

// RapidCheck and GoogleTest show a scenario as the text of its file.
inline void showValue(const Scenario& scenario, std::ostream& out) { out << scenario.text(); }
inline void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.text(); }

#if __has_include(<rapidcheck.h>)

namespace detail {

class Shrinks {
 public:
  explicit Shrinks(const Scenario& scenario) : simpler_(scenario) {}
  rc::Maybe<Scenario> operator()() {
    if (std::optional<Scenario> one = simpler_.next()) return *std::move(one);
    return rc::Nothing;
  }

 private:
  Simpler simpler_;
};

}  // namespace detail

// Scenarios like `base` with faults drawn for them, each with a seed of its own. They shrink as the
// counterexamples of a search do. Draw before the run and assert after it: a lock may do neither.
inline rc::Gen<Scenario> arbitrary(const Scenario& base, const Faults& faults = {}) {
  const FaultDraws draws(base, faults);
  return rc::Gen<Scenario>([draws](rc::Random random, int /*size*/) {
    return rc::shrinkable::shrinkRecur(draws.draw(random.next()), [](const Scenario& scenario) {
      return rc::makeSeq<detail::Shrinks>(scenario);
    });
  });
}

#endif

}  // namespace picklock

// Expects of a picklock::SearchResult that nothing was violated, and that something was tried.
#define EXPECT_CLEAN(result) EXPECT_PRED_FORMAT1(::picklock::detail::is_clean, result)

// Expects of a picklock::RunResult that the run and its twins had the results of the table
// [expect].
#define EXPECT_AS_EXPECTED(result) EXPECT_PRED_FORMAT1(::picklock::detail::is_as_expected, result)
