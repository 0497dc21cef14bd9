#include "models/redis/backlog.h"

#include <gmock/gmock.h>

#include "picklock/client.h"

namespace picklock::redis::backlog_tests {
namespace {

std::string from(const Backlog& backlog, std::int64_t offset) {
  std::string all;
  backlog.each_from(offset, [&](std::string_view bytes, history::TenureId tenure, Role) {
    all.append(bytes).append("/").append(std::to_string(tenure)).append(" ");
  });
  return all;
}

TEST(Backlog, GoesOnFromAnyPieceItStillHas) {
  Backlog backlog;
  EXPECT_FALSE(backlog.reaches(1));
  backlog.begin(100);
  EXPECT_TRUE(backlog.reaches(101));
  backlog.add("abc", 1, Role::none);
  backlog.add("de", 2, Role::none);
  EXPECT_EQ(from(backlog, 101), "abc/1 de/2 ");
  EXPECT_EQ(from(backlog, 104), "de/2 ");
  EXPECT_EQ(from(backlog, 106), "");
  EXPECT_TRUE(backlog.reaches(106));
  EXPECT_FALSE(backlog.reaches(107));
  EXPECT_FALSE(backlog.reaches(100));
}

TEST(Backlog, ForgetsWhatIsOlderThanAMegabyte) {
  Backlog backlog;
  backlog.begin(0);
  const std::string piece(1000, 'x');
  for (history::TenureId i = 1; i <= 5000; ++i) backlog.add(piece, i, Role::none);
  EXPECT_FALSE(backlog.reaches(1));
  EXPECT_EQ(backlog.last(), 5'000'000);
  EXPECT_LE(backlog.size(), std::size_t{1} << 20);
  EXPECT_EQ(from(backlog, 4'999'001), piece + "/5000 ");
}

}  // namespace
}  // namespace picklock::redis::backlog_tests
