// Shrinking at length: what is left of plans of ten faults and more. PICKLOCK_PLANS: how many in
// each case (50).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "explore/fault_plan.h"
#include "explore/runs.h"
#include "explore/shrink.h"
#include "scenarios/shipped.h"
#include "scenarios/writer.h"

namespace picklock::explore {
namespace {

using scenarios::Scenario;
using scenarios::World;
using Shows = bool (*)(const World& world);

std::uint64_t plans_wanted() {
  const char* given = std::getenv("PICKLOCK_PLANS");
  return given != nullptr ? std::max(1ull, std::strtoull(given, nullptr, 10)) : 50;
}

template <Property property>
bool violates(const World& world) {
  return world.verdicts()[static_cast<std::size_t>(property)].outcome ==
         properties::Outcome::violated;
}

// Each eviction is a fault of its own.
bool loses_two_entries_by_eviction(const World& world) {
  return std::count_if(world.history().begin(), world.history().end(),
                       [](const history::HistoryEvent& event) {
                         return event.what == history::What::entry_removed &&
                                event.cause == history::Cause::eviction;
                       }) >= 2;
}

struct Case {
  const char* name;
  const char* algorithm;
  Shows shows;
  std::size_t known_minimum;  // of faults
};

constexpr Case kCases[] = {
    {"BlindDelete", "set-px-blind-delete", violates<Property::own_release>, 1},
    {"Overlap", "lua-check-delete", violates<Property::mutual_exclusion>, 1},
    {"StaleWrite", "redisson-lock", violates<Property::no_stale_write>, 1},
    {"TwoEvictions", "set-px-check-delete", loses_two_entries_by_eviction, 2},
};

class LongShrink : public ::testing::TestWithParam<Case> {};

TEST_P(LongShrink, LeavesNothingThatCouldGo) {
  Scenario base = scenarios::shipped::document(std::string("plain/") + GetParam().algorithm)
                      .scenario(scenarios::shipped_vocabulary());
  base.expect = {};
  FaultPlans plans(base, profile(base, 1));
  const FaultLimits limits{.classes = plans.possible(), .most = 16};
  World world;
  std::vector<std::size_t> left;
  std::uint64_t tried = 0;
  std::chrono::duration<double> spent{};
  for (std::uint64_t run = 0; left.size() < plans_wanted(); ++run) {
    Scenario story = base;
    plans.draw(1, run, limits, story.faults);
    story.seed = run_seed(1, run);
    story.ties = run_ties(1, run);
    world.set(story);
    world.run(story.seed);
    if (world.cut_short() || !GetParam().shows(world)) continue;
    story.faults = fired(story.faults, world);
    if (story.faults.size() < 10) continue;
    Shrinker shrinker([](const Scenario&, const World& one) { return GetParam().shows(one); });
    const auto start = std::chrono::steady_clock::now();
    const Scenario shrunk = shrinker.shrink(story);
    spent += std::chrono::steady_clock::now() - start;
    tried += shrinker.runs();
    EXPECT_TRUE(shrinker.ended());
    EXPECT_TRUE(shrinker.is_minimal(shrunk)) << file_text(shrunk);
    left.push_back(shrunk.faults.size());
    if (shrunk.faults.size() > GetParam().known_minimum)
      fmt::print("outlier, run {}: {} faults\n{}\n", run, left.back(), file_text(shrunk));
  }
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left[left.size() / 2], GetParam().known_minimum);
  EXPECT_GE(left[0], GetParam().known_minimum);
  const auto plans_made = static_cast<double>(left.size());
  fmt::print("{}: {} plans, {} to {} faults left, on average {:.1f} ms and {:.0f} runs\n",
             GetParam().name, left.size(), left[0], left.back(), 1e3 * spent.count() / plans_made,
             static_cast<double>(tried) / plans_made);
}

INSTANTIATE_TEST_SUITE_P(Cases, LongShrink, ::testing::ValuesIn(kCases),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace picklock::explore
