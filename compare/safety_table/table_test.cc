#include "compare/safety_table/table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "compare/safety_table/page.h"
#include "models/redis/spec.h"
#include "models/servers/kind.h"
#include "picklock/redis.h"
#include "testing/safety_table_search.h"
#include "testing/whole.h"

namespace picklock::compare::safety_table {
namespace {

using explore::Find;
using explore::Search;
using explore::SearchOptions;

TEST(SafetyTable, HasARowForEveryLockThatTheFactsName) {
  std::set<std::string_view> rows;
  for (const Configuration& one : configurations()) rows.insert(one.row);
  EXPECT_EQ(rows.size(), 15U);
}

TEST(SafetyTable, SaysOnWhatEverySafeCellIsSafe) {
  for (const Configuration& one : configurations()) {
    for (const Cell& cell : one.cells)
      EXPECT_EQ(cell.reach == Reach::safe, !cell.premise.empty())
          << one.row << ", " << one.condition << ": " << name(cell.faults);
  }
}

TEST(SafetyTable, BoundsEveryOutageAndNothingElse) {
  for (const claims::Case& one : claims::cases()) {
    const Wait& wait = one.cell->wait;
    const bool bounded = one.cell->stuck == Stuck::bounded;
    EXPECT_EQ(bounded, wait.low > Duration::zero()) << claims::test_name(one);
    EXPECT_EQ(bounded, wait.high > wait.low) << claims::test_name(one);
    EXPECT_LE(one.cell->shortest, one.cell->most) << claims::test_name(one);
    EXPECT_EQ(one.cell->fenced, Reach::safe) << claims::test_name(one);
  }
}

TEST(SafetyTable, CallsNoTwoClaimsTheSame) {
  std::set<std::string> names;
  for (const claims::Case& one : claims::cases())
    EXPECT_TRUE(names.insert(claims::test_name(one)).second) << claims::test_name(one);
}

TEST(SafetyTable, SaysOfEverySafeClaimHowFarItIsDecided) {
  std::size_t safe = 0;
  for (const claims::Case& one : claims::cases()) {
    if (one.claim == claims::Claim::wait) continue;
    const bool fenced = one.claim == claims::Claim::fenced;
    const Decided* far = decided(*one.configuration, *one.cell, fenced);
    EXPECT_EQ(far != nullptr, one.reach() == Reach::safe) << claims::test_name(one);
    if (far == nullptr) continue;
    ++safe;
    EXPECT_GE(far->faults, 1U) << claims::test_name(one);
  }
  EXPECT_EQ(decided().size(), safe) << "some are no claims of the table";
}

// Sanitizers make a run so slow that some of the cases have to do.
bool is_left_out(std::size_t number) { return tests_are_short() && number % 5 != 0; }

// All of them at length in search_test.cc.
TEST(SafetyTable, DecidesAgainWhatIsDecidedByFewPlans) {
  const std::uint64_t few = shortened(1'500, 400);
  std::size_t number = 0;
  for (const claims::Case& one : claims::cases()) {
    if (one.claim == claims::Claim::wait) continue;
    const Decided* far = decided(*one.configuration, *one.cell, one.claim == claims::Claim::fenced);
    if (far == nullptr || far->plans > few || is_left_out(number++)) continue;
    SCOPED_TRACE(claims::test_name(one));
    const auto [found, find] = claims::every_plan(one);
    EXPECT_EQ(find, "");
    EXPECT_EQ(found.most, far->faults);
    EXPECT_EQ(found.plans, far->plans);
  }
  EXPECT_GT(number, 0U);
}

TEST(SafetyTable, IsThePageInTheDocumentation) {
  constexpr const char* kPage = "docs/safety-table.md";
  if (std::getenv("PICKLOCK_UPDATE") != nullptr) std::ofstream(kPage) << page();
  std::ifstream in(kPage);
  std::stringstream written;
  written << in.rdbuf();
  EXPECT_EQ(written.str(), page())
      << kPage << " is not what the table says; run this test with PICKLOCK_UPDATE=1 to rewrite it";
}

// In short, and where a run is cheap; at length in search_test.cc.
TEST(SafetyTable, IsTrueOfTheLocksOnOneServer) {
  std::size_t number = 0;
  for (const claims::Case& one : claims::cases()) {
    if (is_left_out(number++)) continue;
    const scenarios::Scenario scenario = claims::scenario(one);
    const redis::Spec& redis = scenario.servers.of<redis::Spec>();
    const bool cheap = redis.masters == 1 && redis.sentinels == 0 &&
                       scenarios::lock_server(scenario).server == redis::kServer;
    if (one.claim == claims::Claim::wait || !cheap) continue;
    SCOPED_TRACE(claims::test_name(one));
    const bool safe = one.reach() == Reach::safe;
    Search search(scenario, claims::options(one, 1));
    const Find* find = claims::first_find(search, safe ? 50 : 20'000);
    EXPECT_EQ(find == nullptr, safe) << (find != nullptr ? find->text : "");
  }
}

// The class of a cell strikes there.
TEST(SafetyTable, CanBeRunInEveryConfiguration) {
  std::size_t number = 0;
  for (const claims::Case& one : claims::cases()) {
    if (one.claim != claims::Claim::reach || is_left_out(number++)) continue;
    SCOPED_TRACE(claims::test_name(one));
    SearchOptions options = claims::options(one, 1);
    options.properties = {Property::no_deadlock};
    Search search(claims::scenario(one), options);
    claims::first_find(search, 30);
    EXPECT_GT(search.tally().fired_of[static_cast<std::size_t>(one.cell->faults)], 10U);
  }
}

}  // namespace
}  // namespace picklock::compare::safety_table
