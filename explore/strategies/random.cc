#include "explore/strategies/random.h"

#include <utility>

namespace picklock::explore::strategies {

Random::Random(Ways ways, const Settings& settings)
    : Strategy(settings.part),
      plans_(std::move(ways)),
      seed_(settings.seed),
      limits_(settings.faults) {}

void Random::draw(const Batch&, std::uint64_t run, scenarios::Scenario& into) {
  plans_.draw(seed_, run, limits_, into.faults);
}

}  // namespace picklock::explore::strategies
