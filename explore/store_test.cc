#include "explore/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>

#include "explore/store_progress.h"
#include "keys/bad_input.h"

namespace picklock::explore {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() {
    std::string pattern = ::testing::TempDir() + "picklock-store-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  ~StoreTest() override { fs::remove_all(root_); }

  static StoredCampaign campaign() {
    return {.program = "1234", .search = R"({"explore":1})", .command = "explore", .runs = 100};
  }
  StoreReader read() const { return {root_, "1234"}; }
  fs::path only_file() const { return fs::directory_iterator(root_)->path(); }
  static std::string text_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  static void put(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string lost(const std::function<void()>& writing) {
    try {
      writing();
    } catch (const StoreLost& lost) {
      return lost.what();
    }
    return {};
  }

  fs::path root_;
};

TEST_F(StoreTest, GivesBackWhatWasWritten) {
  {
    StoreWriter writer(root_, campaign(), {2, 5});
    writer.write({.runs = {0, 10}}, "[1,[3]]");
    writer.write({.cell = "a.pause.none", .runs = {10, 20}}, R"({"at":7,"sum":"x"})");
    writer.end(true);
  }
  const StoreReader reader = read();
  ASSERT_EQ(reader.campaigns().size(), 1u);
  EXPECT_EQ(reader.campaigns().begin()->second, campaign());
  ASSERT_NE(reader.find({.runs = {0, 10}}), nullptr);
  EXPECT_EQ(reader.find({.runs = {0, 10}})->result, "[1,[3]]");
  EXPECT_EQ(reader.find({.cell = "a.pause.none", .runs = {10, 20}})->result,
            R"({"at":7,"sum":"x"})");
  EXPECT_EQ(reader.find({.runs = {0, 11}}), nullptr);
  ASSERT_EQ(reader.attempts().size(), 1u);
  EXPECT_EQ(reader.attempts()[0].shard, (Shard{2, 5}));
  EXPECT_EQ(reader.attempts()[0].parts, 2u);
  EXPECT_TRUE(reader.attempts()[0].made);
  EXPECT_EQ(reader.foreign() + reader.damaged(), 0u);
}

// A process that is killed leaves its file cut off anywhere.
TEST_F(StoreTest, LosesOnlyTheLineInWhichAFileWasCutOff) {
  {
    StoreWriter writer(root_, campaign(), {});
    for (std::uint64_t i = 0; i < 4; ++i) writer.write({.runs = {i, i + 1}}, std::to_string(i));
  }
  const fs::path file = only_file();
  const std::string whole = text_of(file);
  std::size_t most = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string left = whole.substr(0, size);
    put(file, left);
    const StoreReader reader = read();
    const auto lines = static_cast<std::size_t>(std::count(left.begin(), left.end(), '\n'));
    EXPECT_EQ(reader.parts().size(), lines > 0 ? lines - 1 : 0);
    EXPECT_EQ(reader.foreign() + reader.damaged(), 0u);
    most = std::max(most, reader.parts().size());
  }
  EXPECT_EQ(most, 4u);
}

TEST_F(StoreTest, CountsNoLineOfWhichAnyByteHasChanged) {
  {
    StoreWriter writer(root_, campaign(), {});
    writer.write({.runs = {0, 10}}, "[1,2,3]");
  }
  const fs::path file = only_file();
  const std::string whole = text_of(file);
  const std::size_t second = whole.find('\n') + 1;
  for (std::size_t at = second; at + 1 < whole.size(); ++at) {
    std::string harmed = whole;
    harmed[at] = harmed[at] == '1' ? '2' : '1';
    put(file, harmed);
    const StoreReader reader = read();
    EXPECT_TRUE(reader.parts().empty()) << harmed;
    EXPECT_EQ(reader.damaged(), 1u);
  }
}

TEST_F(StoreTest, DoesNotCountFilesOfOthers) {
  StoredCampaign other = campaign();
  other.program = "5678";
  StoreWriter(root_, other, {}).write({.runs = {0, 10}}, "1");
  put(root_ / "notes.jsonl", "{\"part\":[\"\",0,10]}\n");
  put(root_ / "notes.txt", "buy milk\n");
  fs::create_directory(root_ / "folder.jsonl");
  StoreWriter(root_, campaign(), {}).write({.runs = {10, 20}}, "2");
  const StoreReader reader = read();
  EXPECT_EQ(reader.parts().size(), 1u);
  EXPECT_EQ(reader.foreign(), 2u);
}

TEST_F(StoreTest, TakesEqualPartsOnceAndNamesTheMachinesOfOthers) {
  StoreWriter(root_, campaign(), {0, 2}).write({.runs = {0, 10}}, "1");
  StoreWriter(root_, campaign(), {0, 2}).write({.runs = {0, 10}}, "1");
  EXPECT_TRUE(read().disagreements().empty());
  StoreWriter(root_, campaign(), {1, 2}).write({.runs = {0, 10}}, "2");
  const StoreReader reader = read();
  EXPECT_EQ(reader.parts().size(), 1u);
  ASSERT_EQ(reader.disagreements().size(), 1u);
  EXPECT_EQ(reader.attempts()[reader.disagreements()[0].other].shard, (Shard{1, 2}));
  EXPECT_EQ(words(reader.disagreements()[0].name), "runs 1 to 10");
}

TEST_F(StoreTest, ReadsWhatIsAddedLater) {
  StoreWriter writer(root_, campaign(), {});
  StoreReader reader = read();
  EXPECT_EQ(reader.parts().size(), 0u);
  writer.write({.runs = {0, 10}}, "1");
  reader.update();
  EXPECT_EQ(reader.parts().size(), 1u);
  StoreWriter(root_, campaign(), {}).write({.runs = {10, 20}}, "1");
  reader.update();
  EXPECT_EQ(reader.parts().size(), 2u);
  EXPECT_EQ(reader.attempts()[0].parts, 1u);
}

TEST_F(StoreTest, TakesTheLargestNumberOfRunsThatWasAskedFor) {
  StoredCampaign larger = campaign();
  larger.runs = 1000;
  StoreWriter(root_, larger, {}).end(true);
  StoreWriter(root_, campaign(), {}).end(true);
  EXPECT_EQ(read().campaigns().begin()->second.runs, 1000u);
}

TEST_F(StoreTest, RefusesAFolderThatCannotBeUsed) {
  put(root_ / "file", "");
  EXPECT_THROW(StoreWriter(root_ / "file", campaign(), {}), keys::BadInput);
  EXPECT_THROW(StoreReader(root_ / "nowhere", "1234"), keys::BadInput);
}

TEST_F(StoreTest, SaysThatItsFileWasRemoved) {
  StoreWriter writer(root_ / "gone", campaign(), {});
  writer.write({.runs = {0, 10}}, "1");
  fs::remove_all(root_ / "gone");
  EXPECT_THAT(lost([&] {
                writer.write({.runs = {10, 20}}, "1");
              }),
              MatchesRegex("nothing more can be written to .*gone/.*: it was removed"));
  EXPECT_EQ(lost([&] { writer.end(true); }), "") << "it was said before";
}

// A limit of the size of a file acts as a full disk does: in the middle of a line.
TEST_F(StoreTest, WritesNothingAfterALineThatDidNotFit) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  StoreWriter writer(root_, campaign(), {});
  writer.write({.runs = {0, 10}}, "1");
  const rlimit limit{.rlim_cur = fs::file_size(only_file()) + 20, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  const std::string why = lost([&] { writer.write({.runs = {10, 20}}, "2"); });
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(why, HasSubstr("File too large"));
  writer.write({.runs = {20, 30}}, "3");
  const StoreReader reader = read();
  EXPECT_EQ(reader.parts().size(), 1u);
  EXPECT_EQ(reader.damaged(), 0u);
}

TEST_F(StoreTest, HasSignsThatEndACampaign) {
  EXPECT_FALSE(read_signs(root_).stop);
  EXPECT_EQ(read_signs(root_).enough, UINT64_MAX);
  put(root_ / "stop", "");
  write_enough(root_, 8192);
  EXPECT_TRUE(read_signs(root_).stop);
  EXPECT_EQ(read_signs(root_).enough, 8192u);
}

TEST_F(StoreTest, TellsHowFarTheCampaignIs) {
  StoreWriter ended(root_, campaign(), {0, 3});
  ended.write({.runs = {0, 10}}, "1");
  ended.write({.runs = {10, 15}}, "1");
  ended.end(true);
  StoreWriter at_work(root_, campaign(), {1, 3});
  at_work.write({.runs = {10, 20}}, "1");
  const StoreReader reader = read();
  const double now = seconds_since_1970();
  const StoreProgress soon = progress_of(reader, now + 1);
  EXPECT_EQ(soon.parts, 3u);
  EXPECT_EQ(soon.runs, 20u) << "each run once";
  EXPECT_EQ(soon.ended, 1u);
  EXPECT_EQ(soon.at_work, 1u);
  EXPECT_TRUE(soon.quiet.empty());
  const StoreProgress later = progress_of(reader, now + 1000);
  ASSERT_EQ(later.quiet.size(), 1u);
  EXPECT_EQ(later.quiet[0]->shard, (Shard{1, 3}));
  EXPECT_EQ(later.oldest, later.quiet[0]);
  EXPECT_EQ(later.at_work, 0u);
}

}  // namespace
}  // namespace picklock::explore
