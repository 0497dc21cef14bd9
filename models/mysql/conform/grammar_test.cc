#include "models/mysql/conform/grammar.h"

#include <gtest/gtest.h>

#include <set>

namespace picklock::models::mysql::conform {
namespace {

std::string text_of(const Interleaving& interleaving) {
  std::string all;
  for (const Step& step : interleaving.steps) all += shown(step) + "\n";
  return all;
}

TEST(MySqlGrammar, DrawsTheSameFromTheSameSeedAndAnotherFromAnother) {
  EXPECT_EQ(text_of(draw_interleaving(7)), text_of(draw_interleaving(7)));
  EXPECT_NE(text_of(draw_interleaving(7)), text_of(draw_interleaving(8)));
  EXPECT_EQ(interleaving_seed(7, 0), 7);
  EXPECT_NE(interleaving_seed(7, 1), interleaving_seed(7, 2));
}

TEST(MySqlGrammar, DrawsEveryStatement) {
  std::set<Op> said;
  bool impatient = false;
  for (std::uint64_t i = 0; i < 300; ++i) {
    for (const Step& step : draw_interleaving(interleaving_seed(1, i)).steps) {
      said.insert(step.statement.op);
      impatient = impatient || step.impatient;
    }
  }
  EXPECT_EQ(said.size(), static_cast<std::size_t>(Op::ping));  // which says nothing
  EXPECT_TRUE(impatient);
}

}  // namespace
}  // namespace picklock::models::mysql::conform
