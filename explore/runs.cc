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

const models::Algorithm& algorithm_of(const Scenario& scenario) {
  const models::Algorithm* algorithm = scenarios::find_algorithm(scenario);
  if (algorithm == nullptr)
    throw std::invalid_argument("no algorithm is called " + scenario.lock.algorithm);
  return *algorithm;
}

}  // namespace

Scenario without_plan(Scenario scenario) {
  scenario.faults.clear();
  scenario.twins.clear();
  scenario.neighbours.clear();
  scenario.complete = {};
  scenario.expect = {};
  scenario.control = false;
  return scenario;
}

sim::Plan fired(const sim::Plan& plan, const scenarios::World& world) {
  return struck(plan, world).plan;
}

Struck struck(const sim::Plan& plan, const scenarios::World& world) {
  std::vector<std::optional<sim::Instant>> at(plan.size());
  for (const sim::Nemesis::Firing& one : world.fired()) {
    if (!at[one.fault]) at[one.fault] = one.at;
  }
  Struck all;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (!at[i]) continue;
    all.plan.push_back(plan[i]);
    all.at.push_back(*at[i]);
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
                                              .alike = options_.alike,
                                              .depth = options_.depth,
                                              .part = options_.part});
}

Runs::Runs(const Scenario& scenario, SearchOptions options,
           std::unique_ptr<strategies::Strategy> strategy)
    : options_(std::move(options)),
      base_(without_plan(scenario)),
      algorithm_(algorithm_of(base_)),
      strategy_(std::move(strategy)),
      current_(base_) {
  world_.set(current_);
  if (options_.against) reference_ = std::make_unique<Reference>(base_, *options_.against);
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

std::vector<Sighting> Runs::without_faults() {
  current_ = drawn({}, kWithoutFaults);
  world_.run(current_.seed);
  if (world_.cut_short()) return {};
  std::vector<Sighting> all;
  for (const Violation& one : unknown(current_, {}, world_)) {
    if (one.property != Property::mutual_exclusion) continue;
    all.push_back({.run = kWithoutFaults, .violation = one});
  }
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
  strategy_->note(run, world_, block);
  const std::vector<Violation> violations = answered(current_, struck_.plan, world_);
  std::vector<Shown> shown;
  shown.reserve(violations.size());
  for (const Violation& one : violations) shown.push_back({one, struck_});
  const std::vector<Property> besides = count_besides(violations, tally);
  pass_known(shown, block);
  bool is_new = false;
  if (reference_ && (!shown.empty() || !besides.empty()))
    is_new = compare(run, batch, shown, besides, block);
  for (const Shown& one : shown) {
    if (block.has(one.violation, false)) continue;
    if (reference_ && is_limit_elsewhere(current_, one.struck, one.violation.property)) continue;
    is_new |= seen_.insert(one.violation).second;
    block.sightings.push_back({run, one.violation, batch});
  }
  const bool sampled = violations.empty() && run % kSampled == 0;
  if (!sampled && !is_new) return;
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
  struck_ = struck(current_.faults, world_);
  tally.fired += struck_.plan.size();
  tally.dropped += current_.faults.size() - struck_.plan.size();
  for (const sim::Fault& fault : struck_.plan) {
    if (const auto of = scenarios::class_of(fault, current_))
      ++tally.fired_of[static_cast<std::size_t>(*of)];
  }
}

std::vector<Violation> Runs::answered(const Scenario& scenario, const sim::Plan& fired,
                                      const scenarios::World& world) const {
  std::vector<Violation> all;
  const std::vector<Property>& asked = options_.properties;
  // For the lock, and for the one that it is compared with.
  std::vector<scenarios::Promises> promises;
  const auto answers = [&](Property property) {
    if (promises.empty()) {
      promises.push_back(scenarios::promises(scenario, fired));
      if (reference_ && reference_->against().its_promises)
        promises.push_back(scenarios::promises(reference_->scenario(), fired));
    }
    return std::any_of(promises.begin(), promises.end(), [&](const scenarios::Promises& one) {
      return scenarios::answers_for(one[static_cast<std::size_t>(property)], scenario,
                                    world.history());
    });
  };
  for (const Verdict& verdict : world.verdicts()) {
    if (verdict.outcome != Outcome::violated) continue;
    const bool is_reported =
        asked.empty() ? answers(verdict.property)
                      : std::find(asked.begin(), asked.end(), verdict.property) != asked.end();
    if (!is_reported) continue;
    for (const properties::Witness& witness : verdict.witnesses) {
      const Violation one = violation(verdict, witness, world.history());
      if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
    }
  }
  return all;
}

bool Runs::is_limit(const Scenario& scenario, const Struck& struck, Property property) {
  return reference_->under(scenario, struck).breaks(property);
}

bool Runs::is_limit_elsewhere(const Scenario& scenario, const Struck& struck, Property property) {
  return reference_->breaks_elsewhere(scenario, struck, property);
}

std::vector<Violation> Runs::unknown(const Scenario& scenario, const sim::Plan& fired,
                                     const scenarios::World& world) const {
  std::vector<Violation> all = answered(scenario, fired, world);
  std::erase_if(all, [&](const Violation& one) {
    return may_be_known(options_.except, one.property, fired, scenario);
  });
  return all;
}

std::optional<Struck> Runs::happens_under(const sim::Plan& plan, const Violation& one) {
  const sim::Plan drawn = std::exchange(current_.faults, plan);
  world_.run(current_.seed);
  Struck rest = struck(plan, world_);
  const std::vector<Violation> shown = answered(current_, rest.plan, world_);
  current_.faults = drawn;
  const bool happens = std::find(shown.begin(), shown.end(), one) != shown.end();
  if (world_.cut_short() || !happens) return std::nullopt;
  return rest;
}

// A violation that happens without the faults of an exception has another cause.
void Runs::pass_known(std::vector<Shown>& shown, Block& block) {
  const Exceptions& except = options_.except;
  if (except.empty()) return;
  std::vector<bool> met(except.size());
  std::erase_if(shown, [&](Shown& one) {
    const Property property = one.violation.property;
    const sim::Plan& faults = struck_.plan;
    if (!is_known_anyway(except, property)) {
      const sim::Plan rest = without_known(except, property, faults, current_);
      if (rest.size() == faults.size()) return false;
      if (std::optional<Struck> cause = happens_under(rest, one.violation)) {
        one.struck = *std::move(cause);
        return false;
      }
    }
    for (std::size_t i = 0; i < except.size(); ++i) {
      const auto names = [&](const sim::Fault& fault) { return except[i].names(fault, current_); };
      met[i] = met[i] ||
               (except[i].is_about(property) &&
                (!except[i].names_fault() || std::any_of(faults.begin(), faults.end(), names)));
    }
    return true;
  });
  block.known.resize(except.size());
  for (std::size_t i = 0; i < met.size(); ++i) {
    if (met[i]) ++block.known[i];
  }
}

// Keeps those that the other lock does not violate under the same faults. Returns whether a limit
// is new here.
bool Runs::compare(std::uint64_t run, const Batch& batch, std::vector<Shown>& shown,
                   const std::vector<Property>& besides, Block& block) {
  Tally& tally = block.tally;
  const Reference::Result theirs = reference_->under(current_, struck_);
  if (!theirs.judged) {
    ++tally.not_compared;
    shown.clear();
    return false;
  }
  bool is_new = false;
  for (const Property one : besides) {
    if (!theirs.breaks(one)) ++tally.besides[static_cast<std::size_t>(one)].not_theirs;
  }
  std::array<bool, kPropertyCount> counted{};
  std::erase_if(shown, [&](const Shown& one) {
    const Property property = one.violation.property;
    const bool is_whole = one.struck.plan == struck_.plan;
    if (!(is_whole ? theirs.breaks(property) : is_limit(current_, one.struck, property)))
      return false;
    const auto index = static_cast<std::size_t>(property);
    if (std::exchange(counted[index], true)) return true;
    ++tally.limits[index].runs;
    FaultClasses classes;
    for (const sim::Fault& fault : one.struck.plan) {
      if (const auto of = scenarios::class_of(fault, current_)) classes.add(*of);
    }
    for (std::size_t i = 0; i < kFaultClassCount; ++i) {
      if (classes.has(static_cast<FaultClass>(i))) ++tally.limits[index].fired_of[i];
    }
    if (!block.has_limit(property)) {
      is_new |= !std::exchange(limits_seen_[index], true);
      block.sightings.push_back(
          {.run = run, .violation = one.violation, .batch = batch, .limit = true});
    }
    return true;
  });
  return is_new;
}

std::vector<Property> Runs::count_besides(const std::vector<Violation>& answered,
                                          Tally& tally) const {
  std::vector<Property> all;
  std::optional<scenarios::Promises> promises;
  for (const Verdict& verdict : world_.verdicts()) {
    if (verdict.outcome != Outcome::violated) continue;
    const bool is_answered =
        std::any_of(answered.begin(), answered.end(),
                    [&](const Violation& one) { return one.property == verdict.property; });
    if (is_answered) continue;
    if (!promises) promises = scenarios::promises(current_, struck_.plan);
    all.push_back(verdict.property);
    const auto index = static_cast<std::size_t>(verdict.property);
    const scenarios::Promised& promise = (*promises)[index];
    ++tally.besides[index].runs;
    if (promise.promised && !scenarios::was_kept(promise.premise, current_, world_.history()))
      ++tally.besides[index].premise_broken;
  }
  return all;
}

}  // namespace picklock::explore
