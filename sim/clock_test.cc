#include "sim/clock.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace picklock::sim {
namespace {

using namespace std::chrono_literals;

constexpr auto kMonotonic = ClockKind::monotonic;
constexpr auto kWall = ClockKind::wall;

TEST(LocalClock, ShowsTrueTimeWhenUndisturbed) {
  const LocalClock clock;
  EXPECT_EQ(clock.read(kMonotonic, kStart + 5s), 5'000'000'000);
  EXPECT_EQ(clock.read(kWall, kStart + 5s), kEpoch + 5'000'000'000);
}

TEST(LocalClock, HasItsOffsetOnTheWallAlone) {
  const LocalClock clock(-2s, 0);
  EXPECT_EQ(clock.read(kWall, kStart), kEpoch - 2'000'000'000);
  EXPECT_EQ(clock.read(kMonotonic, kStart + 1s), 1'000'000'000);
}

TEST(LocalClock, KnowsWhetherItsWallWasReadOrWaitedFor) {
  LocalClock read, awaited;
  read.set_rate(kStart + 1s, 1'000'000'000);
  read.read(kMonotonic, kStart + 1s);
  EXPECT_FALSE(read.wall_was_read());
  read.read(kWall, kStart + 1s);
  EXPECT_TRUE(read.wall_was_read());
  awaited.when(kWall, kEpoch + 1, kStart);
  EXPECT_TRUE(awaited.wall_was_read());
}

TEST(LocalClock, HasItsRateOnBothClocks) {
  const LocalClock fast(0s, 100'000);
  EXPECT_EQ(fast.read(kMonotonic, kStart + 10s), 10'001'000'000);
  EXPECT_EQ(fast.read(kWall, kStart + 10s), kEpoch + 10'001'000'000);
  const LocalClock slow(0s, -100'000);
  EXPECT_EQ(slow.read(kMonotonic, kStart + 10s), 9'999'000'000);
}

TEST(LocalClock, StepsOnTheWallAlone) {
  LocalClock clock;
  clock.step(-3s);
  EXPECT_EQ(clock.read(kWall, kStart + 2s), kEpoch - 1'000'000'000);
  EXPECT_EQ(clock.read(kMonotonic, kStart + 2s), 2'000'000'000);
}

TEST(LocalClock, GoesOnFromWhereItWasWhenItsRateChanges) {
  LocalClock clock;
  clock.set_rate(kStart + 10s, 500'000'000);
  EXPECT_EQ(clock.read(kMonotonic, kStart + 10s), 10'000'000'000);
  EXPECT_EQ(clock.read(kMonotonic, kStart + 12s), 13'000'000'000);
  clock.set_rate(kStart + 12s, 0);
  EXPECT_EQ(clock.read(kMonotonic, kStart + 13s), 14'000'000'000);
  EXPECT_EQ(clock.read(kWall, kStart + 13s), kEpoch + 14'000'000'000);
}

TEST(LocalClock, IsExactAfterAYear) {
  const LocalClock clock(0s, 1);
  const Duration year = 24h * 365;
  EXPECT_EQ(clock.read(kMonotonic, kStart + year), year.count() + 31'536'000);
}

// A change that a run can make to a clock, at rising instants.
struct Disturbance {
  std::int64_t after = 0;
  bool steps = false;
  std::int64_t amount = 0;
};

rc::Gen<std::int64_t> any_rate() {
  return rc::gen::oneOf(rc::gen::just<std::int64_t>(0),
                        rc::gen::inRange<std::int64_t>(-200'000, 200'000),
                        rc::gen::inRange<std::int64_t>(-900'000'000, 4'000'000'000));
}

rc::Gen<std::vector<Disturbance>> any_disturbances() {
  return rc::gen::container<std::vector<Disturbance>>(
      rc::gen::mapcat(rc::gen::arbitrary<bool>(), [](bool steps) {
        return rc::gen::build<Disturbance>(
            rc::gen::set(&Disturbance::after, rc::gen::inRange<std::int64_t>(0, 10'000'000'000)),
            rc::gen::set(&Disturbance::steps, rc::gen::just(steps)),
            rc::gen::set(&Disturbance::amount,
                         steps ? rc::gen::inRange<std::int64_t>(-10'000'000'000, 10'000'000'000)
                               : any_rate()));
      }));
}

Instant disturb(LocalClock& clock, const std::vector<Disturbance>& disturbances) {
  Instant now = kStart;
  for (const Disturbance& one : disturbances) {
    now += Duration(one.after);
    if (one.steps) {
      clock.step(Duration(one.amount));
    } else {
      clock.set_rate(now, one.amount);
    }
  }
  return now;
}

RC_GTEST_PROP(LocalClock, NamesTheFirstInstantAtWhichItShowsATime, ()) {
  const auto kind = *rc::gen::element(kMonotonic, kWall);
  LocalClock clock(Duration(*rc::gen::inRange<std::int64_t>(-1'000'000'000, 1'000'000'000)),
                   *any_rate());
  const Instant now = disturb(clock, *any_disturbances());
  const std::int64_t ahead = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(-5, 50),
                                             rc::gen::inRange<std::int64_t>(0, 100'000'000'000));
  const std::int64_t local = clock.read(kind, now) + ahead;
  const Instant at = clock.when(kind, local, now);
  RC_ASSERT(at >= now);
  RC_ASSERT(clock.read(kind, at) >= local);
  if (at > now) RC_ASSERT(clock.read(kind, at - Duration(1)) < local);
}

RC_GTEST_PROP(LocalClock, NeverGoesBackOnTheMonotonicClock, ()) {
  LocalClock clock({}, *any_rate());
  Instant now = kStart;
  std::int64_t last = 0;
  for (const Disturbance& one : *any_disturbances()) {
    now += Duration(one.after);
    const std::int64_t before = clock.read(kMonotonic, now);
    RC_ASSERT(before >= last);
    if (one.steps) {
      clock.step(Duration(one.amount));
    } else {
      clock.set_rate(now, one.amount);
    }
    last = clock.read(kMonotonic, now);
    RC_ASSERT(last == before);
  }
}

RC_GTEST_PROP(LocalClock, LeavesTheMonotonicClockAsItWasWhenItSteps, ()) {
  const auto rate = *any_rate();
  const Instant later = kStart + Duration(*rc::gen::inRange<std::int64_t>(0, 10'000'000'000));
  const std::int64_t by = *rc::gen::arbitrary<std::int32_t>();
  const LocalClock clock({}, rate);
  LocalClock stepped = clock;
  stepped.step(Duration(by));
  RC_ASSERT(stepped.read(kMonotonic, later) == clock.read(kMonotonic, later));
  RC_ASSERT(stepped.read(kWall, later) == clock.read(kWall, later) + by);
}

TEST(LocalClock, SaturatesAtNever) {
  const LocalClock clock;
  EXPECT_EQ(clock.when(kMonotonic, INT64_MAX, kStart), kNever);
  const LocalClock slow(0s, -999'999'999);
  EXPECT_EQ(slow.when(kMonotonic, INT64_MAX / 2, kStart), kNever);
  EXPECT_EQ(clock.when(kWall, INT64_MAX, kStart), kNever - Duration(kEpoch));
}

TEST(LocalClock, IsDueAtOnceWhereTheTimeHasPassed) {
  const LocalClock clock;
  EXPECT_EQ(clock.when(kMonotonic, 5, kStart + 1s), kStart + 1s);
  EXPECT_EQ(clock.when(kWall, INT64_MIN / 2, kStart + 1s), kStart + 1s);
}

}  // namespace
}  // namespace picklock::sim
