#include "scenarios/scenario_format.h"
#include "testing/sample_scenario.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace picklock::scenarios {
namespace {

// Tests run in the root of the repository.
constexpr const char* kPage = "docs/scenario-format.md";

TEST(ScenarioFormat, IsThePageInTheDocumentation) {
  if (std::getenv("PICKLOCK_UPDATE") != nullptr) std::ofstream(kPage) << format_reference();
  std::ifstream in(kPage);
  std::stringstream page;
  page << in.rdbuf();
  EXPECT_EQ(page.str(), format_reference())
      << kPage
      << " is not what the loader reads; run this test with PICKLOCK_UPDATE=1 to rewrite it";
}

TEST(ScenarioFormat, ShowsAnExampleThatLoads) {
  const std::string page = format_reference();
  const std::string fence = "```toml\n";
  const std::size_t start = page.find(fence) + fence.size();
  const Scenario scenario = testing::parsed(page.substr(start, page.find("```", start) - start));
  EXPECT_EQ(scenario.faults.size(), 1U);
  EXPECT_EQ(scenario.twins.size(), 1U);
}

// Otherwise a key could be read wrongly and no test would notice.
TEST(ScenarioFormat, HasNoKeyThatTheCompleteSampleLeavesOut) {
  const std::string file = std::string("\n") + testing::kComplete + testing::kSteps +
                           testing::kFailOver + testing::kCluster + testing::kReplicated +
                           testing::kUnlike + testing::kLeaseStore + testing::kZooKeeper +
                           testing::kMySql + testing::kNumbers + testing::kPrimaries +
                           testing::kPrograms;
  std::istringstream page(format_reference());
  int count = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `") || line.find("any ") < line.find('`', 3)) continue;
    const std::string key = line.substr(3, line.find('`', 3) - 3);
    // OptionKeys.ReadWhatTheyShow, and of files ScriptFiles.AreReadFromBesideTheScenario.
    if (keys::find(option_keys(), key) != nullptr) continue;
    EXPECT_NE(file.find("\n" + key + " = "), std::string::npos) << key;
    ++count;
  }
  EXPECT_GT(count, 60);
}

}  // namespace
}  // namespace picklock::scenarios
