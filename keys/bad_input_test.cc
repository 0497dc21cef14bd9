#include "keys/bad_input.h"

#include <gtest/gtest.h>

namespace picklock::keys {
namespace {

TEST(Printable, KeepsWhatPrints) {
  EXPECT_EQ(printable("lock.ttl = 3"), "lock.ttl = 3");
  EXPECT_EQ(printable("\xe9\x94\x81"), "\xe9\x94\x81");
}

TEST(Printable, EscapesWhatWouldBreakOrReorderTheLine) {
  EXPECT_EQ(printable(std::string("a\n\t\r\0b\x1b[31m", 11)), "a\\n\\t\\x0d\\x00b\\x1b[31m");
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u009b");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf0\x9f\x92"), "\\xf0\\x9f\\x92");
}

TEST(Printable, CutsLongText) {
  EXPECT_EQ(printable(std::string(61, 'x')), std::string(60, 'x') + "...");
  EXPECT_EQ(printable(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(printable(std::string(60, '\r'), 9), "\\x0d\\x0d...") << "counted as it is shown";
  EXPECT_EQ(printable("\xe9\x94\x81\xe9\x94\x81\xe9\x94\x81", 2), "\xe9\x94\x81\xe9\x94\x81...");
}

}  // namespace
}  // namespace picklock::keys
