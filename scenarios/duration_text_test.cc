#include "scenarios/duration_text.h"

#include <gtest/gtest.h>

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;

TEST(DurationText, ReadsEveryUnit) {
  EXPECT_EQ(duration_from("10ns"), 10ns);
  EXPECT_EQ(duration_from("250us"), 250us);
  EXPECT_EQ(duration_from("100ms"), 100ms);
  EXPECT_EQ(duration_from("10s"), 10s);
  EXPECT_EQ(duration_from("2m"), 2min);
  EXPECT_EQ(duration_from("1h"), 1h);
  EXPECT_EQ(duration_from("876000h"), kLongest);
}

TEST(DurationText, ReadsFractionsExactly) {
  EXPECT_EQ(duration_from("1.5s"), 1500ms);
  EXPECT_EQ(duration_from("-0.000000001s"), -1ns);
  EXPECT_EQ(duration_from("0.1us"), 100ns);
  EXPECT_EQ(duration_from("0.25h"), 15min);
  EXPECT_EQ(duration_from("1.500000000000000000000s"), 1500ms);
}

TEST(DurationText, RefusesEverythingElse) {
  for (const char* text :
       {"", "s", "10", "10 s", "+1s", "1.s", ".5s", "1e3s", "1S", "1s ", "0x1s", "--1s", "1m30s",
        "0.1ns", "0.0000000001s", "876000.1h", "99999999999999999999s"}) {
    EXPECT_EQ(duration_from(text), std::nullopt) << text;
  }
}

TEST(DurationText, WritesWhatReadsBack) {
  EXPECT_EQ(to_text(0ns), "0s");
  EXPECT_EQ(to_text(10s), "10s");
  EXPECT_EQ(to_text(-1500ms), "-1500ms");
  EXPECT_EQ(to_text(1001us), "1001us");
  EXPECT_EQ(to_text(1ns), "1ns");
  for (const sim::Duration length : {1ns, -7ns, 999us + 0ns, 90s + 0ns, kLongest, -kLongest}) {
    EXPECT_EQ(duration_from(to_text(length)), length);
  }
}

}  // namespace
}  // namespace picklock::scenarios
