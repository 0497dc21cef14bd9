#include "sim/random.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace picklock::sim {
namespace {

using namespace std::chrono_literals;

// Computed by another program from the definition: a machine or compiler that differs is found
// here.
TEST(Random, DrawsKnownValues) {
  Random zero;
  EXPECT_EQ(zero.next(), 0xe220a8397b1dcdafull);  // the published first outputs of SplitMix64
  EXPECT_EQ(zero.next(), 0x6e789e6aa1b965f4ull);
  Random random(1, 2);
  for (const std::uint64_t known : {0x87eb34b531fbb689ull, 0xf9b30d678840f4d6ull,
                                    0x14d14f80e5f9c880ull, 0x5955a8b3133f2355ull}) {
    EXPECT_EQ(random.next(), known);
  }
  Random below(1, 2);
  for (const std::uint64_t known : {530u, 975u, 81u, 348u, 902u, 774u})
    EXPECT_EQ(below.below(1000), known);
}

RC_GTEST_PROP(Random, StaysBelowItsBound, (std::uint64_t seed)) {
  const auto bound = *rc::gen::positive<std::uint64_t>();
  Random random(seed, 0);
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t drawn = random.below(bound);
    RC_ASSERT(drawn < bound);
  }
}

TEST(Random, DrawsEveryValueBelowASmallBoundAboutAsOften) {
  Random random(1, 0);
  std::vector<int> count(10);
  for (int i = 0; i < 100'000; ++i) ++count[random.below(10)];
  for (const int times : count) {
    EXPECT_GT(times, 9'600);  // 10,000 give or take four standard deviations
    EXPECT_LT(times, 10'400);
  }
}

RC_GTEST_PROP(Random, StaysBetweenItsBounds, (std::uint64_t seed)) {
  const Duration low(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000));
  const Duration width(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000));
  Random random(seed, 0);
  const Duration drawn = random.between(low, low + width);
  RC_ASSERT(drawn >= low && drawn <= low + width);
}

TEST(Random, ReachesBothBounds) {
  Random random(1, 0);
  bool low = false;
  bool high = false;
  for (int i = 0; i < 100; ++i) {
    const Duration drawn = random.between(5ns, 7ns);
    low = low || drawn == 5ns;
    high = high || drawn == 7ns;
  }
  EXPECT_TRUE(low && high);
}

TEST(Random, SpendsNoDrawWhereThereIsNothingToChoose) {
  Random random(1, 0);
  Random untouched(1, 0);
  EXPECT_EQ(random.between(5ms, 5ms), 5ms);
  EXPECT_EQ(random.next(), untouched.next());
}

RC_GTEST_PROP(Random, KeepsAHeavyTailWithinItsBounds, (std::uint64_t seed)) {
  const Duration low(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000));
  const Duration width(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000));
  Random random(seed, 0);
  for (int i = 0; i < 20; ++i) {
    const Duration drawn = random.heavy_tailed(low, low + width);
    RC_ASSERT(drawn >= low && drawn <= low + width);
  }
}

TEST(Random, HalvesAHeavyTailFromOctaveToOctave) {
  Random random(1, 0);
  std::vector<int> octave(11);
  for (int i = 0; i < 100'000; ++i) {
    const Duration drawn = random.heavy_tailed(1ms, 1024ms);
    std::size_t k = 0;
    while (k < 10 && drawn >= 1ms * (2 << k)) ++k;
    ++octave[k];
  }
  int expected = 50'000;
  for (std::size_t k = 0; k < 6; ++k, expected /= 2) {
    EXPECT_GT(octave[k], expected * 9 / 10) << k;
    EXPECT_LT(octave[k], expected * 11 / 10) << k;
  }
  EXPECT_GT(octave[9] + octave[10], 0);
}

TEST(Random, GivesEveryStreamAndSeedItsOwnDraws) {
  const auto first = [](std::uint64_t seed, std::string_view stream) {
    return Random(seed, hash_of(stream)).next();
  };
  EXPECT_EQ(first(1, "latency"), first(1, "latency"));
  EXPECT_NE(first(1, "latency"), first(2, "latency"));
  EXPECT_NE(first(1, "latency"), first(1, "pauses"));
  EXPECT_NE(first(1, "a"), first(1, "b"));
  EXPECT_NE(Random(1, 2).next(), Random(2, 1).next());
}

}  // namespace
}  // namespace picklock::sim
