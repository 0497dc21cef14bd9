#include "compare/measures.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace picklock::compare {
namespace {

using namespace std::chrono_literals;

Sighting sighting(bool broken, std::uint32_t faults, std::uint64_t run) {
  return {.broken = broken,
          .faults = faults,
          .run = run,
          .violation = {
              .property = Property::own_release, .role = Role::check, .other = Role::acquire}};
}

Measures some() {
  Measures measures;
  measures.made = 10;
  measures.idle = 1;
  measures.cut_short = 2;
  measures.crashed = 3;
  measures.faults = 14;
  measures.left_out = 5;
  measures.unsafe = 4;
  measures.asked = 60;
  measures.granted = 57;
  measures.properties[3] = {.violations = 4, .broken = 1, .smallest = sighting(true, 2, 7)};
  measures.price.latency.count(3ms);
  measures.price.free.count(2ms);
  measures.price.handover.count(90ms);
  measures.price.wakeups = 8;
  measures.price.releases = 6;
  measures.price.overtaking = 2;
  measures.price.grants = 6;
  measures.price.messages = 120;
  measures.price.commands = 60;
  measures.recovery.count(5s);
  measures.never_recovered = 1;
  return measures;
}

TEST(Measures, AreReadAsTheyWereWritten) {
  const nlohmann::ordered_json written = to_json(some());
  EXPECT_EQ(to_json(measures_from(nlohmann::ordered_json::parse(written.dump()))), written);
  const Measures read = measures_from(written);
  EXPECT_EQ(read.counted(), 4U);
  EXPECT_EQ(read.properties[3].smallest, some().properties[3].smallest);
  EXPECT_EQ(read.price.handover.quantile(50), some().price.handover.quantile(50));
}

TEST(Measures, AddUpInAnyOrder) {
  Measures other = some();
  other.properties[3].smallest = sighting(true, 1, 9);
  other.price.overtaking = 5;
  Measures one = some();
  one.add(other);
  Measures turned = other;
  turned.add(some());
  EXPECT_EQ(to_json(one), to_json(turned));
  EXPECT_EQ(one.made, 20U);
  EXPECT_EQ(one.price.overtaking, 5U);
  EXPECT_EQ(one.properties[3].smallest, sighting(true, 1, 9));
}

TEST(Measures, KeepTheSightingThatNeedsTheFewestFaults) {
  EXPECT_LT(sighting(false, 1, 9), sighting(false, 2, 3));
  EXPECT_LT(sighting(false, 1, 3), sighting(false, 1, 9));
}

TEST(Measures, KeepABrokenPromiseBeforeAnythingElse) {
  EXPECT_LT(sighting(true, 3, 900), sighting(false, 1, 0));
}

// Figures of Wilson's formula worked out by hand: (h + z²/2 ± z √(h (n-h)/n + z²/4)) / (n + z²).
TEST(Wilson, IsTheIntervalOfItsFormula) {
  const Interval half = wilson_95(5, 10);
  EXPECT_NEAR(half.low, 0.23659, 1e-5);
  EXPECT_NEAR(half.high, 0.76341, 1e-5);
  const Interval few = wilson_95(3, 1000);
  EXPECT_NEAR(few.low, 0.00102, 1e-5);
  EXPECT_NEAR(few.high, 0.00878, 1e-5);
}

TEST(Wilson, GivesAnUpperBoundWhereNothingWasSeen) {
  EXPECT_EQ(wilson_95(0, 500).low, 0);
  EXPECT_NEAR(wilson_95(0, 500).high, 3.8414588 / (500 + 3.8414588), 1e-9);
  EXPECT_EQ(wilson_95(500, 500).high, 1);
}

TEST(Wilson, KnowsNothingOfNoRuns) {
  EXPECT_EQ(wilson_95(0, 0).low, 0);
  EXPECT_EQ(wilson_95(0, 0).high, 1);
}

}  // namespace
}  // namespace picklock::compare
