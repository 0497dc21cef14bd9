#include "explore/difference.h"

#include <gtest/gtest.h>

#include "scenarios/shipped.h"
#include "scenarios/world.h"

namespace picklock::explore {
namespace {

class DifferenceTest : public ::testing::Test {
 protected:
  DifferenceTest() {
    scenario_ = scenarios::shipped::document("plain/lua-check-delete")
                    .scenario(scenarios::shipped_vocabulary());
    world_.set(scenario_);
  }
  sim::Trace traced(std::uint64_t seed) {
    world_.run(seed, true);
    return world_.trace();
  }

  scenarios::Scenario scenario_;
  scenarios::World world_;
};

TEST_F(DifferenceTest, IsNoneBetweenTwoRunsOfOneSeed) {
  const sim::Trace one = traced(1);
  EXPECT_EQ(first_difference(one, traced(1), world_.processes()), "");
}

TEST_F(DifferenceTest, NamesTheFirstEventThatIsAnother) {
  const sim::Trace one = traced(1);
  const std::string told = first_difference(one, traced(2), world_.processes());
  EXPECT_NE(told.find(" is first client-1 sent message 1 to redis-1, `SET lock:order-42 "),
            std::string::npos)
      << told;
  EXPECT_NE(told.find(" at 0s, then client-1 sent message 1 to redis-1"), std::string::npos)
      << told;
}

TEST_F(DifferenceTest, SeesThatOneEndsEarlier) {
  const sim::Trace one = traced(1);
  sim::Trace other = one;
  other.records.pop_back();
  EXPECT_NE(first_difference(one, other, world_.processes()).find("then the end of the run"),
            std::string::npos);
}

}  // namespace
}  // namespace picklock::explore
