#include "explore/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <algorithm>

#include <nlohmann/json.hpp>

#include "scenarios/shipped.h"

namespace picklock::explore {
namespace {

using scenarios::shipped::plain;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

void make(Search& search, std::uint64_t runs) {
  while (search.tally().runs < runs && search.clean()) search.run_next();
}

TEST(Report, SaysWithinWhichBoundsNothingWasFound) {
  Search search(plain("lua-check-delete"),
                {.seed = 3, .faults = {.classes = {FaultClass::pause}}, .all_classes = false});
  make(search, 300);
  const Report report{.search = search, .wall_seconds = 0.5};
  const Tally& tally = search.tally();
  const std::string told = text(report, {});
  EXPECT_THAT(told, StartsWith(fmt::format(R"(✓ no promised property was violated
searched   lua-check-delete, seed 3: 3 clients, 2 cycles each
runs       300 in 0.5s, 600 a second
faults     1 to 3 in a run; {0} fired, {1} dropped because their step was not reached
fired      pause {0}
also       violated, but not promised: mutual-exclusion in {2} runs, )",
                                           tally.fired, tally.dropped, tally.besides[0].runs)));
  EXPECT_THAT(told, EndsWith(fmt::format(R"(
premise    judged up to 30.6s after the last fault; ties permuted in {} runs; 5 runs repeated, with
           the same digest
bound      a run drawn like these violates one with a probability below 0.99%, at 95% confidence
)",
                                         tally.permuted)));
  EXPECT_NEAR(static_cast<double>(tally.permuted), 150, 40);
  const Json out = Json::parse(json(report));
  EXPECT_EQ(out.at("runs"), 300);
  EXPECT_EQ(out.at("runs_per_second"), 600.0);
  EXPECT_EQ(out.at("exhausted"), false);
  EXPECT_EQ(out.at("faults"), Json::array({"pause"}));
  EXPECT_EQ(out.at("besides").at("mutual-exclusion").at("runs"), tally.besides[0].runs);
  EXPECT_NEAR(out.at("chance_below"), 0.00994, 1e-5);
  EXPECT_TRUE(out.at("violations").empty());
}

TEST(Report, TellsTheStoryOfWhatWasFoundAndHowToSeeItAgain) {
  Search search(plain("set-px-blind-delete"),
                {.properties = {Property::own_release}, .command = "picklock explore x"});
  make(search, 1000);
  ASSERT_EQ(search.finds().size(), 1u);
  const Find& find = search.finds()[0];
  const Report report{
      .search = search,
      .wall_seconds = 1,
      .files = {"out/own-release-7.toml"},
      .run_command = [](const std::string& file) { return "picklock run " + file; }};
  const std::string told = text(report, {});
  std::string begins = told.substr(0, find.story.title.size());
  std::replace(begins.begin(), begins.end(), '\n', ' ');  // it may be a long one
  EXPECT_EQ(begins, find.story.title);
  EXPECT_THAT(told, HasSubstr("\nscenario   own-release-7\n"));
  EXPECT_THAT(told, HasSubstr("\nrepeat     picklock run out/own-release-7.toml\n"));
  EXPECT_THAT(told, HasSubstr("✗ own-release violated in run "));
  EXPECT_THAT(told, Not(HasSubstr("as expected")));
  EXPECT_THAT(told, Not(HasSubstr("although promised")));

  const Json out = Json::parse(json(report));
  EXPECT_TRUE(out.at("chance_below").is_null());
  ASSERT_EQ(out.at("violations").size(), 1u);
  const Json& violation = out.at("violations").at(0);
  EXPECT_EQ(violation.at("property"), "own-release");
  EXPECT_EQ(violation.at("promised"), false);
  EXPECT_EQ(violation.at("faults"), find.story.faults.size());
  EXPECT_EQ(violation.at("first_at_run"), out.at("runs"));
  EXPECT_EQ(violation.at("file"), "out/own-release-7.toml");
}

TEST(Report, TakesASearchThatHasTriedNothingForNoAnswer) {
  Search search(plain("lua-check-delete"), {});
  EXPECT_THAT(text({.search = search}, {}),
              StartsWith("✗ nothing was tried: no run could be judged\n"));
  EXPECT_EQ(Json::parse(json({.search = search})).at("nothing_tried"), "no run could be judged");
}

TEST(Report, SaysWhatHasStoppedASearch) {
  Search search(plain("lua-check-delete"), {});
  make(search, 20);
  const Report report{.search = search, .stopped = "run 7 is not deterministic"};
  EXPECT_THAT(text(report, {}), StartsWith("✗ stopped: run 7 is not deterministic\n"));
  EXPECT_EQ(Json::parse(json(report)).at("stopped"), "run 7 is not deterministic");
}

TEST(Report, SaysThatASearchWasInterrupted) {
  Search search(plain("lua-check-delete"), {});
  const Report none{.search = search, .wall_seconds = 0.0, .interrupted = true};
  EXPECT_THAT(text(none, {}), StartsWith("✓ no promised property was violated, until it was "
                                         "interrupted\n"));
  EXPECT_THAT(text(none, {}), HasSubstr("runs       0 in 0.0s, 0 a second\n"));
  EXPECT_EQ(Json::parse(json(none)).at("interrupted"), true);
}

TEST(Report, TellsNoTimeThatItWasNotGivenAndWhyTheSearchEnded) {
  Search search(plain("lua-check-delete"), {});
  const Report none{.search = search, .ended_by = "by the file `stop`"};
  EXPECT_THAT(text(none, {}), HasSubstr("runs       0\nended      by the file `stop`\n"));
  EXPECT_TRUE(Json::parse(json(none)).at("wall_seconds").is_null());
  EXPECT_EQ(Json::parse(json(none)).at("ended_by"), "by the file `stop`");
}

TEST(Report, FitsTheWidthAndTheMarksItIsGiven) {
  Search search(plain("lua-check-delete"), {});
  make(search, 50);
  const std::string narrow =
      text({.search = search}, {.width = 50, .unicode = false, .repeat_command = {}});
  std::size_t start = 0;
  for (std::size_t end = 0; (end = narrow.find('\n', start)) != std::string::npos; start = end + 1)
    EXPECT_LE(end - start, 50u) << narrow.substr(start, end - start);
  for (const char byte : narrow) EXPECT_LT(static_cast<unsigned char>(byte), 0x80);
}

}  // namespace
}  // namespace picklock::explore
