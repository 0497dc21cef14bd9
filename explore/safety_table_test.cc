#include "explore/safety_table.h"

#include <gtest/gtest.h>

#include <set>

#include "explore/search.h"

namespace picklock::explore {
namespace {

TEST(SafetyTable, HasARowForEveryLockOnRedisThatTheFactsName) {
  std::set<std::string_view> rows;
  for (const Configuration& one : safety_table()) rows.insert(one.row);
  EXPECT_EQ(rows.size(), 9U);
}

TEST(SafetyTable, SaysOnWhatEverySafeCellIsSafe) {
  for (const Configuration& one : safety_table()) {
    for (const Cell& cell : one.cells)
      EXPECT_EQ(cell.reach == Reach::safe, !cell.premise.empty())
          << one.row << ", " << one.condition << ": " << name(cell.faults);
  }
}

// The class of a cell strikes there, with fencing and without.
TEST(SafetyTable, CanBeRunInEveryConfiguration) {
  for (const Configuration& one : safety_table()) {
    for (const bool fenced : {false, true}) {
      const scenarios::Scenario scenario = scenario_of(one, fenced, "scenarios");
      for (const Cell& cell : one.cells) {
        SCOPED_TRACE(std::string(one.row) + ", " + std::string(one.condition) + ": " +
                     std::string(name(cell.faults)));
        Search search(scenario, {.faults = {.classes = {cell.faults}, .most = cell.most},
                                 .all_classes = false,
                                 .properties = {Property::no_deadlock}});
        while (search.tally().runs < 30 && !search.find()) search.run_next();
        EXPECT_GT(search.tally().fired_of[static_cast<std::size_t>(cell.faults)], 10U);
      }
    }
  }
}

}  // namespace
}  // namespace picklock::explore
