#include "explore/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "explore/shrink.h"
#include "explore/violation.h"
#include "models/locks/catalogue.h"
#include "reports/narrator.h"
#include "scenarios/bad_input.h"
#include "scenarios/loader.h"
#include "scenarios/premise.h"
#include "scenarios/runner.h"
#include "scenarios/writer.h"

namespace picklock::explore {
namespace {

using properties::Outcome;
using properties::Verdict;

// One clean run of so many is run again.
constexpr std::uint64_t kSampled = 64;

scenarios::Scenario without_plan(scenarios::Scenario scenario) {
  scenario.faults.clear();
  scenario.twins.clear();
  scenario.neighbours.clear();
  scenario.expect = {};
  scenario.control = false;
  return scenario;
}

const models::Algorithm& algorithm_of(const scenarios::Scenario& scenario) {
  const models::Algorithm* algorithm = models::locks::named(scenario.lock.algorithm);
  if (algorithm == nullptr)
    throw std::invalid_argument("no algorithm is called " + scenario.lock.algorithm);
  return *algorithm;
}

std::uint64_t as_number(const Verdict& verdict) {
  return (static_cast<std::uint64_t>(verdict.outcome) << 32) + verdict.count;
}

// An internal promise is broken: nothing that the search says could be believed.
[[noreturn]] void broken(const std::string& what) { throw std::logic_error(what); }

}  // namespace

Search::Search(const scenarios::Scenario& scenario, SearchOptions options)
    : options_(std::move(options)),
      base_(without_plan(scenario)),
      algorithm_(algorithm_of(base_)),
      plans_(base_, profile(base_, options_.seed)) {
  if (options_.all_classes) options_.faults.classes = plans_.possible();
  for (std::size_t i = 0; i < models::kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    if (options_.faults.classes.has(one) && !plans_.possible().has(one)) {
      throw scenarios::BadInput(fmt::format("--faults: {} cannot act in {}: {}", models::name(one),
                                            base_.name, plans_.why_impossible(one)));
    }
  }
  current_ = base_;
  world_.set(current_);
}

void Search::run_next() {
  const std::uint64_t index = tally_.runs;
  plans_.draw(options_.seed, index, options_.faults, current_.faults);
  current_.seed = run_seed(options_.seed, index);
  const Result first = run();
  ++tally_.runs;
  tally_.events += world_.events();
  count_faults();
  const bool cut = std::any_of(world_.verdicts().begin(), world_.verdicts().end(),
                               [](const Verdict& one) { return one.outcome == Outcome::unknown; });
  if (cut) {
    ++tally_.cut_short;
    return;
  }
  std::vector<Property> answered = violated_and_answered_to();
  if (!answered.empty()) {
    run_again(first);
    keep(first, std::move(answered));
  } else if (index % kSampled == 0) {
    run_again(first);
    ++tally_.repeated;
  }
}

Search::Result Search::run() {
  world_.run(current_.seed);
  Result result{.digest = world_.digest(), .verdicts = {}};
  for (const Verdict& verdict : world_.verdicts())
    result.verdicts[static_cast<std::size_t>(verdict.property)] = as_number(verdict);
  return result;
}

void Search::run_again(const Result& first) {
  const Result second = run();
  if (second != first) differs(first, second);
}

void Search::differs(const Result& first, const Result& second) const {
  broken(fmt::format(
      "run {} of {} with seed {} is not deterministic: digest {:016x}, then {:016x}; verdicts {}",
      tally_.runs, base_.name, options_.seed, first.digest, second.digest,
      first.verdicts == second.verdicts ? "the same" : "different"));
}

void Search::count_faults() {
  fired_.clear();
  std::vector<bool> fired(current_.faults.size());
  for (const sim::Nemesis::Firing& one : world_.fired()) fired[one.fault] = true;
  for (std::size_t i = 0; i < fired.size(); ++i) {
    if (!fired[i]) {
      ++tally_.dropped;
      continue;
    }
    ++tally_.fired;
    const FaultClass one = scenarios::class_of(current_.faults[i], current_);
    ++tally_.fired_of[static_cast<std::size_t>(one)];
    fired_.push_back(current_.faults[i]);
  }
}

std::vector<Property> Search::violated_and_answered_to() {
  const FaultClasses met = scenarios::classes_met(current_, fired_);
  const scenarios::Promises promised =
      scenarios::promises(algorithm_, scenarios::lock_options(current_), met);
  std::vector<Property> answered;
  for (const Verdict& verdict : world_.verdicts()) {
    if (verdict.outcome != Outcome::violated) continue;
    if (answers_to(verdict, current_, promised, world_.history())) {
      answered.push_back(verdict.property);
      continue;
    }
    const auto index = static_cast<std::size_t>(verdict.property);
    ++tally_.besides[index].runs;
    const bool kept = scenarios::was_kept(promised[index].premise, current_, world_.history());
    if (promised[index].promised && !kept) ++tally_.besides[index].premise_broken;
  }
  return answered;
}

bool Search::answers_to(const Verdict& verdict, const scenarios::Scenario& scenario,
                        const scenarios::Promises& promised, const sim::History& history) const {
  if (verdict.outcome != Outcome::violated) return false;
  const std::vector<Property>& asked = options_.properties;
  if (!asked.empty()) return std::find(asked.begin(), asked.end(), verdict.property) != asked.end();
  const scenarios::Promised& promise = promised[static_cast<std::size_t>(verdict.property)];
  return promise.promised && scenarios::was_kept(promise.premise, scenario, history);
}

// Faults that did not fire have done nothing: without them the verdicts must be the same. And what
// is written must load and run as what was found.
void Search::keep(const Result& first, std::vector<Property> answered) {
  scenarios::Scenario found = current_;
  found.faults = fired_;
  scenarios::Runner runner;
  const scenarios::Run bare = runner.run(found, found.seed, false);
  for (const Verdict& verdict : bare.verdicts) {
    if (as_number(verdict) == first.verdicts[static_cast<std::size_t>(verdict.property)]) continue;
    broken(
        fmt::format("run {} of {} with seed {}: without the faults that did not fire, {} comes "
                    "out otherwise",
                    tally_.runs, base_.name, options_.seed, name(verdict.property)));
  }
  const auto told = static_cast<std::size_t>(answered[0]);
  const Violation wanted =
      violation(bare.verdicts[told], bare.verdicts[told].witnesses.at(0), bare.history);
  Shrinker shrinker([&](const scenarios::Scenario& scenario, const scenarios::World& world) {
    const Verdict& verdict = world.verdicts()[told];
    const scenarios::Promises promised = scenarios::promises(
        algorithm_, scenarios::lock_options(scenario), scenarios::classes_met(scenario));
    return shows(verdict, wanted, world.history()) &&
           answers_to(verdict, scenario, promised, world.history());
  });
  found = shrinker.shrink(std::move(found));

  const scenarios::Run shortest = runner.run(found, found.seed, false);
  for (const Verdict& verdict : shortest.verdicts) {
    if (verdict.outcome == Outcome::violated) found.expect.violated.push_back(verdict.property);
  }
  const reports::Narrator narrator(shortest);
  found.title =
      narrator.sentence(answered[0], witness(shortest.verdicts[told], wanted, shortest.history));
  found.source = fmt::format("{}, run {}", options_.command, tally_.runs);
  found.expect.digest = shortest.digest;
  std::string text = scenarios::file_text(found);

  const scenarios::Scenario loaded = scenarios::parse(
      text, fmt::format("{}-1.toml", name(answered[0])), scenarios::shipped_vocabulary());
  scenarios::Run result = runner.run(loaded, loaded.seed, true);
  if (result.digest != shortest.digest || !result.as_expected()) {
    broken(
        fmt::format("run {} of {} with seed {} is not what its own file says: digest {:016x}, "
                    "then {:016x}",
                    tally_.runs, base_.name, options_.seed, shortest.digest, result.digest));
  }
  find_ = Find{.run = tally_.runs,
               .faults = fired_.size(),
               .answered = {answered[0]},
               .minimal = shrinker.ended(),
               .shrunk_in = shrinker.runs(),
               .text = std::move(text),
               .result = std::move(result)};
}

// By bisection, with whole powers: no library function of doubtful last digits is needed.
double upper_bound_95(std::uint64_t clean) {
  const auto all_clean = [clean](double chance) {
    double power = 1;
    double base = 1 - chance;
    for (std::uint64_t left = clean; left > 0; left >>= 1, base *= base) {
      if ((left & 1) != 0) power *= base;
    }
    return power;
  };
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (all_clean(middle) > 0.05 ? low : high) = middle;
  }
  return high;
}

}  // namespace picklock::explore
