#include "conform/redis/simplify.h"

#include <cstddef>
#include <string>
#include <utility>

namespace picklock::conform::redis {
namespace {

bool remove_words(Shrinking<Step>& shrinking) {
  bool progress = false;
  for (std::size_t step = 0; step < shrinking.least().steps.size(); ++step) {
    for (std::size_t word = shrinking.least().steps[step].words.size(); word-- > 1;) {
      if (step >= shrinking.least().steps.size()) break;
      Sequence candidate = shrinking.least();
      auto& words = candidate.steps[step].words;
      if (word >= words.size()) continue;
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(word));
      progress = shrinking.try_instead(std::move(candidate)) || progress;
    }
  }
  return progress;
}

bool merge_connections(Shrinking<Step>& shrinking) {
  bool progress = false;
  for (std::uint32_t from = shrinking.least().connections; from-- > 1;) {
    for (std::uint32_t to = 0; to < from; ++to) {
      Sequence candidate = shrinking.least();
      if (from >= candidate.connections) break;
      const auto merged = [&](std::uint32_t connection) {
        return connection == from ? to : connection > from ? connection - 1 : connection;
      };
      for (Step& step : candidate.steps) {
        step.connection = merged(step.connection);
        for (std::string& word : step.words) {
          if (const auto meant = connection_meant(word)) word = id_word(merged(*meant));
        }
      }
      --candidate.connections;
      if (shrinking.try_instead(std::move(candidate))) {
        progress = true;
        break;
      }
    }
  }
  return progress;
}

}  // namespace

bool simplify(Shrinking<Step>& shrinking) {
  const bool progress = remove_words(shrinking);
  return merge_connections(shrinking) || progress;
}

}  // namespace picklock::conform::redis
