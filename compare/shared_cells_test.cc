// Comparisons whose parts several processes make.
#include "compare/shared_cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>

#include "compare/document.h"
#include "compare/ledger.h"
#include "compare/workload.h"
#include "scenarios/shipped.h"

namespace picklock::compare {
namespace {

namespace fs = std::filesystem;

class SharedCells : public testing::Test {
 protected:
  SharedCells() {
    std::string pattern = testing::TempDir() + "picklock-cells-XXXXXX";
    root_ = mkdtemp(pattern.data());
    fs::create_directory(root_ / "out");
    std::string unknown;
    options_.columns = {column_named("pause", unknown).value(),
                        column_named("none", unknown).value()};
    options_.complete = true;
  }
  ~SharedCells() override { fs::remove_all(root_); }

  static const Onlooker& nobody() {
    static const Onlooker onlooker{.progress = [](const Progress&) {},
                                   .interrupted = [] { return false; }};
    return onlooker;
  }

  // The whole document, for which stories are shrunk.
  std::string told(Comparison& comparison) {
    Ledger ledger(root_ / "out", options_.seed, 42);
    make(comparison, ledger, {.jobs = 1, .runs = kRuns}, nobody());
    fs::remove_all(root_ / "out");
    fs::create_directory(root_ / "out");
    return json(comparison, {.command = "picklock compare"});
  }

  SharedEnding make_one(const explore::Shard& shard, std::optional<Seconds> length = {}) const {
    const explore::StoreReader reader(store(), "a program");
    explore::StoreWriter writer(
        store(),
        {.program = "a program", .search = "{}", .command = "picklock compare", .runs = kRuns},
        shard);
    Comparison comparison(options_, workloads(scenarios::shipped::kDirectory));
    const SharedEnding ending = make_shard(comparison, reader, writer, shard,
                                           {.jobs = 1, .runs = kRuns, .length = length}, nobody());
    writer.end(ending.complete);
    return ending;
  }

  std::vector<explore::PartName> missing() const {
    Comparison comparison(options_, workloads(scenarios::shipped::kDirectory));
    return take_parts(comparison, explore::StoreReader(store(), "a program"), kRuns);
  }

  fs::path store() const {
    fs::create_directories(root_ / "store");
    return root_ / "store";
  }

  static constexpr std::uint64_t kRuns = 300;
  fs::path root_;
  Options options_{.locks = {"set-px-blind-delete"}, .columns = {}};
};

TEST_F(SharedCells, AComparisonInShardsIsThatOfOneProcess) {
  Comparison alone(options_, workloads(scenarios::shipped::kDirectory));
  const std::string expected = told(alone);
  std::mt19937_64 chance(3);
  for (bool whole = false; !whole; whole = missing().empty()) {
    // Shards of several cuts, the files of which are cut off now and then.
    const std::uint64_t count = 1 + chance() % 3;
    EXPECT_TRUE(make_one({chance() % count, count}).complete);
    if (missing().empty() || chance() % 2 == 0) continue;
    for (const auto& entry : fs::directory_iterator(store()))
      fs::resize_file(entry.path(), chance() % (entry.file_size() + 1));
  }
  Comparison merged(options_, workloads(scenarios::shipped::kDirectory));
  EXPECT_TRUE(take_parts(merged, explore::StoreReader(store(), "a program"), kRuns).empty());
  EXPECT_EQ(told(merged), expected);
}

TEST_F(SharedCells, SaysWhichPartsAreMissing) {
  make_one({0, 2});
  const std::vector<explore::PartName> all = missing();
  const Comparison comparison(options_, workloads(scenarios::shipped::kDirectory));
  ASSERT_EQ(all.size(), parts_of(comparison, kRuns).size() / 2);
  EXPECT_EQ(words(all[0]), "runs 257 to 300 of set-px-blind-delete.pause.none");
}

TEST_F(SharedCells, TheTimeOfAProcessLeavesPartsForTheNext) {
  EXPECT_FALSE(make_one({0, 1}, Seconds(1e-9)).complete);
  EXPECT_FALSE(missing().empty());
  EXPECT_TRUE(make_one({0, 1}).complete);
  EXPECT_TRUE(missing().empty());
  EXPECT_EQ(make_one({0, 1}).parts, 0u);
}

}  // namespace
}  // namespace picklock::compare
