#include "keys/nearest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

namespace picklock::keys {
namespace {

// Our words are short. A longer word is noise, and the cost of a comparison grows with its square.
constexpr std::size_t kLongestWord = 64;

std::string folded(std::string_view word) {
  std::string text(word.substr(0, kLongestWord));
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_' || c == ' ') c = '-';
  }
  return text;
}

// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

// A third of the letters may be wrong, or the end of the word missing; a wilder guess would
// mislead.
bool near(const std::string& given, const std::string& word, std::size_t steps) {
  return steps * 3 <= std::max(given.size(), word.size()) ||
         (given.size() >= 2 && word.starts_with(given));
}

}  // namespace

std::string_view nearest(std::string_view word, const Words& words) {
  const std::string sought = folded(word);
  std::string_view best;
  if (word.size() > kLongestWord) return best;
  std::size_t least = ~std::size_t{0};
  for (const std::string_view candidate : words) {
    const std::string known = folded(candidate);
    const std::size_t steps = distance(sought, known);
    if (steps < least && near(sought, known, steps)) {
      least = steps;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const Words& words, std::string_view otherwise) {
  const std::string_view best = nearest(word, words);
  if (!best.empty()) return fmt::format("; did you mean `{}`?", best);
  return otherwise.empty() ? std::string() : fmt::format("; {}", otherwise);
}

std::string listed(const Words& words) { return fmt::format("{}", fmt::join(words, ", ")); }

}  // namespace picklock::keys
