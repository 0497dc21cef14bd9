#include "explore/strategies/pct.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "explore/campaign.h"
#include "explore/search.h"
#include "keys/bad_input.h"
#include "scenarios/promises.h"
#include "scenarios/shipped.h"

namespace picklock::explore {
namespace {

using namespace std::chrono_literals;
using scenarios::Scenario;
using strategies::Guarantee;
using ::testing::HasSubstr;

// Broken by two late messages and no fault (check-then-delete-gap-order).
Scenario broken_by_an_order() {
  Scenario scenario = scenarios::shipped::document("check-then-delete-gap-order")
                          .scenario(scenarios::shipped_vocabulary());
  scenario.faults.clear();
  return scenario;
}

SearchOptions by_priorities(std::uint32_t depth, std::uint64_t seed = 1) {
  return {.strategy = "pct",
          .seed = seed,
          .faults = {.classes = {}},
          .depth = depth,
          .all_classes = false,
          .properties = {Property::own_release},
          .command = "a search"};
}

std::uint64_t runs_to_find(const Scenario& scenario, const SearchOptions& options,
                           std::uint64_t most) {
  Search search(scenario, options);
  while (search.clean() && search.tally().runs < most && search.run_next()) {
  }
  return search.tally().runs;
}

std::uint64_t median_to_find(SearchOptions options) {
  std::vector<std::uint64_t> runs;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    options.seed = seed;
    runs.push_back(runs_to_find(broken_by_an_order(), options, 20'000));
  }
  std::nth_element(runs.begin(), runs.begin() + 7, runs.end());
  return runs[7];
}

TEST(Pct, FindsAnOrderSoonerThanChanceAndAsSoonAsItPromises) {
  SearchOptions by_chance = by_priorities(2);
  by_chance.strategy = "random";
  const std::uint64_t with_priorities = median_to_find(by_priorities(2));
  EXPECT_LT(3 * with_priorities, median_to_find(by_chance));
  const Guarantee promised = *Search(broken_by_an_order(), by_priorities(2)).guarantee();
  EXPECT_LT(static_cast<double>(with_priorities), 1 / promised.probability());
}

TEST(Pct, PromisesLessOfDeeperOrders) {
  const Guarantee one = *Search(broken_by_an_order(), by_priorities(1)).guarantee();
  const Guarantee two = *Search(broken_by_an_order(), by_priorities(2)).guarantee();
  EXPECT_GT(one.directions, 4u) << "two clients and two servers";
  EXPECT_GT(one.messages, one.directions);
  EXPECT_DOUBLE_EQ(one.probability(), 1.0 / static_cast<double>(one.directions));
  EXPECT_DOUBLE_EQ(two.probability(), one.probability() / static_cast<double>(one.messages));
}

// The story has no priorities any more, but the messages that matter.
TEST(Pct, TellsWhichMessagesWereLate) {
  Search search(broken_by_an_order(), by_priorities(2));
  while (search.finds().empty() && search.tally().runs < 20'000 && search.run_next()) {
  }
  ASSERT_EQ(search.finds().size(), 1u);
  const Find& find = search.finds()[0];
  EXPECT_EQ(find.story.network.priorities, 0u);
  EXPECT_EQ(find.story.network.order, scenarios::Order::any);
  EXPECT_GT(find.faults, find.story.faults.size());
  EXPECT_LE(find.story.faults.size(), 3u);
  for (const sim::Fault& fault : find.story.faults)
    EXPECT_EQ(scenarios::class_of(fault, find.story), std::nullopt) << "the network may do that";
}

TEST(Pct, RefusesAScenarioWithoutAnyChoice) {
  const Scenario scenario = scenarios::shipped::plain("lua-check-delete");
  try {
    Search search(scenario, by_priorities(2));
    FAIL() << "every message takes a time that is given";
  } catch (const keys::BadInput& bad) {
    EXPECT_THAT(bad.what(), HasSubstr("--strategy pct: every message of"));
  }
}

TEST(Pct, DrawsFaultsAsWell) {
  SearchOptions options = by_priorities(2);
  options.faults.classes = {FaultClass::pause};
  Search search(broken_by_an_order(), options);
  for (int i = 0; i < 50; ++i) search.run_next();
  EXPECT_GT(search.tally().fired_of[static_cast<std::size_t>(FaultClass::pause)], 0u);
}

TEST(Pct, SaysTheSameWithAnyNumberOfProcesses) {
  std::vector<std::string> texts;
  for (const unsigned jobs : {1u, 3u}) {
    Search search(broken_by_an_order(), by_priorities(3));
    make(search, {.jobs = jobs, .runs = 500},
         {.found = [](const Find&) {},
          .crashed = [](const Crash&) {},
          .progress = [](const Progress&) {},
          .interrupted = [] { return false; }});
    ASSERT_FALSE(search.finds().empty());
    texts.push_back(search.finds()[0].text);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

}  // namespace
}  // namespace picklock::explore
