#include "conform/shrink.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <utility>

#include "conform/redis/simplify.h"

namespace picklock::conform::redis {
namespace {

using ::testing::ElementsAre;

Sequence sequence(const std::vector<std::string>& lines, std::uint32_t connections) {
  Sequence all;
  all.connections = connections;
  for (const std::string& line : lines) {
    Step step;
    step.connection = static_cast<std::uint32_t>(line[0] - '1');
    std::string word;
    for (const char letter : line.substr(2) + ' ') {
      if (letter != ' ') {
        word += letter;
      } else if (!word.empty()) {
        step.words.push_back(std::exchange(word, {}));
      }
    }
    all.steps.push_back(step);
  }
  return all;
}

std::vector<std::string> lines(const Sequence& sequence) {
  std::vector<std::string> all;
  for (const Step& step : sequence.steps) all.push_back(shown(step));
  return all;
}

Difference at(std::size_t step, std::string kind) {
  return {.step = step, .connection = 0, .kind = std::move(kind)};
}

Found<Step> shrink(const Sequence& sequence, const Shrinking<Step>::Compare& compare) {
  return Shrinking<Step>({sequence, *compare(sequence)}, compare).run(simplify);
}

// Differs at a GET anywhere after a SET of the same key.
std::optional<Difference> set_then_get(const Sequence& sequence) {
  for (std::size_t i = 0; i < sequence.steps.size(); ++i) {
    const auto& get = sequence.steps[i].words;
    if (get.size() < 2 || get[0] != "GET") continue;
    for (std::size_t j = 0; j < i; ++j) {
      const auto& set = sequence.steps[j].words;
      if (set.size() > 1 && set[0] == "SET" && set[1] == get[1]) return at(i, "another answer");
    }
  }
  return std::nullopt;
}

TEST(Shrink, LeavesWhatItTakesAndNothingElse) {
  const Sequence all = sequence({"1 PING", "2 SET k1 a NX PX 10", "1 GET k2", "3 DEL k1 k2",
                                 "2 SET k2 b", "1 GET k2 more", "1 PING", "2 GET k1"},
                                3);
  const Found<Step> least = shrink(all, set_then_get);
  EXPECT_THAT(lines(least.drawn), ElementsAre("1> SET k2", "1> GET k2"));
  EXPECT_EQ(least.drawn.connections, 1u);
  EXPECT_EQ(least.difference.step, 1u);
}

TEST(Shrink, KeepsTheConnectionsThatMatter) {
  const auto differs = [](const Sequence& sequence) -> std::optional<Difference> {
    for (std::size_t i = 1; i < sequence.steps.size(); ++i) {
      if (sequence.steps[i].connection != sequence.steps[i - 1].connection)
        return at(i, "another answer");
    }
    return std::nullopt;
  };
  const Sequence all = sequence({"1 A", "1 A", "3 A", "2 A"}, 3);
  const Found<Step> least = shrink(all, differs);
  EXPECT_EQ(least.drawn.connections, 2u);
  EXPECT_EQ(least.drawn.steps.size(), 2u);
}

TEST(Shrink, DoesNotSlipIntoAnotherDifference) {
  // Alone, the last command differs in another way.
  const auto differs = [](const Sequence& sequence) -> std::optional<Difference> {
    const std::size_t last = sequence.steps.size() - 1;
    if (sequence.steps[last].words[0] != "GET") return std::nullopt;
    return at(last, last > 0 ? "another answer" : "an error");
  };
  const Sequence all = sequence({"1 SET", "1 SET", "1 GET"}, 1);
  const Found<Step> least = shrink(all, differs);
  EXPECT_THAT(lines(least.drawn), ElementsAre("1> SET", "1> GET"));
}

}  // namespace
}  // namespace picklock::conform::redis
