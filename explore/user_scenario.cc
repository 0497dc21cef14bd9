#include "explore/user_scenario.h"

#include <utility>

#include "explore/complete.h"
#include "explore/fault_plan.h"
#include "explore/profile.h"
#include "explore/simpler.h"
#include "reports/timeline.h"
#include "scenarios/catalogue.h"
#include "scenarios/loader.h"
#include "scenarios/own_lock.h"
#include "scenarios/runner.h"
#include "scenarios/writer.h"

namespace picklock {
namespace {

const models::Algorithm* algorithm_of(const OwnLock* own) {
  return own != nullptr ? &scenarios::algorithm_of(*own) : nullptr;
}

Verdict::Outcome outcome_of(properties::Outcome outcome) {
  switch (outcome) {
    case properties::Outcome::holds:
      return Verdict::Outcome::holds;
    case properties::Outcome::violated:
      return Verdict::Outcome::violated;
    case properties::Outcome::unknown:
      break;
  }
  return Verdict::Outcome::unknown;
}

}  // namespace

// ---------------------------------------------------------------- scenarios

Scenario::Scenario(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Scenario Scenario::from_file(const std::string& path, const OwnLock* own) {
  return explore::user_scenario(scenarios::Document::from_file(path), algorithm_of(own), false);
}

Scenario Scenario::shipped(const std::string& name, const OwnLock* own) {
  return from_file(scenarios::find_scenario(name, scenarios::shipped_directory()), own);
}

Scenario Scenario::from_text(std::string toml, const OwnLock* own) {
  return explore::user_scenario(scenarios::Document(std::move(toml), "scenario.toml"),
                                algorithm_of(own), false);
}

Scenario& Scenario::set(std::string_view path, std::string_view value) {
  scenarios::Document document = state_->document;
  document.set({.path = std::string(path), .value = std::string(value)});
  *this = explore::user_scenario(std::move(document), state_->own, true);
  return *this;
}

std::string Scenario::text() const { return scenarios::file_text(state_->scenario); }
const std::string& Scenario::name() const { return state_->scenario.name; }

Scenario contention(const OwnLock& own, const Contention& options) {
  const scenarios::Scenario made = scenarios::contended(own, options);
  scenarios::Document document(scenarios::file_text(made), made.name + ".toml");
  for (scenarios::Change& change : scenarios::further_keys(own, options))
    document.set(std::move(change));
  return explore::user_scenario(std::move(document), made.lock.own, true);
}

// ---------------------------------------------------------------- one run

RunResult run(const Scenario& scenario) {
  const Scenario::State& state = scenario.state();
  scenarios::Outcome outcome = scenarios::Runner().run_file(
      state.document, std::nullopt, state.changed, true, [] {},
      scenarios::vocabulary_with(state.own));
  explore::repeat_complete_search(outcome.run.scenario, !state.changed, outcome.run);
  const scenarios::Run& run = outcome.run;
  RunResult result;
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    const scenarios::Promised& promised = run.promised[i];
    result.verdicts[i] = {.property = run.verdicts[i].property,
                          .outcome = outcome_of(run.verdicts[i].outcome),
                          .promised = promised.promised && promised.premise_kept};
  }
  result.surprises = run.surprises;
  for (const scenarios::Run& twin : outcome.twins) {
    for (const std::string& surprise : twin.surprises)
      result.surprises.push_back("twin " + twin.twin.value_or("") + ": " + surprise);
  }
  result.grants = run.grants;
  result.length = run.ended - sim::kStart;
  result.digest = run.digest;
  result.text = reports::timeline(outcome, {.repeat_command = {}});
  return result;
}

// ---------------------------------------------------------------- drawn and simpler ones

struct FaultDraws::Plans {
  scenarios::Scenario base;
  explore::FaultPlans plans;
  explore::FaultLimits limits{};
};

FaultDraws::FaultDraws(const Scenario& base, const Faults& faults) {
  const scenarios::Scenario& given = base.state().scenario;
  plans_ = std::make_shared<Plans>(
      Plans{.base = given,
            .plans = explore::FaultPlans(given, explore::profile(given, given.seed)),
            .limits = {.classes = faults.most > 0 ? faults.classes : FaultClasses(),
                       .none = faults.none,
                       .most = faults.most}});
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    if (!plans_->plans.possible().has(one))
      plans_->limits.classes = plans_->limits.classes.without({one});
  }
}

Scenario FaultDraws::draw(std::uint64_t seed) const {
  scenarios::Scenario one = plans_->base;
  plans_->plans.draw(seed, 0, plans_->limits, one.faults);
  one.seed = explore::run_seed(seed, 0);
  one.ties = explore::run_ties(seed, 0);
  return explore::user_scenario(std::move(one));
}

struct Simpler::Steps {
  scenarios::Scenario scenario;
  std::vector<explore::Simplification> steps;
  std::size_t next = 0;
};

Simpler::Simpler(const Scenario& scenario)
    : steps_(std::make_shared<Steps>(
          Steps{.scenario = scenario.state().scenario,
                .steps = explore::simplifications(scenario.state().scenario)})) {}

std::optional<Scenario> Simpler::next() {
  while (steps_->next < steps_->steps.size()) {
    scenarios::Scenario simpler = steps_->scenario;
    if (steps_->steps[steps_->next++](simpler)) return explore::user_scenario(std::move(simpler));
  }
  return std::nullopt;
}

}  // namespace picklock

namespace picklock::explore {

using State = picklock::Scenario::State;

picklock::Scenario user_scenario(scenarios::Document document, const models::Algorithm* own,
                                 bool changed) {
  auto state = std::make_shared<State>(
      State{.document = std::move(document), .own = own, .changed = changed, .scenario = {}});
  const scenarios::Vocabulary words = scenarios::vocabulary_with(own);
  state->scenario = state->document.scenario(words);
  for (std::size_t i = 0; i < state->scenario.twins.size(); ++i) state->document.twin(i, words);
  return picklock::Scenario(std::move(state));
}

picklock::Scenario user_scenario(scenarios::Scenario scenario) {
  scenarios::Document document(scenarios::file_text(scenario), scenario.name + ".toml");
  const models::Algorithm* own = scenario.lock.own;
  return picklock::Scenario(std::make_shared<State>(State{.document = std::move(document),
                                                          .own = own,
                                                          .changed = true,
                                                          .scenario = std::move(scenario)}));
}

}  // namespace picklock::explore
