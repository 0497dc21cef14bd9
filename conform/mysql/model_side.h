// The model's side of a comparison. Where the server's threads race, several outcomes are possible;
// a script chooses among them.
#pragma once

#include <cstddef>
#include <vector>

#include "conform/mysql/sequence.h"
#include "models/mysql/engine.h"

namespace picklock::conform::mysql {

// A choice among several outcomes.
struct Choice {
  std::size_t made = 0;
  std::size_t among = 0;
};
using Script = std::vector<std::size_t>;

struct Played {
  std::vector<Outcome> outcomes;
  std::vector<Choice> choices;
  // For each step: the state of its row, and whether its statement waited.
  std::vector<RowState> rows;
  std::vector<bool> waited;
};

// The choices come from the script, and are 0 after its end.
Played play_to_model(const Interleaving& interleaving, const Script& script);

// Tries every way that the model can take, until one is wanted, none is left, or there were too
// many.
template <typename Wanted>
bool some_way(const Interleaving& interleaving, Wanted wanted) {
  constexpr int kMost = 5000;
  std::vector<Script> left = {{}};
  for (int i = 0; i < kMost && !left.empty(); ++i) {
    const Script script = std::move(left.back());
    left.pop_back();
    const Played played = play_to_model(interleaving, script);
    if (wanted(played)) return true;
    Script before;
    for (std::size_t at = 0; at < played.choices.size(); ++at) {
      const Choice& choice = played.choices[at];
      for (std::size_t other = 1; at >= script.size() && other < choice.among; ++other) {
        left.push_back(before);
        left.back().push_back(other);
      }
      before.push_back(choice.made);
    }
  }
  return false;
}

}  // namespace picklock::conform::mysql
