#include "conform/zookeeper/grammar.h"

#include <gtest/gtest.h>

#include <set>

namespace picklock::conform::zookeeper {
namespace {

std::string text_of(const Sequence& sequence) {
  std::string all;
  for (const Step& step : sequence.steps) all += shown(step) + "\n";
  return all;
}

TEST(ZooKeeperGrammar, DrawsTheSameFromTheSameSeedAndAnotherFromAnother) {
  EXPECT_EQ(text_of(draw_sequence(7)), text_of(draw_sequence(7)));
  EXPECT_NE(text_of(draw_sequence(7)), text_of(draw_sequence(8)));
  EXPECT_EQ(sequence_seed(7, 0), 7);
}

TEST(ZooKeeperGrammar, DrawsEveryOperationAndEveryKindOfStep) {
  std::set<OpCode> asked;
  std::set<Step::Kind> kinds;
  for (std::uint64_t i = 0; i < 200; ++i) {
    for (const Step& step : draw_sequence(sequence_seed(1, i)).steps) {
      kinds.insert(step.kind);
      if (step.kind == Step::Kind::ask) asked.insert(step.ask.op);
    }
  }
  EXPECT_EQ(kinds.size(), 7);
  EXPECT_EQ(asked.size(), 16);
}

}  // namespace
}  // namespace picklock::conform::zookeeper
