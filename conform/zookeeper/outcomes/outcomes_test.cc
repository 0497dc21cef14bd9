// The outcomes of real ensembles are allowed by each situation, and the outcomes of simulated ones
// over many seeds are exactly the allowed ones. PICKLOCK_LONG: also the situations that are not
// quick, and each several times.
#include <gmock/gmock.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "conform/zookeeper/outcomes/real_side.h"
#include "conform/zookeeper/outcomes/simulated_side.h"
#include "conform/zookeeper/outcomes/situation.h"
#include "testing/conform/situation_names.h"

namespace picklock::conform::zookeeper::outcomes {

static void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.title; }

namespace {

class SimulatedEnsemble : public testing::TestWithParam<Situation> {};

TEST_P(SimulatedEnsemble, ComesToAllThatIsAllowedAndNothingElse) {
  const Situation& situation = GetParam();
  constexpr std::uint64_t kSeeds = 400;
  Outcome reached;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Outcome outcome = simulated(situation, seed);
    ASSERT_TRUE(allows(situation.allowed, outcome)) << "seed " << seed << "\n" << shown(outcome);
    for (const auto& [step, words] : outcome) reached[step].insert(words.begin(), words.end());
  }
  EXPECT_EQ(shown(reached), shown(situation.allowed));
}

INSTANTIATE_TEST_SUITE_P(ZooKeeper, SimulatedEnsemble, testing::ValuesIn(all_situations()),
                         name_of<Situation>);

class RealEnsemble : public testing::TestWithParam<Situation> {};

TEST_P(RealEnsemble, ComesToWhatIsAllowed) {
  const Situation& situation = GetParam();
  const int times = at_length() ? 5 : 1;
  for (int i = 0; i < times; ++i) {
    try {
      RealSide side(situation.sync_limit);
      const Outcome outcome = situation.tell(side);
      EXPECT_TRUE(allows(allowed_of_real(situation), outcome)) << shown(outcome);
    } catch (const NoServer& none) {
      FAIL() << none.what();
    }
  }
}

std::vector<Situation> situations_to_run() {
  std::vector<Situation> all = all_situations();
  if (!at_length()) std::erase_if(all, [](const Situation& one) { return !one.quick; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(ZooKeeper, RealEnsemble, testing::ValuesIn(situations_to_run()),
                         name_of<Situation>);

TEST(Outcome, IsAllowedIfEveryStepWasSeenAndShowedNothingElse) {
  const Outcome allowed = {{"read", {"fresh", "stale"}}, {"write", {"ok"}}};
  EXPECT_TRUE(allows(allowed, {{"read", {"stale"}}, {"write", {"ok"}}}));
  EXPECT_TRUE(allows(allowed, allowed));
  EXPECT_FALSE(allows(allowed, {{"read", {"stale", "hung up"}}, {"write", {"ok"}}}));
  EXPECT_FALSE(allows(allowed, {{"read", {"stale"}}}));
  EXPECT_FALSE(allows(allowed, {{"read", {"stale"}}, {"writes", {"ok"}}}));
}

TEST(Facts, OfAnEnsembleAreAllComparedWithRealServers) {
  std::string facts;
  for (const Situation& situation : all_situations()) facts += situation.facts + " ";
  for (const char* fact : {"Z40", "Z41", "Z42", "Z43", "Z44", "Z45", "Z46", "Z47"})
    EXPECT_THAT(facts, testing::HasSubstr(fact));
}

}  // namespace
}  // namespace picklock::conform::zookeeper::outcomes
