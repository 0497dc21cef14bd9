#include "explore/safety_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "explore/safety_table_page.h"
#include "explore/safety_table_search.h"

namespace picklock::explore {
namespace {

TEST(SafetyTable, HasARowForEveryLockThatTheFactsName) {
  std::set<std::string_view> rows;
  for (const Configuration& one : safety_table()) rows.insert(one.row);
  EXPECT_EQ(rows.size(), 15U);
}

TEST(SafetyTable, SaysOnWhatEverySafeCellIsSafe) {
  for (const Configuration& one : safety_table()) {
    for (const Cell& cell : one.cells)
      EXPECT_EQ(cell.reach == Reach::safe, !cell.premise.empty())
          << one.row << ", " << one.condition << ": " << name(cell.faults);
  }
}

TEST(SafetyTable, BoundsEveryOutageAndNothingElse) {
  for (const table::Case& one : table::cases()) {
    const Wait& wait = one.cell->wait;
    const bool bounded = one.cell->stuck == Stuck::bounded;
    EXPECT_EQ(bounded, wait.low > Duration::zero()) << table::test_name(one);
    EXPECT_EQ(bounded, wait.high > wait.low) << table::test_name(one);
    EXPECT_LE(one.cell->shortest, one.cell->most) << table::test_name(one);
    EXPECT_EQ(one.cell->fenced, Reach::safe) << table::test_name(one);
  }
}

TEST(SafetyTable, CallsNoTwoClaimsTheSame) {
  std::set<std::string> names;
  for (const table::Case& one : table::cases())
    EXPECT_TRUE(names.insert(table::test_name(one)).second) << table::test_name(one);
}

TEST(SafetyTable, IsThePageInTheDocumentation) {
  constexpr const char* kPage = "docs/safety-table.md";
  if (std::getenv("PICKLOCK_UPDATE") != nullptr) std::ofstream(kPage) << safety_table_page();
  std::ifstream in(kPage);
  std::stringstream page;
  page << in.rdbuf();
  EXPECT_EQ(page.str(), safety_table_page())
      << kPage << " is not what the table says; run this test with PICKLOCK_UPDATE=1 to rewrite it";
}

// In short, and where a run is cheap; at length in safety_table_search_test.cc.
TEST(SafetyTable, IsTrueOfTheLocksOnOneServer) {
  for (const table::Case& one : table::cases()) {
    const scenarios::Scenario scenario = table::scenario(one);
    const scenarios::RedisSpec& redis = scenario.servers.redis;
    const bool cheap = redis.masters == 1 && redis.sentinels == 0 &&
                       scenarios::lock_server(scenario) == LockServer::redis;
    if (one.claim == table::Claim::wait || !cheap) continue;
    SCOPED_TRACE(table::test_name(one));
    const bool safe = one.reach() == Reach::safe;
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      Search search(scenario, table::options(one, seed));
      const Find* find = table::first_find(search, safe ? 50 : 20'000);
      EXPECT_EQ(find == nullptr, safe) << (find != nullptr ? find->text : "");
    }
  }
}

// The class of a cell strikes there.
TEST(SafetyTable, CanBeRunInEveryConfiguration) {
  for (const table::Case& one : table::cases()) {
    if (one.claim != table::Claim::reach) continue;
    SCOPED_TRACE(table::test_name(one));
    SearchOptions options = table::options(one, 1);
    options.properties = {Property::no_deadlock};
    Search search(table::scenario(one), options);
    table::first_find(search, 30);
    EXPECT_GT(search.tally().fired_of[static_cast<std::size_t>(one.cell->faults)], 10U);
  }
}

}  // namespace
}  // namespace picklock::explore
