#include "explore/strategies/random.h"

#include <utility>

namespace picklock::explore::strategies {

Random::Random(FaultPlans plans, std::uint64_t seed, const FaultLimits& limits)
    : plans_(std::move(plans)), seed_(seed), limits_(limits) {}

void Random::draw(std::uint64_t run, sim::Plan& plan) { plans_.draw(seed_, run, limits_, plan); }

}  // namespace picklock::explore::strategies
