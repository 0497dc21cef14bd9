// Long searches in what is shipped: no promise of a lock is broken. PICKLOCK_RUNS: how many in each
// scenario (200000).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "explore/search.h"
#include "scenarios/shipped.h"

namespace picklock::explore {
namespace {

std::uint64_t runs() {
  const char* given = std::getenv("PICKLOCK_RUNS");
  return given != nullptr ? std::max(1ull, std::strtoull(given, nullptr, 10)) : 200'000;
}

class LongSearch : public ::testing::TestWithParam<std::string> {};

TEST_P(LongSearch, BreaksNoPromise) {
  const scenarios::Scenario scenario =
      scenarios::shipped::document(GetParam()).scenario(scenarios::shipped_vocabulary());
  Search search(scenario, {.seed = 2});
  while (search.tally().runs < runs() && search.clean()) search.run_next();
  EXPECT_TRUE(search.clean()) << search.finds()[0].text;
  // A clock that jumps by hours among servers that beat now and then takes a run too far.
  EXPECT_LE(search.tally().cut_short, search.tally().runs / 1000);
}

INSTANTIATE_TEST_SUITE_P(Shipped, LongSearch, ::testing::ValuesIn(scenarios::shipped::names()),
                         [](const auto& instance) {
                           return scenarios::shipped::test_name(instance.param);
                         });

}  // namespace
}  // namespace picklock::explore
