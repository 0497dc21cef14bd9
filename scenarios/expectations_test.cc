#include "scenarios/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/runner.h"
#include "scenarios/sample.h"

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;
using sim::HistoryEvent;
using sim::What;
using testing::ElementsAre;
using testing::IsEmpty;

sim::History history(std::initializer_list<HistoryEvent> events) { return events; }

HistoryEvent of(sim::TenureId tenure, What what, Duration at, sim::ProcessId process = 0) {
  return {.at = sim::kStart + at, .what = what, .process = process, .tenure = tenure};
}

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
              ElementsAre("own-release was expected to be violated and holds"));
  EXPECT_THAT(surprises_of("ttl = '3s'\n[clients]\ncount = 1\n[expect]\nviolated = []\n"),
              ElementsAre("loss-noticed was expected to hold and is violated"));
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
  EXPECT_THAT(surprises_of(apart, {.contention = true}),
              ElementsAre("fewer than two grants were contended: it would be safe by accident"));
  EXPECT_THAT(surprises_of("[clients]\ncount = 2\n", {.contention = true}), IsEmpty());
}

TEST(Expectations, LookAtADigestOnlyWhereItCounts) {
  const std::string wrong = "[expect]\ndigest = '00000000deadbeef'\n";
  EXPECT_THAT(surprises_of(wrong), IsEmpty());
  EXPECT_EQ(surprises_of(wrong, {.digest = true}).size(), 1u);
}

TEST(LongestWait, IsThatOfAnAnswerOrOfTheEndButNotOfTheDead) {
  const auto answered = history({of(1, What::acquire_invoked, 0s), of(1, What::acquire_ok, 2s)});
  EXPECT_EQ(longest_wait(answered, sim::kStart + 9s).length, 2s);
  const auto open = history({of(1, What::acquire_invoked, 1s, 4)});
  EXPECT_EQ(longest_wait(open, sim::kStart + 9s).length, 8s);
  EXPECT_EQ(longest_wait(open, sim::kStart + 9s).process, 4u);
  const auto dead =
      history({of(1, What::acquire_invoked, 1s, 4), of(0, What::process_crashed, 3s, 4)});
  EXPECT_EQ(longest_wait(dead, sim::kStart + 9s).length, 0s);
}

TEST(ContendedGrants, AreThoseThatOverlapAnotherTenure) {
  const auto apart = history({of(1, What::acquire_invoked, 0s), of(1, What::acquire_ok, 1s),
                              of(1, What::release_ok, 2s), of(2, What::acquire_invoked, 3s),
                              of(2, What::acquire_ok, 4s)});
  EXPECT_EQ(contended_grants(apart), 0u);
  const auto waiting = history({of(1, What::acquire_invoked, 0s), of(1, What::acquire_ok, 1s),
                                of(2, What::acquire_invoked, 2s), of(1, What::release_ok, 3s),
                                of(2, What::acquire_ok, 4s)});
  EXPECT_EQ(contended_grants(waiting), 2u);
  const auto refused = history({of(1, What::acquire_invoked, 0s), of(1, What::acquire_ok, 1s),
                                of(2, What::acquire_invoked, 2s), of(2, What::acquire_failed, 3s)});
  EXPECT_EQ(contended_grants(refused), 1u);
}

TEST(ContendedGrants, AreNotThoseThatOnlyTheirOwnNestedAcquiresContend) {
  const auto nested = history({of(1, What::acquire_invoked, 0s), of(1, What::acquire_ok, 1s),
                               of(1, What::acquire_invoked, 2s), of(1, What::acquire_ok, 3s),
                               of(1, What::release_ok, 4s)});
  EXPECT_EQ(contended_grants(nested), 0u);
  sim::History behind = nested;
  behind.push_back(of(2, What::acquire_invoked, 5s));
  behind.push_back(of(1, What::release_ok, 6s));
  behind.push_back(of(2, What::acquire_ok, 7s));
  EXPECT_EQ(contended_grants(behind), 2u);
}

}  // namespace
}  // namespace picklock::scenarios
