#include "conform/zookeeper/player.h"

#include <gmock/gmock.h>

#include "conform/zookeeper/grammar.h"
#include "conform/zookeeper/model_line.h"

namespace picklock::conform::zookeeper::player_tests {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

Step ask(std::uint32_t connection, Ask what) {
  return {.connection = connection, .ask = std::move(what)};
}

TEST(ZooKeeperPlayer, TellsOfEachStepWhatCameToWhom) {
  Sequence sequence{.connections = 2};
  sequence.steps = {
      {.kind = Step::Kind::connect, .connection = 0, .timeout = 4000},
      {.kind = Step::Kind::connect, .connection = 1, .timeout = 4000},
      ask(0, {.op = OpCode::exists, .path = "/t/a", .watch = true}),
      ask(1, {.op = OpCode::create, .path = "/t/a", .data = "", .flags = 1}),
      ask(1, {.op = OpCode::close_session}),
  };
  const std::vector<Outcome> outcomes = play_to_model(sequence);
  ASSERT_EQ(outcomes.size(), 5);
  EXPECT_EQ(outcomes[2].code, Code::no_node);
  EXPECT_THAT(shown(outcomes[3].came[0].at(0)), StartsWith("NodeCreated /t/a"));
  EXPECT_THAT(shown(outcomes[3].came[1].at(0)), StartsWith("/t/a"));
  EXPECT_THAT(shown(outcomes[4].came[1].back()), "ends the connection");
}

TEST(ZooKeeperPlayer, ComesToTheSameWhenItIsPlayedAgain) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Sequence sequence = draw_sequence(sequence_seed(3, i));
    EXPECT_EQ(play_to_model(sequence), play_to_model(sequence)) << sequence.seed;
  }
}

// The session of the first connection ends while no client sends anything.
TEST(ZooKeeperPlayer, LetsSessionsEndInSilence) {
  Sequence sequence{.connections = 2};
  sequence.steps = {
      {.kind = Step::Kind::connect, .connection = 0, .timeout = 400},
      {.kind = Step::Kind::connect, .connection = 1, .timeout = 4000},
      ask(0, {.op = OpCode::create, .path = "/t/a", .data = "", .flags = 1}),
      {.kind = Step::Kind::pass, .timeout = 1000},
      ask(1, {.op = OpCode::exists, .path = "/t/a"}),
  };
  const std::vector<Outcome> outcomes = play_to_model(sequence);
  EXPECT_THAT(outcomes[3].came[0], ElementsAre("EOF"));
  EXPECT_EQ(outcomes[4].code, Code::no_node);
}

// A session that ended would be a write, and shift the zxids of what follows.
TEST(ZooKeeperPlayer, KeepsTheSessionOfWhoCleansUp) {
  const Step pass{.kind = Step::Kind::pass, .timeout = 1500};
  const Step create = ask(0, {.op = OpCode::create, .path = "/t/a", .data = ""});
  Sequence slow{.connections = 1};
  slow.steps = {{.kind = Step::Kind::connect, .timeout = 4000}, pass, pass, pass, create};
  Sequence fast{.connections = 1};
  fast.steps = {slow.steps.front(), create};
  EXPECT_EQ(play_to_model(slow).back(), play_to_model(fast).back());
}

TEST(ZooKeeperPlayer, CleansUpInAnotherSessionIfTheFirstHasEnded) {
  Sequence sequence{.connections = 1};
  sequence.steps = {{.kind = Step::Kind::connect, .timeout = 4000},
                    {.kind = Step::Kind::pass, .timeout = 6000},
                    {.kind = Step::Kind::connect, .timeout = 4000}};
  const std::vector<Outcome> outcomes = play_to_model(sequence);
  EXPECT_THAT(outcomes[1].came[0], ElementsAre("EOF"));
  EXPECT_EQ(outcomes[2].came[0].size(), 1);
}

TEST(ZooKeeperPlayer, EndsAnUsurpedSessionByTheTimeOutOfItsNewConnection) {  // Z5, Z61
  Sequence sequence{.connections = 2};
  sequence.steps = {
      {.kind = Step::Kind::connect, .connection = 0, .timeout = 400},
      {.kind = Step::Kind::connect, .connection = 1, .timeout = 4000},
      {.kind = Step::Kind::usurp, .connection = 0, .from = 1},
      {.kind = Step::Kind::pass, .timeout = 1000},
  };
  const std::vector<Outcome> outcomes = play_to_model(sequence);
  EXPECT_THAT(outcomes[2].came[1], ElementsAre("EOF"));
  EXPECT_THAT(outcomes[3].came[0], ElementsAre("EOF"));
}

}  // namespace
}  // namespace picklock::conform::zookeeper::player_tests
