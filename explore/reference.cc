#include "explore/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "keys/bad_input.h"
#include "keys/duration_text.h"
#include "keys/nearest.h"
#include "models/locks/catalogue.h"
#include "models/servers/kind.h"
#include "scenarios/runner.h"
#include "scenarios/topology.h"
#include "scenarios/verbs/kind.h"
#include "scenarios/writer.h"

namespace picklock::explore {
namespace {

using keys::BadInput;
using properties::Outcome;
using scenarios::Change;
using scenarios::Scenario;
using sim::Fault;
using sim::ProcessId;

const models::Algorithm& shipped_lock(const std::string& name) {
  if (const models::Algorithm* lock = models::locks::named(name)) return *lock;
  keys::Words known;
  for (const models::Algorithm* one : models::locks::all()) known.push_back(one->name);
  throw BadInput(
      fmt::format("--against: there is no algorithm `{}`{}", keys::printable(name),
                  keys::did_you_mean(name, known, "it is one of " + keys::listed(known))));
}

Scenario without_faults_or_results(Scenario scenario) {
  scenario.faults.clear();
  scenario.twins.clear();
  scenario.neighbours.clear();
  scenario.complete = {};
  scenario.expect = {};
  return scenario;
}

bool is_at_resource(const sim::Trigger& trigger) {
  return trigger.role == Role::write || trigger.role == Role::read;
}

// A fault on a message needs one of the same client or server, and one to the lock's servers does
// not become one to the resource.
bool can_be_at(const Fault& fault, const Moment& moment, const std::vector<std::string>& names) {
  if (!verbs::kind_of(fault.verb).on_message) {
    std::vector<ProcessId> sides;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool other =
          std::find(fault.from.begin(), fault.from.end(), names[i]) != fault.from.end();
      if (names[i] == fault.target || other) sides.push_back(static_cast<ProcessId>(i));
    }
    return moment.fresh || moment.is_among(sides);
  }
  return moment.server && !fault.trigger.is_message() && moment.trigger.side == sim::Side::before &&
         moment.trigger.phase != sim::Phase::replied &&
         (names[moment.client] == fault.target || names[*moment.server] == fault.target) &&
         is_at_resource(moment.trigger) == is_at_resource(fault.trigger);
}

}  // namespace

Reference::Reference(const Scenario& scenario, Against against)
    : against_(std::move(against)),
      same_lock_(against_.algorithm == scenario.lock.algorithm),
      lock_(same_lock_ ? *scenarios::find_algorithm(scenario) : shipped_lock(against_.algorithm)),
      given_(without_faults_or_results(scenario)),
      text_(scenarios::file_text(given_)) {
  const servers::Kind& server = scenarios::lock_server(scenario);
  if (lock_.uses.server != server.server) {
    throw BadInput(fmt::format(
        "--against: {} lives on {} and {} on {}: no fault strikes the servers of both", lock_.name,
        servers::kind_of(lock_.uses.server).title, given_.lock.algorithm, server.title));
  }
  const std::string option =
      same_lock_ ? "--against-set" : fmt::format("--against {}", against_.algorithm);
  try {
    base_ = with_this_lock(given_);
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: {}", option, error.what()));
  }
  const std::vector<scenarios::ProcessSpec> theirs = scenarios::processes_of(base_);
  for (const scenarios::ProcessSpec& one : scenarios::processes_of(given_)) {
    if (scenarios::find(theirs, one.name) == nullptr)
      throw BadInput(fmt::format("{}: it has no {}, which a fault can strike", option, one.name));
  }
}

// The length of the lease belongs to the user, and not to the lock.
std::vector<Change> Reference::changes(const Scenario& scenario) const {
  if (same_lock_) return against_.changes;
  std::vector<Change> all = {{.path = "lock.algorithm", .value = against_.algorithm}};
  const Duration ttl = scenario.lock.options.ttl;
  if (models::takes(lock_, "ttl") && ttl > Duration::zero())
    all.push_back({.path = "lock.ttl", .value = keys::to_text(ttl)});
  all.insert(all.end(), against_.changes.begin(), against_.changes.end());
  return all;
}

// By its text, as a twin of its file: keys that the other lock does not have are left out.
Scenario Reference::with_this_lock(Scenario scenario) const {
  if (!same_lock_) scenario.lock.version.clear();
  scenarios::Document document(scenarios::file_text(scenario), scenario.name + ".toml");
  for (Change& change : changes(scenario)) document.set(std::move(change));
  return document.scenario(scenarios::vocabulary_of(scenario));
}

// Nothing but the plan, the seed and the ties differs between the runs of a search.
void Reference::prepare(const Scenario& scenario) {
  Scenario like_given = without_faults_or_results(scenario);
  like_given.seed = given_.seed;
  like_given.ties = given_.ties;
  like_given.title = given_.title;
  like_given.source = given_.source;
  const bool is_given = scenarios::file_text(like_given) == text_;
  current_ = is_given ? base_ : with_this_lock(std::move(like_given));
  current_.seed = scenario.seed;
  current_.ties = scenario.ties;
}

void Reference::make(const sim::Plan& plan, Result& result, std::vector<bool>& did) {
  current_.faults = plan;
  world_.set(current_);
  world_.run(current_.seed);
  result.judged = result.judged && !world_.cut_short();
  for (const properties::Verdict& verdict : world_.verdicts()) {
    if (verdict.outcome == Outcome::violated)
      result.violated[static_cast<std::size_t>(verdict.property)] = true;
  }
  for (const sim::Nemesis::Firing& one : world_.fired()) did[one.fault] = true;
}

Reference::Result Reference::under(const Scenario& scenario, const Struck& struck) {
  prepare(scenario);
  Result result;
  std::vector<bool> did(struck.plan.size());
  make(struck.plan, result, did);
  sim::Plan timed = struck.plan;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (!verbs::kind_of(timed[i].verb).on_message) timed[i].trigger = {.at = struck.at[i]};
  }
  if (timed != struck.plan) make(timed, result, did);
  result.missed = static_cast<std::uint32_t>(std::count(did.begin(), did.end(), false));
  return result;
}

bool Reference::breaks_elsewhere(const Scenario& scenario, const Struck& struck, Property one) {
  tried_ = 0;
  if (same_lock_) return false;
  prepare(scenario);
  for (std::size_t i = 0; i < struck.plan.size(); ++i) {
    current_.faults = struck.plan;
    current_.faults.erase(current_.faults.begin() + static_cast<std::ptrdiff_t>(i));
    world_.set(current_);
    world_.run(current_.seed, true);
    if (world_.cut_short()) continue;
    const std::vector<std::string> names = world_.processes();
    const Course others = course(world_, false);
    for (const Moment& moment : others.moments) {
      Fault fault = struck.plan[i];
      if (!can_be_at(fault, moment, names)) continue;
      fault.trigger = moment.trigger;
      if (names[moment.client] == fault.target) fault.trigger.by.clear();
      sim::Plan plan = struck.plan;
      plan[i] = std::move(fault);
      Result result;
      std::vector<bool> did(plan.size());
      make(plan, result, did);
      ++tried_;
      if (result.breaks(one)) return true;
    }
  }
  return false;
}

}  // namespace picklock::explore
