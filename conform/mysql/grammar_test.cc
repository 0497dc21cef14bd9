#include "conform/mysql/grammar.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "conform/mysql/model_side.h"

namespace picklock::conform::mysql {
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
  EXPECT_EQ(said.size(), static_cast<std::size_t>(Op::ping));  // it has no text
  EXPECT_TRUE(impatient);
}

// How many of a thousand interleavings have this property.
int among_many(const std::function<bool(const Interleaving&, const Played&)>& is_such) {
  int such = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Interleaving interleaving = draw_interleaving(interleaving_seed(1, i));
    if (is_such(interleaving, play_to_model(interleaving, {}))) ++such;
  }
  return such;
}

bool says(const Interleaving& interleaving, const std::string& text) {
  return text_of(interleaving).find(text) != std::string::npos;
}

TEST(MySqlGrammar, BringsTwoKeysIntoOneGap) {
  EXPECT_GT(among_many([](const Interleaving& interleaving, const Played&) {
              return says(interleaving, "VALUES ('c'") && says(interleaving, "VALUES ('d'");
            }),
            2);
}

TEST(MySqlGrammar, ReadsARowTwiceWithACommittedChangeOfItBetween) {
  EXPECT_GT(among_many([](const Interleaving& interleaving, const Played& played) {
              std::set<std::string> answers;
              for (std::size_t i = 0; i < played.outcomes.size(); ++i) {
                const Step& step = interleaving.steps[i];
                const bool looks = step.session == 1 && step.statement.op == Op::select &&
                                   step.statement.key == "a" &&
                                   step.statement.locking == Locking::none;
                if (looks && !played.outcomes[i].empty()) answers.insert(shown(played.outcomes[i]));
              }
              return answers.size() > 1;
            }),
            2);
}

TEST(MySqlGrammar, GoesBackToASavepointThatATransactionBeginsWithAndLetsOthersGoOn) {
  EXPECT_GT(among_many([](const Interleaving& interleaving, const Played& played) {
              for (std::size_t i = 0; i < played.outcomes.size(); ++i) {
                const bool back = interleaving.steps[i].statement.op == Op::rollback_to;
                if (back && played.outcomes[i].size() > 1) return true;
              }
              return false;
            }),
            2);
}

TEST(MySqlGrammar, LocksRowsThatAreDeletedAlready) {
  EXPECT_GT(among_many([](const Interleaving&, const Played& played) {
              for (std::size_t i = 0; i < played.rows.size(); ++i) {
                if (played.waited[i] && played.rows[i] == RowState::marked) return true;
              }
              return false;
            }),
            2);
}

TEST(MySqlGrammar, CrossesNamesAndHoldsThemTwice) {
  const auto gets = [](const Interleaving& interleaving, const Played& played, std::size_t i,
                       const Answer& answer) {
    const Step& step = interleaving.steps[i];
    const auto own = played.outcomes[i].find(step.session);
    return step.statement.op == Op::get_lock && own != played.outcomes[i].end() &&
           shown(own->second) == shown(answer);
  };
  EXPECT_GT(among_many([&](const Interleaving& interleaving, const Played& played) {
              for (std::size_t i = 0; i < played.outcomes.size(); ++i)
                if (gets(interleaving, played, i, {.error = Error::deadlock})) return true;
              return false;
            }),
            2);
  EXPECT_GT(among_many([&](const Interleaving& interleaving, const Played& played) {
              int got = 0;
              for (std::size_t i = 0; i < played.outcomes.size(); ++i) {
                const Step& step = interleaving.steps[i];
                if (step.session != 1 || step.statement.name != "x") continue;
                if (step.statement.op == Op::release_lock) got = 0;
                if (gets(interleaving, played, i, {.rows = {{std::int64_t{1}}}})) ++got;
                if (got == 2) return true;
              }
              return false;
            }),
            2);
}

}  // namespace
}  // namespace picklock::conform::mysql
