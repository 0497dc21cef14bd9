#include "explore/strategies/strategy.h"

#include <algorithm>

namespace picklock::explore::strategies {

// With n chains of events of which at most k are scheduled, a run shows a bug of depth d with a
// probability of at least 1 / (n k^(d-1)).
double Guarantee::probability() const {
  if (directions == 0 || messages == 0) return 0;
  double probability = 1 / static_cast<double>(directions);
  for (std::uint32_t i = 1; i < depth; ++i) probability /= static_cast<double>(messages);
  return probability;
}

std::optional<Batch> Strategy::next() {
  constexpr std::uint64_t kRuns = 64;
  const std::uint64_t from = next_;
  const Span part = {from - from % part_, from - from % part_ + part_};
  next_ = std::min(from + kRuns, part.to);
  return Batch{.runs = {from, next_}, .part = part};
}

void Strategy::leave_out(const Batch& first) { next_ = first.part.to; }

void Strategy::take(const Batch&, const Block&) {}

void Strategy::note(std::uint64_t, const scenarios::World&, Block&) {}

}  // namespace picklock::explore::strategies
