// The outcomes of real servers are those that outcomes.txt allows, and those that simulated ones
// show under some seed. PICKLOCK_LONG: also the slow situations, and each several times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "conform/redis/outcomes/real_side.h"
#include "conform/redis/outcomes/simulated_side.h"
#include "conform/redis/outcomes/situations.h"
#include "testing/conform/situation_names.h"

namespace picklock::conform::redis::outcomes {

static void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.title; }

namespace {

const std::map<std::string, Allowed>& allowed() {
  static const std::map<std::string, Allowed> all = [] {
    std::ifstream file("conform/redis/outcomes/outcomes.txt");
    return Allowed::read(std::string(std::istreambuf_iterator<char>(file), {}));
  }();
  return all;
}

std::vector<Situation> situations_to_run() {
  std::vector<Situation> all = all_situations();
  if (!at_length()) std::erase_if(all, [](auto& one) { return one.slow; });
  return all;
}

// Fails the test if there is no server.
Outcome outcome_of(const Situation& situation) {
  try {
    RealSide side;
    return run(situation, side);
  } catch (const NoServer& none) {
    ADD_FAILURE() << none.what();
    return {};
  }
}

std::string heading(const Situation& situation) {
  return "== " + situation.title + " (" + situation.facts + ")\n";
}

void expect_allowed(const Situation& situation, const Outcome& real) {
  const auto entry = allowed().find(situation.title);
  EXPECT_TRUE(entry != allowed().end() && entry->second.contains(real))
      << "outcomes.txt has no such outcome:\n"
      << heading(situation) << shown(real);
}

// Real servers may do what simulated ones do under one of hundreds of seeds.
void expect_reached(const Situation& situation, const Outcome& real) {
  constexpr std::uint64_t kSeeds = 4000;
  std::vector<Outcome> reached;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Outcome outcome = simulated(situation, seed);
    if (outcome == real) return;
    if (std::find(reached.begin(), reached.end(), outcome) == reached.end())
      reached.push_back(std::move(outcome));
  }
  std::string others;
  for (const Outcome& outcome : reached) others += shown(outcome) + "\n";
  ADD_FAILURE() << "no seed up to " << kSeeds << " comes to this:\n"
                << heading(situation) << shown(real) << "\nbut only to:\n"
                << others;
}

class RealOutcome : public testing::TestWithParam<Situation> {};

TEST_P(RealOutcome, IsAllowedAndReachedUnderSomeSeed) {
  const Situation& situation = GetParam();
  const int times = at_length() ? 5 : 1;
  for (int i = 0; i < times && !HasFailure(); ++i) {
    const Outcome real = outcome_of(situation);
    if (HasFailure()) return;
    expect_allowed(situation, real);
    if (can_be_simulated(situation)) expect_reached(situation, real);
  }
}

INSTANTIATE_TEST_SUITE_P(Redis, RealOutcome, testing::ValuesIn(situations_to_run()),
                         name_of<Situation>);

class SimulatedOutcome : public testing::TestWithParam<Situation> {};

TEST_P(SimulatedOutcome, IsAllowedUnderEverySeed) {
  const Situation& situation = GetParam();
  const auto entry = allowed().find(situation.title);
  ASSERT_NE(entry, allowed().end());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Outcome outcome = simulated(situation, seed);
    EXPECT_TRUE(entry->second.contains(outcome))
        << "outcomes.txt has no such outcome: seed " << seed << "\n"
        << heading(situation) << shown(outcome);
    if (HasFailure()) return;
  }
}

std::vector<Situation> situations_to_simulate() {
  std::vector<Situation> all = all_situations();
  std::erase_if(all, [](auto& one) { return !can_be_simulated(one); });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Redis, SimulatedOutcome, testing::ValuesIn(situations_to_simulate()),
                         name_of<Situation>);

// Both sides show the outcomes of a failover, a promotion or a cut link.
TEST(Facts, OfReplicationAreComparedWithRealServers) {
  for (const std::string fact :
       {"R34", "R35", "R40", "R42", "R43", "R44", "R45", "R46", "R47", "R56", "R64", "R67"}) {
    const std::vector<Situation> all = situations_to_simulate();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Situation& one) {
      return (one.facts + " ").find(fact + " ") != std::string::npos;
    })) << fact;
  }
}

// Compares command by command.
TEST(RealMaster, SendsItsReplicasWhatASimulatedOneSends) {
  const std::uint64_t seeds = at_length() ? 200 : 10;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Situation situation = random_stream(seed, 200);
    const Outcome real = outcome_of(situation);
    if (HasFailure()) return;
    const Outcome ours = simulated(situation, seed);
    ASSERT_EQ(real.size(), ours.size());
    std::string before;
    for (std::size_t i = 0; i < real.size(); ++i) {
      ASSERT_EQ(real[i].value, ours[i].value)
          << "seed " << seed << ", for " << real[i].name << "\nafter:\n"
          << before;
      before += real[i].name + ": " + real[i].value + "\n";
    }
  }
}

TEST(RealReplica, BecomesWhatItsMasterIs) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Situation situation = stream_of("random writes", "R30 R31 R32", random_writes(seed, 200));
    situation.group.replicas = 1;
    situation.steps.emplace_back(Ask{"A", "master", {"DISCARD"}});
    situation.steps.emplace_back(Await{"replica-1", Condition::caught_up, "caught up"});
    situation.steps.emplace_back(Ask{"A", "master", {"DEBUG", "DIGEST"}, "master"});
    situation.steps.emplace_back(Ask{"A", "replica-1", {"DEBUG", "DIGEST"}, "replica"});
    const Outcome outcome = outcome_of(situation);
    if (HasFailure()) return;
    EXPECT_EQ(outcome.end()[-3].value, "yes");
    EXPECT_EQ(outcome.end()[-2].value, outcome.end()[-1].value) << "seed " << seed << "\n"
                                                                << shown(outcome);
  }
}

}  // namespace
}  // namespace picklock::conform::redis::outcomes
