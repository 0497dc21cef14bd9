#include "explore/folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "keys/bad_input.h"

namespace picklock::explore {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::UnorderedElementsAre;

class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    std::string pattern = ::testing::TempDir() + "picklock-folder-XXXXXX";
    root_ = mkdtemp(pattern.data());
  }
  ~FolderTest() override { fs::remove_all(root_); }

  std::string text_of(const std::string& name) const {
    std::ifstream in(root_ / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(root_))
      all.push_back(entry.path().filename().string());
    return all;
  }

  fs::path root_;
};

TEST_F(FolderTest, KeepsEachTextOnce) {
  Folder folder("--out", root_);
  EXPECT_THAT(folder.keep("own-release", "one"), EndsWith("own-release-1.toml"));
  EXPECT_THAT(folder.keep("own-release", "two"), EndsWith("own-release-2.toml"));
  EXPECT_THAT(folder.keep("own-release", "one"), EndsWith("own-release-1.toml"));
  EXPECT_THAT(folder.keep("crash", "one"), EndsWith("crash-1.toml"));
  EXPECT_THAT(names(),
              UnorderedElementsAre("own-release-1.toml", "own-release-2.toml", "crash-1.toml"));
  EXPECT_EQ(text_of("own-release-2.toml"), "two");
}

TEST_F(FolderTest, NeverTakesTheNameOfAnother) {
  std::ofstream(root_ / "own-release-1.toml") << "a user's own";
  Folder folder("--out", root_);
  EXPECT_THAT(folder.keep("own-release", "one"), EndsWith("own-release-2.toml"));
  EXPECT_EQ(text_of("own-release-1.toml"), "a user's own");
}

TEST_F(FolderTest, SweepsWhatAKilledSearchHasLeft) {
  const std::string left = ".picklock-aaaaaa.part";
  const std::string others = ".picklock-bbbbbb.part";
  std::ofstream(root_ / left) << "half of";
  std::ofstream(root_ / others) << "another search is at it";
  const int another = open((root_ / others).c_str(), O_RDONLY);
  ASSERT_EQ(flock(another, LOCK_EX), 0);
  Folder folder("--out", root_);
  folder.keep("own-release", "one");
  EXPECT_THAT(names(), UnorderedElementsAre("own-release-1.toml", others));
  close(another);
}

TEST_F(FolderTest, IsMadeWhenThereIsSomethingToKeep) {
  Folder folder("--out", root_ / "a" / "b");
  EXPECT_FALSE(fs::exists(root_ / "a"));
  EXPECT_NE(folder.keep("own-release", "one"), "");
  EXPECT_EQ(text_of("a/b/own-release-1.toml"), "one");
}

TEST_F(FolderTest, SaysWhereNothingCanBeWritten) {
  EXPECT_THROW(Folder("--out", "/dev/null/finds"), keys::BadInput);
  Folder folder("--out", root_ / "a");
  std::ofstream(root_ / "a") << "a file came instead";
  EXPECT_EQ(folder.keep("own-release", "one"), "");
}

}  // namespace
}  // namespace picklock::explore
