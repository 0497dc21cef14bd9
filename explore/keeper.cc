#include "explore/keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "explore/shrink.h"
#include "reports/narrator.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"
#include "scenarios/writer.h"

namespace picklock::explore {
namespace {

using Json = nlohmann::ordered_json;
using scenarios::Scenario;

Scenario parsed(const std::string& text, Property property, const Scenario& base) {
  return scenarios::parse(text, fmt::format("{}-1.toml", picklock::name(property)),
                          scenarios::vocabulary_of(base));
}

bool has(const std::vector<Violation>& all, const Violation& wanted) {
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

}  // namespace

// Faults that did not fire have done nothing: without them it must be there all the same.
Scenario Keeper::start_of(const Lead& lead) {
  if (!lead.file.empty()) return parsed(lead.file, lead.violation.property, runs_.scenario());
  Scenario scenario = runs_.drawn(lead.run);
  scenarios::World world;
  world.set(scenario);
  world.run(scenario.seed);
  const sim::Plan fired_faults = fired(scenario.faults, world);
  const bool shown = has(runs_.answered(scenario, fired_faults, world), lead.violation);
  scenario.faults = fired_faults;
  world.set(scenario);
  world.run(scenario.seed);
  if (shown && has(runs_.answered(scenario, scenario.faults, world), lead.violation))
    return scenario;
  throw NotDeterministic(fmt::format(
      "run {} of {} with seed {} is not deterministic: {} is violated, then, {}, it is not",
      lead.run + 1, scenario.name, runs_.options().seed, picklock::name(lead.violation.property),
      shown ? "without the faults that did not fire" : "made again"));
}

Keeper::Kept Keeper::keep(const Lead& lead, const std::function<bool()>& enough) {
  Kept kept;
  Find& find = kept.find;
  find.violation = lead.violation;
  find.run = lead.run + 1;
  find.slipped = !lead.file.empty();
  Scenario scenario = start_of(lead);
  find.faults = scenario.faults.size();
  const auto slips = [&](const Violation& one, const Scenario& into) {
    const bool known = std::any_of(kept.slipped.begin(), kept.slipped.end(),
                                   [&](const Lead& other) { return other.violation == one; });
    if (!known)
      kept.slipped.push_back({.run = lead.run, .violation = one, .file = file_text(into)});
  };
  const auto shows = [&](const Scenario& simpler, const scenarios::World& world) {
    const std::vector<Violation> shown = runs_.answered(simpler, simpler.faults, world);
    if (has(shown, lead.violation)) return true;
    for (const Violation& other : shown) slips(other, simpler);
    return false;
  };
  Shrinker shrinker(shows, runs_.options().shrinking);
  scenario = shrinker.shrink(std::move(scenario), enough);
  find.minimal = shrinker.ended();
  find.shrunk_in = shrinker.runs();
  finish(std::move(scenario), find);
  return kept;
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
  shortest.title =
      narrator.sentence(property, witness(run.verdicts[index], find.violation, run.history));
  shortest.source = fmt::format("{}, run {}{}", runs_.options().command, find.run,
                                find.slipped ? ", while another of its violations was shrunk" : "");
  shortest.expect.digest = run.digest;
  find.text = scenarios::file_text(shortest);
  find.promised = run.promised[index].promised && run.promised[index].premise_kept;
  find.story = parsed(find.text, property, runs_.scenario());
  const scenarios::Run again = runner.run(find.story, find.story.seed, false);
  if (again.digest == run.digest && again.as_expected()) return;
  throw NotDeterministic(fmt::format(
      "run {} of {} with seed {} is not what its own file says: digest {:016x}, then {:016x}",
      find.run, runs_.scenario().name, runs_.options().seed, run.digest, again.digest));
}

// ---------------------------------------------------------------- for another process

namespace {

Json json(const Violation& one) {
  return {{"property", static_cast<int>(one.property)}, {"role", one.role}, {"other", one.other}};
}

Violation violation_from(const Json& json) {
  return {.property = static_cast<Property>(json.at("property").get<int>()),
          .role = json.at("role"),
          .other = json.at("other")};
}

}  // namespace

std::string to_text(const Keeper::Kept& kept) {
  const Find& find = kept.find;
  Json slipped = Json::array();
  for (const Lead& lead : kept.slipped) {
    slipped.push_back(
        {{"run", lead.run}, {"violation", json(lead.violation)}, {"file", lead.file}});
  }
  return Json{{"violation", json(find.violation)},
              {"run", find.run},
              {"slipped", find.slipped},
              {"faults", find.faults},
              {"minimal", find.minimal},
              {"shrunk_in", find.shrunk_in},
              {"promised", find.promised},
              {"text", find.text},
              {"leads", slipped}}
      .dump();
}

Keeper::Kept kept_from(const std::string& text, const Scenario& base) {
  const Json json = Json::parse(text);
  Keeper::Kept kept{.find = {.violation = violation_from(json.at("violation")),
                             .run = json.at("run"),
                             .slipped = json.at("slipped"),
                             .faults = json.at("faults"),
                             .minimal = json.at("minimal"),
                             .shrunk_in = json.at("shrunk_in"),
                             .text = json.at("text"),
                             .story = {},
                             .promised = json.at("promised")},
                    .slipped = {}};
  kept.find.story = parsed(kept.find.text, kept.find.violation.property, base);
  for (const Json& lead : json.at("leads")) {
    kept.slipped.push_back({.run = lead.at("run"),
                            .violation = violation_from(lead.at("violation")),
                            .file = lead.at("file")});
  }
  return kept;
}

}  // namespace picklock::explore
