// What becomes of real servers is what outcomes.txt allows. PICKLOCK_LONG: also the slow ones.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "models/redis/outcomes/real_side.h"
#include "models/redis/outcomes/simulated_side.h"
#include "models/redis/outcomes/situations.h"

namespace picklock::models::redis::outcomes {

static void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.title; }

namespace {

const std::map<std::string, Allowed>& allowed() {
  static const std::map<std::string, Allowed> all = [] {
    std::ifstream file("models/redis/outcomes/outcomes.txt");
    return Allowed::read(std::string(std::istreambuf_iterator<char>(file), {}));
  }();
  return all;
}

std::vector<Situation> situations_to_run() {
  std::vector<Situation> all = all_situations();
  if (std::getenv("PICKLOCK_LONG") == nullptr)
    std::erase_if(all, [](auto& one) { return one.slow; });
  return all;
}

// `A killed process` is AKilledProcess.
std::string name_of(const testing::TestParamInfo<Situation>& about) {
  std::string name;
  bool begins = true;
  for (const char c : about.param.title) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0)
      name += static_cast<char>(begins ? std::toupper(letter) : letter);
    begins = std::isalnum(letter) == 0;
  }
  return name;
}

// Of a test that has failed if there is no server.
Outcome outcome_of(const Situation& situation) {
  try {
    RealSide side;
    return run(situation, side);
  } catch (const conform::NoServer& none) {
    ADD_FAILURE() << none.what();
    return {};
  }
}

class RealOutcome : public testing::TestWithParam<Situation> {};

TEST_P(RealOutcome, IsAllowed) {
  const Situation& situation = GetParam();
  const Outcome outcome = outcome_of(situation);
  if (HasFailure()) return;
  const auto entry = allowed().find(situation.title);
  EXPECT_TRUE(entry != allowed().end() && entry->second.contains(outcome))
      << "outcomes.txt has no such outcome:\n== " << situation.title << " (" << situation.facts
      << ")\n"
      << shown(outcome);
}

INSTANTIATE_TEST_SUITE_P(Redis, RealOutcome, testing::ValuesIn(situations_to_run()), name_of);

class SimulatedOutcome : public testing::TestWithParam<Situation> {};

TEST_P(SimulatedOutcome, IsAllowedUnderEverySeed) {
  const Situation& situation = GetParam();
  const auto entry = allowed().find(situation.title);
  ASSERT_NE(entry, allowed().end());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Outcome outcome = simulated(situation, seed);
    EXPECT_TRUE(entry->second.contains(outcome))
        << "outcomes.txt has no such outcome: seed " << seed << "\n== " << situation.title << " ("
        << situation.facts << ")\n"
        << shown(outcome);
    if (HasFailure()) return;
  }
}

std::vector<Situation> situations_to_simulate() {
  std::vector<Situation> all = all_situations();
  std::erase_if(all, [](auto& one) { return !can_be_simulated(one); });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Redis, SimulatedOutcome, testing::ValuesIn(situations_to_simulate()),
                         name_of);

TEST(RealReplica, BecomesWhatItsMasterIs) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Situation situation = stream_of("random writes", "R30 R31 R32", random_writes(seed, 200));
    situation.group.replicas = 1;
    situation.steps.push_back(Ask{"A", "master", {"DISCARD"}});
    situation.steps.push_back(Await{"replica-1", Condition::caught_up, "caught up"});
    situation.steps.push_back(Ask{"A", "master", {"DEBUG", "DIGEST"}, "master"});
    situation.steps.push_back(Ask{"A", "replica-1", {"DEBUG", "DIGEST"}, "replica"});
    const Outcome outcome = outcome_of(situation);
    if (HasFailure()) return;
    EXPECT_EQ(outcome.end()[-3].value, "yes");
    EXPECT_EQ(outcome.end()[-2].value, outcome.end()[-1].value) << "seed " << seed << "\n"
                                                                << shown(outcome);
  }
}

}  // namespace
}  // namespace picklock::models::redis::outcomes
