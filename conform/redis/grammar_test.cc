#include "conform/redis/grammar.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "conform/redis/vocabulary.h"
#include "models/redis/commands.h"

namespace picklock::conform::redis {

using namespace picklock::redis;
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string text(const Sequence& sequence) {
  std::string all = std::to_string(sequence.connections);
  for (const Step& step : sequence.steps) all += '\n' + shown(step);
  return all;
}

std::size_t commands(const Sequence& sequence) {
  return static_cast<std::size_t>(
      std::count_if(sequence.steps.begin(), sequence.steps.end(),
                    [](const Step& step) { return !step.passes_time(); }));
}

TEST(Grammar, DrawsTheSameSequenceFromTheSameSeed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    EXPECT_EQ(text(draw_sequence(seed, true)), text(draw_sequence(seed, true)));
  EXPECT_NE(text(draw_sequence(1, true)), text(draw_sequence(2, true)));
}

TEST(Grammar, DrawsFiftyCommandsOverTwoToFourConnections) {
  std::set<std::uint32_t> connections;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Sequence sequence = draw_sequence(seed, true);
    EXPECT_EQ(commands(sequence), kCommandsPerSequence);
    connections.insert(sequence.connections);
    for (const Step& step : sequence.steps) EXPECT_LT(step.connection, sequence.connections);
  }
  EXPECT_THAT(connections, testing::ElementsAre(2, 3, 4));
}

TEST(Grammar, BeginsARunWithItsOwnSeed) {
  EXPECT_EQ(sequence_seed(7, 0), 7u);
  EXPECT_NE(sequence_seed(7, 1), sequence_seed(7, 2));
  EXPECT_NE(sequence_seed(7, 1), sequence_seed(8, 1));
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_LE(sequence_seed(1, i), std::uint64_t{INT64_MAX});
}

// A command that the model knows but no sequence contains would never be compared. (A sequence has
// one server and no relevant disk; conform/redis/outcomes compares the commands that need more.)
// Commands that block, or whose lines say the time, are not drawn: their tests have what was seen
// (R126, R127).
bool is_left_to_outcomes(const Command& command) {
  if (command.is(kBlocking) || command.name == "monitor") return true;
  for (const auto group : {replication_commands(), persistence_commands()}) {
    if (&command >= group.data() && &command < group.data() + group.size()) return true;
  }
  return false;
}

TEST(Grammar, KnowsEveryCommandOfTheModel) {
  std::set<std::string> drawn;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const Step& step : draw_sequence(seed, true).steps) {
      if (!step.passes_time()) drawn.insert(lower(step.words[0]));
    }
  }
  for (const Command* command : all_commands()) {
    if (command->run == nullptr || is_left_to_outcomes(*command)) continue;
    EXPECT_TRUE(drawn.contains(std::string(command->name))) << command->name;
  }
}

TEST(Grammar, LeavesTimeOutWhereTheClockCannotBeSet) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const Step& step : draw_sequence(seed, false).steps) {
      ASSERT_FALSE(step.passes_time());
      const std::string name = lower(step.words[0]);
      for (const char* timed :
           {"ttl", "pttl", "time", "expireat", "pexpireat", "expiretime", "pexpiretime", "debug"})
        EXPECT_NE(name, timed);
      for (const std::string& word : step.words) {
        EXPECT_NE(lower(word), "pxat");
        EXPECT_NE(lower(word), "pause");
        if (name == "expire" || name == "pexpire") {
          EXPECT_NE(lower(word), "gt");
          EXPECT_NE(lower(word), "lt");
        }
        for (const char* asked : {"'ttl'", "'pttl'", "'time'", "'expiretime'", "'pexpiretime'",
                                  "'expireat'", "'pexpireat'"})
          EXPECT_THAT(lower(word), Not(HasSubstr(asked)));
      }
      if (name == "config" && step.words.size() > 1) {
        EXPECT_NE(lower(step.words[1]), "set");
      }
    }
  }
}

}  // namespace
}  // namespace picklock::conform::redis
