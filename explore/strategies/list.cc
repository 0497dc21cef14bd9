#include "explore/strategies/list.h"

#include <algorithm>
#include <array>
#include <utility>

#include "explore/strategies/random.h"

namespace picklock::explore::strategies {
namespace {

template <typename Some>
std::unique_ptr<Strategy> make(FaultPlans plans, std::uint64_t seed, const FaultLimits& limits) {
  return std::make_unique<Some>(std::move(plans), seed, limits);
}

constexpr std::array<Listed, 1> kAll = {{
    {"random",
     "plans drawn at random, each from some of the kinds of faults: at steps that an undisturbed "
     "run reaches, or at times; what is due at one instant is permuted in every second run",
     make<Random>},
}};

}  // namespace

std::span<const Listed> all() { return kAll; }

const Listed& named(std::string_view name) {
  return *std::find_if(kAll.begin(), kAll.end(),
                       [&](const Listed& one) { return one.name == name; });
}

}  // namespace picklock::explore::strategies
