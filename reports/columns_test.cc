#include "reports/columns.h"

#include <gtest/gtest.h>

namespace picklock::reports {
namespace {

TEST(Columns, CountColumnsAndNotBytes) {
  EXPECT_EQ(display_width("lock"), 4);
  EXPECT_EQ(display_width("│►…✗"), 4);
  EXPECT_EQ(display_width("⚡"), 2);
  EXPECT_EQ(display_width("分布式锁"), 8);
  EXPECT_EQ(display_width("e\u0301"), 1);
}

TEST(Columns, ShowWhatDoesNotPrint) {
  EXPECT_EQ(printable("a\x1b[31m\n"), "a\\x1b[31m\\x0a");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\u202e"), "\\xe2\\x80\\xae");
  EXPECT_EQ(printable("锁"), "锁");
}

TEST(Columns, ReplaceWhatIsNotAsciiWithoutChangingTheWidth) {
  EXPECT_EQ(ascii("a锁b"), "a??b");
  EXPECT_EQ(ascii("é"), "?");
}

TEST(Columns, PadToAWidth) {
  EXPECT_EQ(pad_right("锁", 4), "锁  ");
  EXPECT_EQ(pad_left("1s", 4), "  1s");
  EXPECT_EQ(pad_left("longer", 4), "longer");
}

TEST(Columns, WrapAtSpacesAndBreakWordsThatAreTooLong) {
  EXPECT_EQ(wrap("", 4), (std::vector<std::string>{""}));
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
  EXPECT_EQ(wrap("锁锁锁", 5), (std::vector<std::string>{"锁锁", "锁"}));
  EXPECT_EQ(wrap("one two three", 7, 2), (std::vector<std::string>{"one two", "  three"}));
}

}  // namespace
}  // namespace picklock::reports
