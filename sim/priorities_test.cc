#include "sim/priorities.h"

#include <gtest/gtest.h>

#include <set>

namespace picklock::sim {
namespace {

using namespace std::chrono_literals;

TEST(Priorities, GiveEachDirectionItsPartOfTheSlack) {
  Priorities priorities;
  priorities.set(1, {});
  std::set<Duration> parts;
  for (std::size_t direction = 0; direction < 20; ++direction) {
    const Duration part = priorities.part_of(1s, direction, direction);
    EXPECT_GE(part, 0s);
    EXPECT_LT(part, 1s);
    EXPECT_EQ(priorities.part_of(1s, direction, direction), part);
    EXPECT_EQ(priorities.part_of(2s, direction, direction) / 2, part);
    parts.insert(part);
  }
  EXPECT_EQ(parts.size(), 20u);
  EXPECT_EQ(priorities.directions(), 20u);
  EXPECT_EQ(priorities.messages(), 60u);
}

TEST(Priorities, AreOthersWithAnotherNumber) {
  Priorities one;
  Priorities other;
  one.set(1, {});
  other.set(2, {});
  EXPECT_NE(one.part_of(1s, 0, 5), other.part_of(1s, 0, 5));
}

// The later a priority falls, the lower it falls.
TEST(Priorities, FallBelowAllThatAreDrawn) {
  Priorities priorities;
  priorities.set(1, {3, 4});
  const Duration first = priorities.part_of(1s, 0, 0);
  const Duration second = priorities.part_of(1s, 1, 1);
  const Duration fallen = priorities.part_of(1s, 0, 0);
  const Duration fallen_later = priorities.part_of(1s, 1, 1);
  EXPECT_LE(first, 334ms);
  EXPECT_LE(second, 334ms);
  EXPECT_GT(fallen, 500ms);
  EXPECT_GT(fallen_later, fallen);
  EXPECT_LE(fallen_later, 1s);
  EXPECT_EQ(priorities.part_of(1s, 0, 0), fallen);
}

}  // namespace
}  // namespace picklock::sim
