#include "explore/keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "explore/late_messages.h"
#include "explore/shrink.h"
#include "reports/narrator.h"
#include "reports/violation.h"
#include "scenarios/keys.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"
#include "scenarios/writer.h"

namespace picklock::explore {
namespace {

using scenarios::Scenario;

bool has(const std::vector<Violation>& all, const Violation& wanted) {
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

}  // namespace

std::string run_of(const Find& find) {
  return find.run == 0 ? "the run without faults" : fmt::format("run {}", find.run);
}

Scenario story_from(const std::string& text, Property property, const Scenario& base) {
  return scenarios::parse(text, fmt::format("{}-1.toml", picklock::name(property)),
                          scenarios::vocabulary_of(base));
}

// Faults that did not fire had no effect, so the violation must exist without them.
Scenario Keeper::start_of(const Lead& lead) {
  if (!lead.file.empty()) return story_from(lead.file, lead.violation.property, runs_.scenario());
  Scenario scenario = runs_.drawn(lead.batch, lead.run);
  scenarios::World world;
  world.set(scenario);
  world.run(scenario.seed);
  const sim::Plan fired_faults = fired(scenario.faults, world);
  const bool shown = has(runs_.answered(scenario, fired_faults, world), lead.violation);
  scenario.faults =
      without_known(runs_.options().except, lead.violation.property, fired_faults, scenario);
  world.set(scenario);
  world.run(scenario.seed);
  if (shown && has(runs_.answered(scenario, scenario.faults, world), lead.violation))
    return with_late_messages(std::move(scenario), lead.violation);
  throw NotDeterministic(fmt::format(
      "run {} of {} with seed {} is not deterministic: {} is violated, then, {}, it is not",
      lead.run + 1, scenario.name, runs_.options().seed, picklock::name(lead.violation.property),
      shown ? "without the faults that did not fire" : "made again"));
}

// Priorities concern all messages; a story names the few that matter. These are most often the
// clients' own, and there are more heartbeats than a file may have faults.
Scenario Keeper::with_late_messages(Scenario scenario, const Violation& violation) {
  if (scenario.network.priorities == 0) return scenario;
  scenarios::World world;
  world.set(scenario);
  world.run(scenario.seed, true);
  const sim::Plan late = late_messages(world);
  for (const bool with_all : {false, true}) {
    Scenario named = scenario;
    named.network.priorities = 0;
    named.network.priority_changes.clear();
    for (const sim::Fault& fault : late) {
      if (with_all || !fault.trigger.is_message()) named.faults.push_back(fault);
    }
    if (named.faults.size() > scenarios::kMostFaults) break;
    world.set(named);
    world.run(named.seed);
    const bool all_fired = fired(named.faults, world).size() == named.faults.size();
    if (all_fired && has(runs_.answered(named, named.faults, world), violation)) return named;
  }
  return scenario;
}

Keeper::Kept Keeper::keep(const Lead& lead, const std::function<bool()>& enough) {
  Kept kept;
  Find& find = kept.find;
  find.violation = lead.violation;
  find.run = lead.run + 1;
  find.slipped = !lead.file.empty();
  find.limit = lead.limit;
  Scenario scenario = start_of(lead);
  find.faults = scenario.faults.size();
  const auto slips = [&](const Violation& one, const Scenario& into) {
    const bool known = std::any_of(kept.slipped.begin(), kept.slipped.end(),
                                   [&](const Lead& other) { return other.violation == one; });
    if (!known && !lead.limit)
      kept.slipped.push_back({.run = lead.run, .violation = one, .file = file_text(into)});
  };
  scenarios::World world;
  const auto tries = [&](const Scenario& simpler) -> Shrinker::Tried {
    const RunMemory::Result result = shown_by(simpler, world);
    if (!result.counts) return {false, result.events};
    if (has(result.shown, lead.violation)) {
      const bool stays =
          !is_compared(find) || is_to_be_kept(simpler, world, lead.violation, lead.limit);
      return {stays, result.events};
    }
    for (const Violation& other : result.shown) {
      const bool kept_elsewhere =
          runs_.reference() == nullptr || is_to_be_kept(simpler, world, other, false);
      if (kept_elsewhere) slips(other, simpler);
    }
    return {false, result.events};
  };
  Shrinker shrinker(tries, runs_.options().shrinking);
  scenario = shrinker.shrink(std::move(scenario), enough);
  find.minimal = shrinker.ended();
  find.shrunk_in = shrinker.runs();
  finish(std::move(scenario), find);
  return kept;
}

RunMemory::Result Keeper::shown_by(const Scenario& scenario, scenarios::World& world) {
  const auto make = [&] {
    RunMemory::Result result{.counts = counts(scenario, world)};
    result.events = world.events();
    if (result.counts) result.shown = runs_.unknown(scenario, scenario.faults, world);
    return result;
  };
  // A comparison needs the run itself.
  return runs_.reference() != nullptr ? make() : runs_.memory().result(scenario, make);
}

bool Keeper::is_compared(const Find& find) const {
  return runs_.reference() != nullptr && find.run > 0;
}

// A find of a comparison stays one, and an example of a limit too.
bool Keeper::is_to_be_kept(const Scenario& scenario, const scenarios::World& world,
                           const Violation& one, bool limit) {
  const Struck faults = struck(scenario.faults, world);
  const Reference::Result theirs = runs_.reference()->under(scenario, faults);
  if (!theirs.judged || theirs.breaks(one.property) != limit) return false;
  return limit || !runs_.is_limit_elsewhere(scenario, faults, one.property);
}

// The written file must load and run exactly as the find did.
void Keeper::finish(Scenario shortest, Find& find) {
  const Property property = find.violation.property;
  scenarios::Runner runner;
  const scenarios::Run run = runner.run(shortest, shortest.seed, false);
  for (const properties::Verdict& verdict : run.verdicts) {
    if (verdict.outcome == properties::Outcome::violated)
      shortest.expect.violated.push_back(verdict.property);
  }
  const auto index = static_cast<std::size_t>(property);
  const reports::Narrator narrator(run);
  const auto seen = witness(run.verdicts[index], find.violation, run.history);
  shortest.title = reports::Violation(narrator, property, seen).sentence();
  shortest.source = fmt::format("{}, {}{}", runs_.options().command, run_of(find),
                                find.slipped ? ", while another of its violations was shrunk" : "");
  shortest.expect.digest = run.digest;
  find.text = scenarios::file_text(shortest);
  find.promised = run.promised[index].promised && run.promised[index].premise_kept;
  find.unprovoked = run.promised[index].answers && !find.promised;
  find.story = story_from(find.text, property, runs_.scenario());
  const scenarios::Run again = runner.run(find.story, find.story.seed, false);
  // A fault that changes nothing may have been kept for the time that it adds to the run.
  const auto in_vain = std::count_if(again.fired.begin(), again.fired.end(),
                                     [](const auto& one) { return !one.in_vain.empty(); });
  if (is_compared(find) && !find.limit) {
    Reference* reference = runs_.reference();
    scenarios::World world;
    world.set(find.story);
    world.run(find.story.seed);
    const Struck faults = struck(find.story.faults, world);
    find.missed = reference->under(find.story, faults).missed;
    reference->breaks_elsewhere(find.story, faults, property);
    find.moved = reference->tried();
  }
  if (again.digest == run.digest && again.surprises.size() == static_cast<std::size_t>(in_vain))
    return;
  throw NotDeterministic(fmt::format(
      "run {} of {} with seed {} is not what its own file says: digest {:016x}, then {:016x}",
      find.run, runs_.scenario().name, runs_.options().seed, run.digest, again.digest));
}

}  // namespace picklock::explore
