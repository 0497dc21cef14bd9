#include "explore/strategies/strategy.h"

#include <cmath>

namespace picklock::explore::strategies {

// With n chains of events of which at most k are scheduled, a run shows a bug of depth d with a
// probability of at least 1 / (n k^(d-1)).
double Guarantee::probability() const {
  if (directions == 0 || messages == 0) return 0;
  return 1 / (static_cast<double>(directions) *
              std::pow(static_cast<double>(messages), static_cast<double>(depth) - 1));
}

std::optional<Batch> Strategy::next() {
  constexpr std::uint64_t kRuns = 64;
  const std::uint64_t from = next_;
  next_ += kRuns;
  return Batch{.runs = {from, next_}};
}

void Strategy::take(const Batch&, const Block&) {}

std::span<const std::uint64_t> Strategy::signs(std::uint64_t, const scenarios::World&) {
  return {};
}

}  // namespace picklock::explore::strategies
