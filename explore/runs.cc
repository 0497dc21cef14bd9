#include "explore/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "explore/difference.h"
#include "explore/strategies/list.h"
#include "keys/bad_input.h"
#include "scenarios/premise.h"

namespace picklock::explore {
namespace {

using properties::Outcome;
using properties::Verdict;
using scenarios::Scenario;

// One of this many clean runs is repeated.
constexpr std::uint64_t kSampled = 64;

Scenario without_plan(Scenario scenario) {
  scenario.faults.clear();
  scenario.twins.clear();
  scenario.neighbours.clear();
  scenario.complete = {};
  scenario.expect = {};
  scenario.control = false;
  return scenario;
}

const models::Algorithm& algorithm_of(const Scenario& scenario) {
  const models::Algorithm* algorithm = scenarios::find_algorithm(scenario);
  if (algorithm == nullptr)
    throw std::invalid_argument("no algorithm is called " + scenario.lock.algorithm);
  return *algorithm;
}

}  // namespace

sim::Plan fired(const sim::Plan& plan, const scenarios::World& world) {
  std::vector<bool> did(plan.size());
  for (const sim::Nemesis::Firing& one : world.fired()) did[one.fault] = true;
  sim::Plan all;
  for (std::size_t i = 0; i < did.size(); ++i) {
    if (did[i]) all.push_back(plan[i]);
  }
  return all;
}

Runs::Runs(const Scenario& scenario, SearchOptions options)
    : Runs(scenario, std::move(options), nullptr) {
  Ways ways(base_, profile(base_, options_.seed));
  if (options_.all_classes) options_.faults.classes = ways.possible();
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    if (options_.faults.classes.has(one) && !ways.possible().has(one)) {
      throw keys::BadInput(fmt::format("--faults: {} cannot act in {}: {}", picklock::name(one),
                                       base_.name, ways.why_impossible(one)));
    }
  }
  const strategies::Listed& strategy = strategies::named(options_.strategy);
  strategy_ = strategy.make(std::move(ways), {.seed = options_.seed,
                                              .faults = options_.faults,
                                              .most_plans = options_.most_plans,
                                              .corpus = options_.corpus,
                                              .alike = options_.alike});
}

Runs::Runs(const Scenario& scenario, SearchOptions options,
           std::unique_ptr<strategies::Strategy> strategy)
    : options_(std::move(options)),
      base_(without_plan(scenario)),
      algorithm_(algorithm_of(base_)),
      strategy_(std::move(strategy)),
      current_(base_) {
  world_.set(current_);
}

void Runs::draw(const Batch& batch, std::uint64_t run, Scenario& into) {
  set_run(base_, options_.seed, run, into);
  strategy_->draw(batch, run, into);
}

Scenario Runs::drawn(const Batch& batch, std::uint64_t run) {
  Scenario scenario = base_;
  if (run == kWithoutFaults) {
    scenario.seed = options_.seed;
  } else {
    draw(batch, run, scenario);
  }
  return scenario;
}

std::vector<Violation> Runs::without_faults() {
  current_ = drawn({}, kWithoutFaults);
  world_.run(current_.seed);
  if (world_.cut_short()) return {};
  std::vector<Violation> all = unknown(current_, {}, world_);
  std::erase_if(all,
                [](const Violation& one) { return one.property != Property::mutual_exclusion; });
  return all;
}

void Runs::make(const Batch& batch, std::uint64_t run, Block& block) {
  Tally& tally = block.tally;
  draw(batch, run, current_);
  world_.run(current_.seed);
  const std::uint64_t digest = world_.digest();
  ++tally.runs;
  tally.events += world_.events();
  if (current_.ties == scenarios::Ties::permuted) ++tally.permuted;
  count_faults(tally);
  if (world_.cut_short()) {
    ++tally.cut_short;
    return;
  }
  for (const std::uint64_t word : strategy_->signs(run, world_)) block.signs.push_back({run, word});
  std::vector<Violation> shown = answered(current_, fired_, world_);
  count_besides(shown, tally);
  const bool is_clean = shown.empty();
  pass_known(shown, block);
  const std::size_t sightings = block.sightings.size();
  for (const Violation& one : shown) {
    const auto [seen, is_new] = seen_.try_emplace(one, run);
    if (!is_new && seen->second < run) continue;
    seen->second = run;
    block.sightings.push_back({run, one, batch});
  }
  const bool sampled = is_clean && run % kSampled == 0;
  if (!sampled && block.sightings.size() == sightings) return;
  run_again(run, digest);
  if (sampled) ++tally.repeated;
}

// The verdicts are part of the digest.
void Runs::run_again(std::uint64_t run, std::uint64_t digest) {
  world_.run(current_.seed);
  if (world_.digest() != digest) differs(run, digest, world_.digest());
}

// The difference may be rare: a few traced runs look for it.
void Runs::differs(std::uint64_t run, std::uint64_t first, std::uint64_t second) {
  constexpr int kTries = 20;
  world_.run(current_.seed, true);
  const sim::Trace trace = world_.trace();
  std::string difference;
  for (int i = 0; i < kTries && difference.empty(); ++i) {
    world_.run(current_.seed, true);
    difference = first_difference(trace, world_.trace(), world_.processes());
  }
  throw NotDeterministic(fmt::format(
      "run {} of {} with seed {} is not deterministic: digest {:016x}, then {:016x}; {}", run + 1,
      base_.name, options_.seed, first, second,
      difference.empty() ? "no event of its trace differs" : difference));
}

void Runs::count_faults(Tally& tally) {
  fired_ = fired(current_.faults, world_);
  tally.fired += fired_.size();
  tally.dropped += current_.faults.size() - fired_.size();
  for (const sim::Fault& fault : fired_) {
    if (const auto of = scenarios::class_of(fault, current_))
      ++tally.fired_of[static_cast<std::size_t>(*of)];
  }
}

scenarios::Promises Runs::promised(const Scenario& scenario, const sim::Plan& fired) const {
  return scenarios::promises(scenario, fired);
}

std::vector<Violation> Runs::answered(const Scenario& scenario, const sim::Plan& fired,
                                      const scenarios::World& world) const {
  std::vector<Violation> all;
  const std::vector<Property>& asked = options_.properties;
  std::optional<scenarios::Promises> promises;
  for (const Verdict& verdict : world.verdicts()) {
    if (verdict.outcome != Outcome::violated) continue;
    if (!asked.empty()) {
      if (std::find(asked.begin(), asked.end(), verdict.property) == asked.end()) continue;
    } else {
      if (!promises) promises = promised(scenario, fired);
      const scenarios::Promised& promise = (*promises)[static_cast<std::size_t>(verdict.property)];
      if (!scenarios::answers_for(promise, scenario, world.history())) continue;
    }
    for (const properties::Witness& witness : verdict.witnesses) {
      const Violation one = violation(verdict, witness, world.history());
      if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
    }
  }
  return all;
}

std::vector<Violation> Runs::unknown(const Scenario& scenario, const sim::Plan& fired,
                                     const scenarios::World& world) const {
  std::vector<Violation> all = answered(scenario, fired, world);
  std::erase_if(all, [&](const Violation& one) {
    return may_be_known(options_.except, one.property, fired, scenario);
  });
  return all;
}

bool Runs::happens_under(const sim::Plan& plan, const Violation& one) {
  const sim::Plan drawn = std::exchange(current_.faults, plan);
  world_.run(current_.seed);
  const std::vector<Violation> shown = answered(current_, fired(plan, world_), world_);
  current_.faults = drawn;
  return !world_.cut_short() && std::find(shown.begin(), shown.end(), one) != shown.end();
}

// A violation that happens without the faults of an exception has another cause.
void Runs::pass_known(std::vector<Violation>& shown, Block& block) {
  const Exceptions& except = options_.except;
  if (except.empty()) return;
  std::vector<bool> met(except.size());
  std::erase_if(shown, [&](const Violation& one) {
    const sim::Plan rest = without_known(except, one.property, fired_, current_);
    const bool anyway = is_known_anyway(except, one.property);
    if (!anyway && (rest.size() == fired_.size() || happens_under(rest, one))) return false;
    for (std::size_t i = 0; i < except.size(); ++i) {
      const auto names = [&](const sim::Fault& fault) { return except[i].names(fault, current_); };
      met[i] = met[i] ||
               (except[i].is_about(one.property) &&
                (!except[i].names_fault() || std::any_of(fired_.begin(), fired_.end(), names)));
    }
    return true;
  });
  block.known.resize(except.size());
  for (std::size_t i = 0; i < met.size(); ++i) {
    if (met[i]) ++block.known[i];
  }
}

void Runs::count_besides(const std::vector<Violation>& answered, Tally& tally) const {
  std::optional<scenarios::Promises> promises;
  for (const Verdict& verdict : world_.verdicts()) {
    if (verdict.outcome != Outcome::violated) continue;
    const bool is_answered =
        std::any_of(answered.begin(), answered.end(),
                    [&](const Violation& one) { return one.property == verdict.property; });
    if (is_answered) continue;
    if (!promises) promises = promised(current_, fired_);
    const auto index = static_cast<std::size_t>(verdict.property);
    const scenarios::Promised& promise = (*promises)[index];
    ++tally.besides[index].runs;
    if (promise.promised && !scenarios::was_kept(promise.premise, current_, world_.history()))
      ++tally.besides[index].premise_broken;
  }
}

}  // namespace picklock::explore
