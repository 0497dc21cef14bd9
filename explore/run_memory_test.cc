#include "explore/run_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "scenarios/shipped.h"

namespace picklock::explore {
namespace {

scenarios::Scenario scenario() {
  return scenarios::shipped::document("ttl-expiry-blind-delete")
      .scenario(scenarios::shipped_vocabulary());
}

// How often a run is made, of those that are asked for.
class Runner {
 public:
  explicit Runner(useconds_t length) : length_(length) {}

  RunMemory::Result run(const scenarios::Scenario& one) {
    return memory_.result(one, [this] {
      usleep(length_);
      ++made;
      return RunMemory::Result{
          .events = 7, .counts = true, .shown = {{.property = Property::own_release}}};
    });
  }

  int made = 0;

 private:
  useconds_t length_;
  RunMemory memory_;
};

TEST(RunMemory, KnowsALongRunOfAnEqualScenario) {
  Runner runner(5000);
  const RunMemory::Result first = runner.run(scenario());
  const RunMemory::Result second = runner.run(scenario());
  EXPECT_EQ(runner.made, 1);
  EXPECT_EQ(second.events, 7u);
  EXPECT_TRUE(second.counts);
  EXPECT_EQ(second.shown, first.shown);
}

TEST(RunMemory, KnowsNoOtherRun) {
  Runner runner(5000);
  runner.run(scenario());
  scenarios::Scenario other = scenario();
  ++other.seed;
  runner.run(other);
  other = scenario();
  other.faults.clear();
  runner.run(other);
  EXPECT_EQ(runner.made, 3);
}

}  // namespace
}  // namespace picklock::explore
