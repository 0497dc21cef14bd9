#include "reports/mermaid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "testing/golden.h"
#include "testing/sample_run.h"

namespace picklock::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string drawn(scenarios::Run run) { return mermaid({.run = std::move(run), .twins = {}}); }

// Takes what stands before `mark` off the front, and the mark; nothing if there is none.
std::optional<std::string> take(std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return std::nullopt;
  std::string taken = text.substr(0, at);
  text.erase(0, at + mark.size());
  return taken;
}

// Every line is of a known form, names declared participants only, and its text can end no label.
void expect_well_formed(const std::string& diagram) {
  std::istringstream lines(diagram);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "sequenceDiagram");
  std::set<std::string> participants;
  while (std::getline(lines, line)) {
    SCOPED_TRACE(line);
    ASSERT_TRUE(line.starts_with("    "));
    std::string rest = line.substr(4);
    if (rest.starts_with("title ")) {
      rest.erase(0, 6);
    } else if (rest.starts_with("participant ")) {
      rest.erase(0, 12);
      const auto id = take(rest, " as ");
      ASSERT_TRUE(id);
      EXPECT_TRUE(participants.insert(*id).second);
    } else if (rest.starts_with("Note over ")) {
      rest.erase(0, 10);
      std::string over = take(rest, ": ").value_or("");
      if (const auto first = take(over, ",")) {
        EXPECT_TRUE(participants.contains(*first));
      }
      EXPECT_TRUE(participants.contains(over));
    } else {
      std::string ends = take(rest, ": ").value_or("");
      std::optional<std::string> from;
      for (const char* arrow : {"-->>", "->>", "-)", "-x"}) {
        if (!from) from = take(ends, arrow);
      }
      ASSERT_TRUE(from);
      EXPECT_TRUE(participants.contains(*from));
      EXPECT_TRUE(participants.contains(ends));
    }
    EXPECT_EQ(rest.find_first_of(";#<>"), std::string::npos);
  }
}

TEST(Mermaid, TellsTheStoryOfTheBlindDelete) {
  const std::string diagram = drawn(testing::blind_delete());
  expect_well_formed(diagram);
  testing::expect_golden("blind_delete.mmd", diagram);
}

TEST(Mermaid, EndsWithACommentThatRepeatsTheRun) {
  const std::string diagram =
      mermaid({.run = testing::blind_delete(), .twins = {}}, "picklock run story --set 'a=\n'");
  EXPECT_TRUE(diagram.ends_with("\n    %% repeat: picklock run story --set 'a=\\x0a'\n"))
      << diagram;
}

TEST(Mermaid, LetsNoTextEndALabel) {
  scenarios::Run run = testing::blind_delete();
  run.scenario.title = "a;b #1 <b>%%{init}\n end";
  run.keys = {"k;#\n"};
  for (char& byte : run.trace.bytes) {
    if (byte == '4') byte = ';';
    if (byte == 'R') byte = '#';
  }
  expect_well_formed(drawn(run));
  EXPECT_THAT(drawn(run), Not(HasSubstr("%%")));
}

TEST(Mermaid, DrawsNothingOfAnEmptyRun) { EXPECT_EQ(drawn(scenarios::Run{}), "sequenceDiagram\n"); }

}  // namespace
}  // namespace picklock::reports
