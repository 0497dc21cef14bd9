#include "compare/histogram.h"

#include <gtest/gtest.h>

namespace picklock::compare {
namespace {

using namespace std::chrono_literals;

TEST(Histogram, KnowsShortLengthsExactly) {
  Histogram histogram;
  for (int i = 1; i <= 20; ++i) histogram.count(sim::Duration(i));
  EXPECT_EQ(histogram.quantile(50), sim::Duration(10));
  EXPECT_EQ(histogram.quantile(100), sim::Duration(20));
}

TEST(Histogram, IsNeverOffByMoreThanAThirtieth) {
  for (const sim::Duration length : {33ns, 1us + 0ns, 94ms + 17ns, 3600s + 1ns, 1'000'000s + 0ns}) {
    Histogram histogram;
    histogram.count(length);
    const sim::Duration told = histogram.quantile(50).value();
    EXPECT_EQ(told, length);
    histogram.count(2 * length);
    EXPECT_GE(histogram.quantile(50), length);
    EXPECT_LE(histogram.quantile(50), length + length / 30);
  }
}

TEST(Histogram, OfNothingHasNoQuantile) { EXPECT_EQ(Histogram().quantile(99), std::nullopt); }

TEST(Histogram, AddsUp) {
  Histogram one;
  Histogram other;
  Histogram both;
  for (int i = 0; i < 1000; ++i) {
    (i % 3 == 0 ? one : other).count(i * 1ms);
    both.count(i * 1ms);
  }
  one.add(other);
  EXPECT_EQ(one.counts(), both.counts());
  EXPECT_EQ(one.size(), both.size());
}

}  // namespace
}  // namespace picklock::compare
