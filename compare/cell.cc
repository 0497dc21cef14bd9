#include "compare/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "compare/observe.h"
#include "scenarios/premise.h"
#include "scenarios/promises.h"
#include "scenarios/topology.h"

namespace picklock::compare {
namespace {

using properties::Outcome;
using scenarios::Fencing;
using scenarios::Scenario;

// One run of so many is made again, and must come out the same.
constexpr std::uint64_t kSampled = 64;
// The first runs of an undisturbed cell are traced, and their messages counted.
constexpr std::uint64_t kTraced = 32;

Scenario with_resource(Scenario scenario, const scenarios::ResourceSpec* fenced) {
  scenario.faults.clear();
  scenario.twins.clear();
  scenario.neighbours.clear();
  scenario.expect = {};
  if (fenced != nullptr) scenario.servers.resource = *fenced;
  return scenario;
}

std::vector<bool> resources_of(const Scenario& scenario) {
  std::vector<bool> resources;
  for (const scenarios::ProcessSpec& process : scenarios::processes_of(scenario))
    resources.push_back(scenarios::is_resource(process.name));
  return resources;
}

bool is_crash_of_client(const sim::Plan& fired) {
  return fired.size() == 1 && fired[0].target.starts_with("client-") &&
         fired[0].verb == sim::Verb::crash;
}

}  // namespace

Cell::Cell(const Scenario& workload, std::unique_ptr<CellPlans> plans, Column column,
           const scenarios::ResourceSpec* fenced, std::uint64_t seed)
    : plans_(std::move(plans)),
      column_(std::move(column)),
      seed_(seed),
      algorithm_(*scenarios::find_algorithm(workload)),
      current_(with_resource(workload, fenced)),
      resources_(resources_of(workload)) {
  world_.set(current_);
}

Scenario Cell::drawn(std::uint64_t run) {
  Scenario scenario = current_;
  plans_->draw(run, scenario);
  return scenario;
}

// And by nothing else.
bool Cell::differs_by_fencing(const Cell& other) const {
  scenarios::ResourceSpec resource = other.current_.servers.resource;
  const bool fenced = std::exchange(resource.fencing, Fencing::ideal) != Fencing::none;
  return !fenced && resource == current_.servers.resource;
}

bool Cell::is_traced(std::uint64_t run) const { return column_.classes.empty() && run < kTraced; }

void Cell::make(std::uint64_t run, Measures& measures) {
  left_out_ = plans_->draw(run, current_);
  world_.run(current_.seed, is_traced(run));
  const std::uint64_t digest = world_.digest();
  tell(world_, run, measures);
  if (run % kSampled != 0) return;
  world_.run(current_.seed);
  if (world_.digest() != digest) {
    throw explore::NotDeterministic(
        fmt::format("run {} of {} under {} with seed {} is not deterministic: digest {:016x}, then "
                    "{:016x}",
                    run + 1, algorithm_.name, column_.name, seed_, digest, world_.digest()));
  }
}

void Cell::make_after(Cell& other, std::uint64_t run, Measures& measures) {
  // A run that was made twice has no trace left.
  const bool same = differs_by_fencing(other) && other.world_.is_as_if_fenced() && !is_traced(run);
  if (!same) return make(run, measures);
  current_.faults = other.current_.faults;
  current_.seed = other.current_.seed;
  current_.ties = other.current_.ties;
  left_out_ = other.left_out_;
  tell(other.world_, run, measures);
}

void Cell::tell(const scenarios::World& world, std::uint64_t run, Measures& measures) {
  const bool undisturbed = column_.classes.empty();
  ++measures.made;
  measures.left_out += left_out_;
  if (world.cut_short()) {
    ++measures.cut_short;
    return;
  }
  const sim::Plan struck = explore::fired(current_.faults, world);
  measures.faults += struck.size();
  if (struck.empty() && !undisturbed) {
    ++measures.idle;
    return;
  }
  judge(world, run, struck, measures);
  observe(world.history(), undisturbed, is_crash_of_client(struck), measures);
  if (is_traced(run)) {
    observe_messages(world.history(), world.trace(), current_.clients.count, resources_,
                     measures.price);
  }
}

void Cell::judge(const scenarios::World& world, std::uint64_t run, const sim::Plan& fired,
                 Measures& measures) {
  std::optional<scenarios::Promises> promises;
  bool unsafe = false;
  for (const properties::Verdict& verdict : world.verdicts()) {
    if (verdict.outcome != Outcome::violated) continue;
    const Property property = verdict.property;
    unsafe = unsafe || harms_resource(property);
    if (!promises) promises = scenarios::promises(current_, fired);
    const auto index = static_cast<std::size_t>(property);
    const scenarios::Promised& promise = (*promises)[index];
    const bool broken =
        promise.promised && scenarios::was_kept(promise.premise, current_, world.history());
    const Sighting sighting{
        .broken = broken,
        .faults = static_cast<std::uint32_t>(fired.size()),
        .run = run,
        .violation = explore::violation(verdict, verdict.witnesses.at(0), world.history())};
    measures.properties[index].add(
        {.violations = 1, .broken = broken ? 1U : 0U, .smallest = sighting});
  }
  if (unsafe) ++measures.unsafe;
}

}  // namespace picklock::compare
