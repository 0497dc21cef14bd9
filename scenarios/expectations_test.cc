#include "scenarios/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/runner.h"
#include "testing/sample_scenario.h"

namespace picklock::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> surprises_of(const std::string& more, Demands demands = {}) {
  const Scenario scenario = parse("format = 1\n[lock]\nalgorithm = 'lua-check-delete'\n" + more,
                                  "x", shipped_vocabulary());
  World world;
  world.set(scenario);
  world.run(1);
  return surprises(world, demands);
}

TEST(Expectations, AreTotal) {
  EXPECT_THAT(surprises_of("[expect]\nviolated = []\n"), IsEmpty());
  EXPECT_THAT(surprises_of("[expect]\nviolated = ['own-release']\n"),
              ElementsAre("own-release was expected to be violated but holds"));
  EXPECT_THAT(surprises_of("ttl = '3s'\n[clients]\ncount = 1\n[expect]\nviolated = []\n"),
              ElementsAre("loss-noticed was expected to hold but is violated"));
}

TEST(Expectations, MissAFaultThatDidNotFire) {
  EXPECT_THAT(surprises_of("[[fault]]\npause = 'client-1'\nbefore = 'release.sent'\nnth = 2\n"
                           "for = '1s'\n"),
              ElementsAre("fault 1 did not fire"));
}

TEST(Expectations, BoundTheLongestWaitFromBothSides) {
  const std::string two = "[clients]\ncount = 2\narrive_every = '0s'\nhold = '2s'\n";
  EXPECT_THAT(surprises_of(two + "[expect]\nlongest_wait = ['1.9s', '2.2s']\n"), IsEmpty());
  EXPECT_EQ(surprises_of(two + "[expect]\nlongest_wait = ['0s', '1s']\n").size(), 1u);
  EXPECT_EQ(surprises_of(two + "[expect]\nlongest_wait = ['5s', '9s']\n").size(), 1u);
}

TEST(Expectations, DemandOfATwinThatItWasContended) {
  const std::string apart = "[clients]\ncount = 2\narrive_every = '9s'\n";
  EXPECT_THAT(surprises_of(apart), IsEmpty());
  EXPECT_THAT(
      surprises_of(apart, {.contention = true}),
      ElementsAre(
          "fewer than two grants were contended, so the twin would be safe by accident: it needs "
          "a larger clients.count, clients.cycles or clients.hold"));
  EXPECT_THAT(surprises_of("[clients]\ncount = 2\n", {.contention = true}), IsEmpty());
}

TEST(Expectations, LookAtADigestOnlyWhereItCounts) {
  const std::string wrong = "[expect]\ndigest = '00000000deadbeef'\n";
  EXPECT_THAT(surprises_of(wrong), IsEmpty());
  EXPECT_EQ(surprises_of(wrong, {.digest = true}).size(), 1u);
}

}  // namespace
}  // namespace picklock::scenarios
