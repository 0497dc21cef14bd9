#include "explore/run_memory.h"

#include <gtest/gtest.h>

#include "scenarios/shipped.h"

namespace picklock::explore {
namespace {

using namespace std::chrono_literals;

scenarios::Scenario scenario() {
  return scenarios::shipped::document("ttl-expiry-blind-delete").scenario(scenarios::shipped_vocabulary());
}

const RunMemory::Result kResult{
    .events = 7, .counts = true, .shown = {{.property = Property::own_release}}};

TEST(RunMemory, KnowsARunOfAnEqualScenario) {
  RunMemory memory;
  memory.keep(scenario(), kResult, 1s);
  const RunMemory::Result* const known = memory.find(scenario());
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->events, 7u);
  EXPECT_TRUE(known->counts);
  EXPECT_EQ(known->shown, kResult.shown);
}

TEST(RunMemory, KnowsNoOtherRun) {
  RunMemory memory;
  EXPECT_EQ(memory.find(scenario()), nullptr);
  memory.keep(scenario(), kResult, 1s);
  scenarios::Scenario other = scenario();
  ++other.seed;
  EXPECT_EQ(memory.find(other), nullptr);
  other = scenario();
  other.faults.clear();
  EXPECT_EQ(memory.find(other), nullptr);
}

TEST(RunMemory, MakesAShortRunAgain) {
  RunMemory memory;
  memory.keep(scenario(), kResult, 1ms);
  EXPECT_EQ(memory.find(scenario()), nullptr);
}

}  // namespace
}  // namespace picklock::explore
