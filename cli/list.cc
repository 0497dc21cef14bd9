#include "cli/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "explore/strategies.h"
#include "models/locks/catalogue.h"
#include "models/property.h"
#include "scenarios/bad_input.h"
#include "scenarios/catalogue.h"
#include "scenarios/fault_classes.h"
#include "scenarios/loader.h"
#include "scenarios/nearest.h"
#include "scenarios/runner.h"

namespace picklock::cli {
namespace {

using Rows = nlohmann::ordered_json;

Rows algorithms() {
  Rows rows = Rows::array();
  for (const models::Algorithm* algorithm : models::locks::all()) {
    const models::LockOptions options = models::as_it_comes(*algorithm);
    Rows steps = Rows::array();
    for (const models::Role role : models::roles_under(algorithm->roles, algorithm->uses, options))
      steps.push_back(models::name(role));
    steps.push_back(models::name(models::Role::write));
    Rows promises = Rows::array();
    for (const models::Promise& promise : algorithm->promises(options)) {
      Rows under = Rows::array({"none"});
      for (std::size_t i = 0; i < models::kFaultClassCount; ++i) {
        const auto one = static_cast<models::FaultClass>(i);
        if (promise.under.has(one)) under.push_back(models::name(one));
      }
      promises.push_back({{"property", models::name(promise.property)},
                          {"under", under},
                          {"premise", promise.premise}});
    }
    rows.push_back({{"name", algorithm->name},
                    {"summary", algorithm->summary},
                    {"source", algorithm->source},
                    {"steps", steps},
                    {"marks", algorithm->marks},
                    {"promises", promises}});
  }
  return rows;
}

// The documented ones, then the plain one of each lock.
Rows shipped_scenarios(const std::string& directory) {
  Rows rows = Rows::array();
  std::vector<std::string> names = scenarios::catalogue(directory);
  if (std::filesystem::is_directory(directory + "/plain")) {
    for (const std::string& lock : scenarios::catalogue(directory + "/plain"))
      names.push_back("plain/" + lock);
  }
  for (const std::string& name : names) {
    const scenarios::Scenario scenario =
        scenarios::load(scenarios::find_scenario(name, directory), scenarios::shipped_vocabulary());
    Rows violated = Rows::array();
    for (models::Property property : scenario.expect.violated)
      violated.push_back(models::name(property));
    rows.push_back({{"name", name},
                    {"summary", scenario.title},
                    {"algorithm", scenario.lock.algorithm},
                    {"source", scenario.source},
                    {"violated", violated}});
  }
  return rows;
}

Rows faults() {
  Rows rows = Rows::array();
  for (const scenarios::FaultClassRow& row : scenarios::fault_classes()) {
    Rows verbs = Rows::array();
    for (sim::Verb verb : row.verbs) verbs.push_back(sim::name(verb));
    rows.push_back({{"name", models::name(row.fault_class)},
                    {"summary", row.meaning},
                    {"verbs", verbs},
                    {"targets", row.targets}});
  }
  return rows;
}

Rows properties() {
  constexpr std::array<std::string_view, models::kPropertyCount> kMeaning = {
      "two clients do not believe at one time that they hold one lock",
      "nothing of another holder is accepted between two accepted operations of one",
      "no write of an older grant is accepted after any operation of a newer one",
      "no holder removes or alters the lock's key while it is another's",
      "the server counts a client's holds as often as the client was told that it holds",
      "a holder whose key is gone learns of it, or its declared deadline has passed",
      "nobody waits for ever behind a key that has no deadline and no live holder",
      "no cycle among waiters and holders, nor a holder that waits for itself",
      "nobody sleeps on, beyond the algorithm's bound, while the lock is free",
      "one release or loss wakes no more waiters than the algorithm promises",
      "nobody is overtaken by later comers more often than the algorithm promises",
      "an acquire is not refused while the algorithm's documented condition for success holds"};
  Rows rows = Rows::array();
  for (std::size_t i = 0; i < models::kPropertyCount; ++i) {
    rows.push_back({{"name", models::kPropertyNames[i]}, {"summary", kMeaning[i]}});
  }
  return rows;
}

Rows strategies() {
  Rows rows = Rows::array();
  for (const explore::Strategy& strategy : explore::kStrategies)
    rows.push_back({{"name", strategy.name}, {"summary", strategy.meaning}});
  return rows;
}

// What a trigger or a fault needs of a row: "; steps: acquire, release".
std::string words(const Rows& row, const char* key) {
  std::string all;
  if (const auto found = row.find(key); found != row.end()) {
    for (const auto& word : *found) {
      all += (all.empty() ? fmt::format("; {}: ", key) : ", ") + word.get<std::string>();
    }
  }
  return all;
}

}  // namespace

std::string list(const std::string& kind, bool json, const std::string& scenario_directory) {
  const scenarios::Words kinds = {"algorithms", "scenarios", "faults", "properties", "strategies"};
  Rows rows = Rows::array();
  if (kind == "algorithms")
    rows = algorithms();
  else if (kind == "scenarios")
    rows = shipped_scenarios(scenario_directory);
  else if (kind == "faults")
    rows = faults();
  else if (kind == "properties")
    rows = properties();
  else if (kind == "strategies")
    rows = strategies();
  else {
    throw scenarios::BadInput(fmt::format(
        "list: there is no kind `{}`{}", kind,
        scenarios::did_you_mean(kind, kinds, "it is one of " + scenarios::listed(kinds))));
  }
  if (json) return rows.dump(2) + '\n';
  std::size_t widest = 0;
  for (const auto& row : rows)
    widest = std::max(widest, row["name"].get_ref<const std::string&>().size());
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("{:<{}}  {}{}\n", row["name"].get_ref<const std::string&>(), widest,
                        row["summary"].get_ref<const std::string&>(),
                        words(row, "steps") + words(row, "verbs"));
  }
  return text;
}

}  // namespace picklock::cli
