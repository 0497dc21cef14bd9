#include "explore/strategies/pct.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "keys/bad_input.h"
#include "scenarios/bounds.h"
#include "scenarios/world.h"
#include "sim/random.h"

namespace picklock::explore::strategies {
namespace {

// Every number of a file is at most this.
constexpr std::uint64_t kMostNumber = INT64_MAX;

scenarios::Scenario with_priorities(scenarios::Scenario scenario) {
  scenario.network.order = scenarios::Order::any;
  scenario.network.priorities = 1;
  scenario.network.priority_changes.clear();
  return scenario;
}

}  // namespace

Pct::Pct(Ways ways, const Settings& settings)
    : plans_(std::move(ways)), seed_(settings.seed), limits_(settings.faults) {
  const scenarios::Scenario& base = plans_.ways().scenario();
  if (!scenarios::has_bounds(base.network)) {
    throw keys::BadInput(fmt::format(
        "--strategy pct: every message of {} takes a time that is given, so there is no order to "
        "choose (with --set network.latency='[\"1ms\", \"9ms\"]' there is)",
        base.name));
  }
  const scenarios::Scenario scenario = with_priorities(base);
  scenarios::World world;
  world.set(scenario);
  world.run(seed_);
  guarantee_ = {.depth = settings.depth,
                .directions = world.network().priorities().directions(),
                .messages = world.network().priorities().messages()};
}

void Pct::draw(const Batch&, std::uint64_t run, scenarios::Scenario& into) {
  plans_.draw(seed_, run, limits_, into.faults);
  sim::Random chance(seed_, sim::hash_of("explore.pct") + run);
  scenarios::Network& network = into.network;
  network.order = scenarios::Order::any;
  network.priorities = 1 + chance.below(kMostNumber);
  network.priority_changes.clear();
  for (std::uint32_t i = 1; i < guarantee_.depth; ++i) {
    network.priority_changes.push_back(
        1 + chance.below(std::max<std::uint64_t>(guarantee_.messages, 1)));
  }
  std::sort(network.priority_changes.begin(), network.priority_changes.end());
}

}  // namespace picklock::explore::strategies
