#include "keys/duration_text.h"

#include <gtest/gtest.h>

namespace picklock::keys {
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

TEST(DurationText, NamesTheMistake) {
  const std::string units = "the units are ns, us, ms, s, m, h";
  const std::string usual = "must be a duration such as \"1.5s\", not ";
  EXPECT_EQ(duration_problem("10"), "must have a unit, as in \"10s\", not \"10\"; " + units);
  EXPECT_EQ(duration_problem("876001h"), "must be at most 100 years, not \"876001h\"");
  EXPECT_EQ(duration_problem("-876000.1h"), "must be at most 100 years, not \"-876000.1h\"");
  EXPECT_EQ(duration_problem("0.5ns"), "must be a whole number of nanoseconds, not \"0.5ns\"");
  for (const char* text : {"", "ten", "1,5s", "1m30s", "+10s", "1.s", "10 parsecs", "1e3s"}) {
    EXPECT_EQ(duration_problem(text), usual + "\"" + text + "\"; " + units);
  }
}

TEST(DurationText, KnowsTheUnitThatWasMeant) {
  const auto meant = [](const std::string& text, const std::string& duration) {
    EXPECT_EQ(duration_problem(text), "must be a duration such as \"1.5s\", not \"" + text +
                                          "\"; did you mean `" + duration + "`?");
  };
  meant("10sec", "10s");
  meant("10 s", "10s");
  meant("-1.5S", "-1.5s");
  meant("2 minutes", "2m");
  meant("2min", "2m");
  meant("3hours", "3h");
  meant("250 milliseconds", "250ms");
  meant("250\u00b5s", "250us");
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

TEST(DurationText, CountsInSecondsForComparisons) {
  EXPECT_EQ(in_seconds(0ns), "0s");
  EXPECT_EQ(in_seconds(90s), "90s");
  EXPECT_EQ(in_seconds(-1500ms), "-1.5s");
  EXPECT_EQ(in_seconds(1ns), "0.000000001s");
}

}  // namespace
}  // namespace picklock::keys
