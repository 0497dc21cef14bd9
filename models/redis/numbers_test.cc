#include "models/redis/numbers.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>

#include "sim/random.h"

namespace picklock::redis::numbers_tests {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::optional<double> strict(std::string_view text) {
  double value = 0;
  return strict_double(text, value) ? std::optional(value) : std::nullopt;
}
std::optional<double> lax(std::string_view text) {
  double value = 0;
  return lax_double(text, value) ? std::optional(value) : std::nullopt;
}
std::string written(double value) {
  std::string text;
  write_double(value, text);
  return text;
}

TEST(StrictDouble, ReadsWhatStrtodTakesWhole) {
  EXPECT_EQ(strict("1.5"), 1.5);
  EXPECT_EQ(strict("+.5"), 0.5);
  EXPECT_EQ(strict("5."), 5.0);
  EXPECT_EQ(strict("-1e3"), -1000.0);
  EXPECT_EQ(strict("0x10"), 16.0);
  EXPECT_EQ(strict("-0X.8p1"), -1.0);
  EXPECT_EQ(strict("+Inf"), kInfinity);
  EXPECT_EQ(strict("-infinity"), -kInfinity);
  EXPECT_EQ(strict("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(strict("4.9e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(StrictDouble, RefusesTheRest) {
  for (std::string_view text : {"", " 1", "1 ", "abc", "1e", "0x", "--1", "+-1", "nan", "-nan",
                                "1_000", "1e400", "-1e400", "1e-400", "0x1p5000", "0x1p-5000"})
    EXPECT_EQ(strict(text), std::nullopt) << text;
  EXPECT_EQ(strict(std::string_view("1\0", 2)), std::nullopt);
}

TEST(LaxDouble, HasBlanksBeforeItAndEndsAtAZeroByte) {
  EXPECT_EQ(lax(" \t1"), 1.0);
  EXPECT_EQ(lax(""), 0.0);
  EXPECT_EQ(lax(std::string_view("2\0x", 3)), 2.0);
  EXPECT_EQ(lax(" "), std::nullopt);
  EXPECT_EQ(lax("1 "), std::nullopt);
  EXPECT_EQ(lax("nan"), std::nullopt);
}

TEST(LaxDouble, IsInfiniteWhereItIsTooLargeAndZeroWhereItIsTooSmall) {
  EXPECT_EQ(lax("1e400"), kInfinity);
  EXPECT_EQ(lax("-1e99999999999999999999"), -kInfinity);
  EXPECT_EQ(lax("1" + std::string(400, '0')), kInfinity);
  EXPECT_EQ(lax("0x1p5000"), kInfinity);
  EXPECT_EQ(lax("1e-400"), 0.0);
  EXPECT_EQ(lax("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(lax("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(lax("0." + std::string(400, '0') + "1e800"), kInfinity);
}

TEST(WrittenDouble, HasSeventeenDigitsAtMost) {
  EXPECT_EQ(written(3), "3");
  EXPECT_EQ(written(0.1), "0.10000000000000001");
  EXPECT_EQ(written(1e20), "1e+20");
  EXPECT_EQ(written(1e16), "10000000000000000");
  EXPECT_EQ(written(-0.0), "-0");
  EXPECT_EQ(written(-kInfinity), "-inf");
}

void expect_as_in_the_c_library(double value) {
  char expected[64];
  std::snprintf(expected, sizeof expected, "%.17g", value);
  EXPECT_EQ(written(value), expected);
  EXPECT_EQ(strict(expected), value);
  EXPECT_EQ(lax(expected), std::strtod(expected, nullptr));
}

TEST(WrittenDouble, IsWhatTheCLibraryWritesAndReads) {
  sim::Random random(1, 2);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = std::bit_cast<double>(random.next());
    if (!std::isnan(value)) expect_as_in_the_c_library(value);
  }
}

TEST(WrittenDouble, IsWhatTheCLibraryWritesAndReadsForWholeNumbersOfEachLength) {
  for (double power = 1; power < 1e20; power *= 10) {
    for (const double value : {power - 1, power, power + 1, power / 7, power + 0.5}) {
      expect_as_in_the_c_library(value);
      expect_as_in_the_c_library(-value);
    }
  }
}

TEST(StrictDouble, ReadsAMinusZeroAndLeadingZeros) {
  for (const char* text : {"-0", "-000", "0", "-007", "0000000000000000000012", "999999999999999",
                           "-99999999999999", "1000000000000001"}) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(strict(text).value()),
              std::bit_cast<std::uint64_t>(std::strtod(text, nullptr)))
        << text;
  }
}

TEST(Numbers, IntegersAreReadAsStrictlyAsRedisDoes) {
  const auto strict = [](std::string_view text) {
    std::int64_t value = 0;
    return strict_integer(text, value) ? std::optional(value) : std::nullopt;
  };
  EXPECT_EQ(strict("0"), 0);
  EXPECT_EQ(strict("-7"), -7);
  EXPECT_EQ(strict("999999999999999999"), 999999999999999999);
  EXPECT_EQ(strict("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(strict("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* none :
       {"", "-", "+1", "-0", "007", "-07", " 1", "1 ", "1a", "9223372036854775808"})
    EXPECT_EQ(strict(none), std::nullopt) << none;
  // The count of an array may have leading zeros.
  std::int64_t lax = 0;
  EXPECT_TRUE(read_integer("-007", lax));
  EXPECT_EQ(lax, -7);
}

}  // namespace
}  // namespace picklock::redis::numbers_tests
