#include "sim/disk.h"

#include <gmock/gmock.h>

namespace picklock::sim {
namespace {

std::string text(const Disk& disk, std::string_view name) {
  const Disk::Content* content = disk.find(name);
  return content == nullptr ? "(none)" : content->bytes;
}

// `5 by 1, 9 by 2`: where each piece ends, and whose it is.
std::string pieces(const Disk& disk, std::string_view name) {
  std::string all;
  for (const Disk::Piece& piece : disk.find(name)->pieces) {
    all +=
        (all.empty() ? "" : ", ") + std::to_string(piece.end) + " by " + std::to_string(piece.tag);
  }
  return all;
}

TEST(Disk, KeepsWhatIsWrittenUntilItIsCleared) {
  Disk disk;
  EXPECT_TRUE(disk.empty());
  disk.append("log", "a");
  disk.append("log", "b");
  disk.replace("dump", "old");
  disk.replace("dump", "new");
  EXPECT_EQ(text(disk, "log"), "ab");
  EXPECT_EQ(text(disk, "dump"), "new");
  disk.remove("log");
  EXPECT_EQ(text(disk, "log"), "(none)");
  EXPECT_EQ(text(disk, "dump"), "new");
  disk.clear();
  EXPECT_TRUE(disk.empty());
  EXPECT_EQ(text(disk, "dump"), "(none)");
  disk.append("dump", "");
  EXPECT_EQ(text(disk, "dump"), "");
}

TEST(Disk, WithoutPowerKeepsWhatWasFsynced) {
  Disk disk;
  disk.append("log", "ab");
  disk.fsync("log");
  disk.append("log", "cd");
  disk.append("never", "x");
  disk.lose_power();
  EXPECT_EQ(text(disk, "log"), "ab");
  EXPECT_EQ(text(disk, "never"), "(none)");
  disk.append("log", "e");
  disk.fsync("log");
  disk.lose_power();
  EXPECT_EQ(text(disk, "log"), "abe");
}

TEST(Disk, WithoutPowerHasAReplacedFileAsItWasOrWhole) {
  Disk disk;
  disk.append("dump", "old");
  disk.fsync("dump");
  disk.append("dump", " and more");
  disk.replace("dump", "newer");
  disk.replace("dump", "newest");
  disk.lose_power();
  EXPECT_EQ(text(disk, "dump"), "old");
  disk.replace("dump", "newest");
  disk.fsync("dump");
  disk.lose_power();
  EXPECT_EQ(text(disk, "dump"), "newest");
}

TEST(Disk, IsCutWhereItIsTorn) {
  Disk disk;
  disk.append("log", "abc", 1);
  disk.append("log", "def", 2);
  disk.fsync("log");
  disk.truncate("log", 4);
  EXPECT_EQ(text(disk, "log"), "abcd");
  EXPECT_EQ(pieces(disk, "log"), "3 by 1, 4 by 2");
  disk.truncate("log", 3);
  EXPECT_EQ(pieces(disk, "log"), "3 by 1");
  disk.truncate("log", 9);
  EXPECT_EQ(text(disk, "log"), "abc");
  disk.append("log", "g", 3);
  EXPECT_EQ(pieces(disk, "log"), "3 by 1, 4 by 3");
  disk.lose_power();
  EXPECT_EQ(text(disk, "log"), "abcdef");
  EXPECT_EQ(pieces(disk, "log"), "3 by 1, 6 by 2");
  disk.truncate("log", 0);
  EXPECT_EQ(pieces(disk, "log"), "");
}

TEST(Disk, KnowsWhoWroteWhat) {
  Disk disk;
  disk.append("log", "ab", 1, Role{5});
  disk.append("log", "c", 1, Role{5});
  disk.append("log", "d", 1, Role{6});
  disk.append("log", "", 2);
  disk.append("log", "e", 2);
  EXPECT_EQ(pieces(disk, "log"), "3 by 1, 4 by 1, 5 by 2");
  EXPECT_EQ(disk.find("log")->pieces[1].role, Role{6});
}

}  // namespace
}  // namespace picklock::sim
