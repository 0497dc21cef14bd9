// Every shipped scenario does what it says, whatever the seed. PICKLOCK_SEEDS: how many (1000).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scenarios/shipped.h"

namespace picklock::scenarios {
namespace {

class Suite : public ::testing::TestWithParam<std::string> {
 protected:
  // Stops at the first seed that surprises: the others would say the same.
  void expect_no_surprise(const shipped::Part& part) {
    world_.set(part.scenario);
    for (std::uint64_t seed = 1; seed <= shipped::seeds(); ++seed) {
      world_.run(seed);
      const std::vector<std::string> found = surprises(world_, part.demands);
      if (found.empty()) continue;
      ADD_FAILURE() << part.what << ", seed " << seed << ": "
                    << fmt::format("{}", fmt::join(found, "; "));
      return;
    }
  }

  World world_;
};

TEST_P(Suite, MeetsItsExpectations) {
  for (const shipped::Part& part : shipped::parts(shipped::document(GetParam()))) {
    expect_no_surprise(part);
  }
}

// Faults are anchored to steps, so no story hangs on a lucky latency.
TEST_P(Suite, MeetsItsExpectationsWhateverTheLatency) {
  Document document = shipped::document(GetParam());
  document.set({.path = "network.latency", .value = R"(["50us", "5ms"])"});
  for (const shipped::Part& part : shipped::parts(document)) expect_no_surprise(part);
}

TEST_P(Suite, NeedsEveryOneOfItsFaults) {
  const Scenario whole = shipped::document(GetParam()).scenario(shipped_vocabulary());
  if (whole.control) return;  // it shows what does not happen
  for (std::size_t i = 0; i < whole.faults.size(); ++i) {
    Scenario without = whole;
    without.faults.erase(without.faults.begin() + static_cast<std::ptrdiff_t>(i));
    world_.set(without);
    for (std::uint64_t seed = 1; seed <= shipped::seeds(); ++seed) {
      world_.run(seed);
      ASSERT_FALSE(surprises(world_, {}).empty())
          << "without fault " << i + 1 << " all is as expected with seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scenario, Suite, ::testing::ValuesIn(shipped::names()),
                         [](const auto& instance) { return shipped::test_name(instance.param); });

TEST(Suite, HasAPlainScenarioForEveryLock) {
  for (const AlgorithmWords& algorithm : shipped_vocabulary().algorithms) {
    if (algorithm.uses.outside) continue;  // the program is the user's
    const Scenario plain =
        shipped::document("plain/" + algorithm.name).scenario(shipped_vocabulary());
    EXPECT_EQ(plain.lock.algorithm, algorithm.name);
    EXPECT_TRUE(plain.faults.empty()) << algorithm.name;
    for (const Property property : plain.expect.violated) {
      EXPECT_FALSE(models::promise(*find_algorithm(plain), property, lock_options(plain)))
          << algorithm.name << " breaks " << name(property);
    }
  }
}

TEST(Suite, NamesTheEntryOfTheCatalogueThatEachScenarioShows) {
  for (const auto& [name, path] : documented(shipped::kDirectory)) {
    const Scenario scenario = Document::from_file(path).scenario(shipped_vocabulary());
    EXPECT_TRUE(scenario.source.starts_with("docs/facts/failures.md ")) << name;
    EXPECT_FALSE(scenario.title.empty()) << name;
  }
}

}  // namespace
}  // namespace picklock::scenarios
