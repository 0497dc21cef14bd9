#include "explore/strategies/strategy.h"

namespace picklock::explore::strategies {

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
