#include "explore/corpus_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <string>

#include "explore/search.h"
#include "explore/sights.h"
#include "keys/bad_input.h"
#include "scenarios/runner.h"
#include "scenarios/shipped.h"

namespace picklock::explore {
namespace {

namespace fs = std::filesystem;
using scenarios::shipped::plain;

class CorpusOnDisk : public ::testing::Test {
 protected:
  CorpusOnDisk() {
    std::string pattern = ::testing::TempDir() + "picklock-corpus-XXXXXX";
    root_ = mkdtemp(pattern.data());
    path_ = root_ / "corpus";
  }
  ~CorpusOnDisk() override { fs::remove_all(root_); }

  std::uint64_t search(const std::string& lock, std::uint64_t seed, std::uint64_t runs) {
    CorpusFolder folder(path_);
    const scenarios::Scenario scenario = plain(lock);
    Search search(scenario, {.strategy = "guided",
                             .seed = seed,
                             .corpus = folder.read(scenario),
                             .properties = {Property::no_deadlock}});
    for (std::uint64_t i = 0; i < runs; ++i) search.run_next();
    return *folder.write(*search.corpus(), search.scenario());
  }

  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const fs::directory_entry& one : fs::directory_iterator(path_))
      all.insert(one.path().filename().string());
    return all;
  }

  // The places that the plans of the folder show.
  std::set<std::uint32_t> shown(const std::string& lock) const {
    std::set<std::uint32_t> all;
    Sights sights;
    scenarios::World world;
    scenarios::Scenario scenario = plain(lock);
    CorpusFolder folder(path_);
    for (const Corpus::Entry& entry : folder.read(scenario)) {
      scenario.faults = entry.plan;
      scenario.ties = entry.ties;
      world.set(scenario);
      world.run(entry.seed);
      for (const std::uint32_t place : sights.of(world)) all.insert(place);
    }
    return all;
  }

  fs::path root_;
  fs::path path_;
};

TEST_F(CorpusOnDisk, LosesNothingFromOneSearchToTheNext) {
  const std::uint64_t first = search("lua-check-delete", 1, 300);
  EXPECT_GT(first, 20u);
  EXPECT_EQ(names().size(), first);
  const std::set<std::uint32_t> before = shown("lua-check-delete");
  const std::uint64_t second = search("lua-check-delete", 2, 600);
  EXPECT_EQ(names().size(), second);
  const std::set<std::uint32_t> after = shown("lua-check-delete");
  EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  EXPECT_GT(after.size(), before.size());
}

// A search that is interrupted at once has looked at none of them.
TEST_F(CorpusOnDisk, KeepsPlansThatItHadNoTimeToTry) {
  const std::uint64_t plans = search("lua-check-delete", 1, 300);
  const std::set<std::string> before = names();
  EXPECT_EQ(search("lua-check-delete", 1, 1), plans);
  EXPECT_EQ(names(), before);
}

// So a search that is killed keeps what it has written before.
TEST_F(CorpusOnDisk, IsWrittenWhileTheSearchGoesOn) {
  CorpusFolder folder(path_);
  const scenarios::Scenario scenario = plain("lua-check-delete");
  Search search(scenario, {.strategy = "guided", .seed = 1, .properties = {Property::no_deadlock}});
  std::set<std::uint32_t> before;
  for (const std::uint64_t runs : {100u, 300u, 500u}) {
    while (search.tally().runs < runs) search.run_next();
    const std::optional<std::size_t> plans = folder.write(*search.corpus(), search.scenario());
    EXPECT_EQ(plans, names().size());
    const std::set<std::uint32_t> now = shown("lua-check-delete");
    EXPECT_TRUE(std::includes(now.begin(), now.end(), before.begin(), before.end()));
    EXPECT_GT(now.size(), before.size());
    before = now;
  }
  fs::remove_all(path_);
  CorpusFolder other(path_);
  other.write(*search.corpus(), search.scenario());
  EXPECT_EQ(shown("lua-check-delete"), before) << "once or again and again: it shows the same";
}

TEST_F(CorpusOnDisk, LeavesTheFilesOfAnotherScenario) {
  search("lua-check-delete", 1, 200);
  const std::set<std::string> before = names();
  search("mysql-get-lock", 1, 200);
  const std::set<std::string> after = names();
  EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  EXPECT_GT(after.size(), before.size());
}

TEST_F(CorpusOnDisk, HasScenariosWhoseRunsAreAsExpected) {
  search("set-px-blind-delete", 1, 100);
  for (const std::string& name : names()) {
    const scenarios::Outcome outcome = scenarios::Runner().run_file(
        scenarios::Document::from_file((path_ / name).string()), {}, false, false);
    EXPECT_THAT(outcome.run.surprises, ::testing::IsEmpty()) << name;
  }
}

TEST_F(CorpusOnDisk, RefusesAFileThatIsNoScenario) {
  fs::create_directories(path_);
  std::ofstream(path_ / "plan-x.toml") << "format = \"no\"\n";
  CorpusFolder folder(path_);
  EXPECT_THROW(folder.read(plain("lua-check-delete")), keys::BadInput);
}

}  // namespace
}  // namespace picklock::explore
