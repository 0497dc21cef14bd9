#include "cli/list.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/console.h"
#include "cli/layout.h"
#include "cli/search_words.h"
#include "explore/strategies/list.h"
#include "keys/bad_input.h"
#include "keys/nearest.h"
#include "models/locks/catalogue.h"
#include "models/servers/kind.h"
#include "picklock/lock.h"
#include "reports/violation.h"
#include "scenarios/catalogue.h"
#include "scenarios/fault_classes.h"
#include "scenarios/loader.h"
#include "scenarios/premise.h"
#include "scenarios/promises.h"
#include "scenarios/runner.h"
#include "scenarios/verbs/kind.h"

namespace picklock::cli {
namespace {

using Rows = nlohmann::ordered_json;

Rows keys_of(const models::Algorithm& algorithm, const models::LockOptions& options) {
  Rows rows = Rows::array();
  for (const keys::Key<models::LockOptions>& key : algorithm.keys) {
    const std::string by_itself = key.show ? key.show(options) : std::string();
    rows.push_back({{"name", key.name},
                    {"type", key.type},
                    {"default", by_itself == "\"\"" ? "" : by_itself},
                    {"meaning", key.meaning}});
  }
  return rows;
}

Rows algorithms() {
  Rows rows = Rows::array();
  for (const models::Algorithm* algorithm : models::locks::all()) {
    const models::LockOptions options = models::as_it_comes(*algorithm);
    Rows steps = Rows::array();
    for (const Role role : models::roles_under(algorithm->roles, algorithm->uses, options))
      steps.push_back(picklock::name(role));
    steps.push_back(picklock::name(Role::write));
    Rows promises = Rows::array();
    for (const Promise& promise : algorithm->promises(options)) {
      Rows under = Rows::array({"none"});
      for (std::size_t i = 0; i < kFaultClassCount; ++i) {
        const auto one = static_cast<FaultClass>(i);
        if (promise.under.has(one)) under.push_back(picklock::name(one));
      }
      promises.push_back({{"property", picklock::name(promise.property)},
                          {"under", under},
                          {"premise", promise.premise}});
    }
    rows.push_back({{"name", algorithm->name},
                    {"summary", algorithm->summary},
                    {"source", algorithm->source},
                    {"server", algorithm->uses.server.key},
                    {"steps", steps},
                    {"marks", algorithm->marks},
                    {"keys", keys_of(*algorithm, options)},
                    {"promises", promises}});
  }
  return rows;
}

bool is_algorithm(const std::string& word) { return models::locks::named(word) != nullptr; }

// One lock with all that a scenario can say of it.
Rows algorithm_named(const std::string& name) {
  Rows rows = Rows::array();
  for (Rows& row : algorithms()) {
    if (row["name"] == name) rows.push_back(std::move(row));
  }
  return rows;
}

std::string described(const Rows& row, bool color) {
  const auto all = [&row](const char* key) {
    std::string words;
    for (const auto& word : row[key])
      words += (words.empty() ? "" : ", ") + word.get<std::string>();
    return words.empty() ? "none" : words;
  };
  const int width = page_width();
  const Layout facts{.indent = 0, .column = 9, .width = width};
  const Layout list{.indent = 2, .column = 24, .width = width};
  std::string text =
      entry("lock", row["name"].get<std::string>() + ": " + row["summary"].get<std::string>(),
            facts, color);
  text += entry("source", row["source"].get<std::string>(), facts, color);
  text += entry("on", row["server"].get<std::string>(), facts, color);
  text += entry("steps", all("steps"), facts, color);
  text += entry("marks", all("marks"), facts, color);
  text += "\nKeys of [lock], with their defaults for this lock\n";
  for (const auto& key : row["keys"]) {
    const std::string by_itself = key["default"].get<std::string>();
    text += entry(key["name"].get<std::string>(),
                  (by_itself.empty() ? "" : by_itself + "; ") + key["meaning"].get<std::string>(),
                  list, color);
  }
  text += "\nPromises\n";
  for (const auto& promise : row["promises"]) {
    std::string under;
    for (const auto& one : promise["under"])
      under += (under.empty() ? "under " : ", ") + one.get<std::string>();
    const std::string premise = promise["premise"].get<std::string>();
    text += entry(promise["property"].get<std::string>(),
                  under + (premise.empty() ? "" : "; on condition: " + premise), list, color);
  }
  return text;
}

// ---------------------------------------------------------------- scenarios, and which of them

// The scenarios that are wanted. An empty list does not restrict them.
struct Filter {
  std::vector<std::string> locks;
  std::vector<std::string> faults;  // classes and verbs
  std::vector<std::string> servers;
};

// The words of `list`, the value of `option`, each of which must be `known`.
std::vector<std::string> known_words(const std::string& option, std::string_view kind,
                                     const std::string& list, const keys::Words& known) {
  if (list.empty()) return {};
  std::vector<std::string> words = listed_in(option, list);
  for (const std::string& word : words) {
    if (std::find(known.begin(), known.end(), word) == known.end())
      refuse(option, kind, word, known);
  }
  return words;
}

Filter filter_of(const ListOptions& options) {
  keys::Words locks;
  for (const models::Algorithm* one : models::locks::all()) locks.push_back(one->name);
  // `none` is the class of a run without faults. Some classes are named like a verb.
  keys::Words faults = {"none"};
  faults.insert(faults.end(), kFaultClassNames.begin(), kFaultClassNames.end());
  for (const std::string_view verb : verbs::names()) {
    if (std::find(faults.begin(), faults.end(), verb) == faults.end()) faults.push_back(verb);
  }
  return {.locks = known_words("--lock", "lock", options.locks, locks),
          .faults = known_words("--fault", "class of faults and no verb", options.faults, faults),
          .servers = known_words("--server", "server", options.servers, servers::keys_of_kinds())};
}

bool is_wanted(const std::vector<std::string>& words, const Rows& having) {
  return words.empty() || std::any_of(words.begin(), words.end(), [&](const std::string& word) {
           return std::find(having.begin(), having.end(), word) != having.end();
         });
}

Rows classes_of(const scenarios::Scenario& scenario) {
  Rows classes = Rows::array();
  const FaultClasses met = scenarios::classes_met(scenario);
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    if (met.has(static_cast<FaultClass>(i))) classes.push_back(kFaultClassNames[i]);
  }
  if (classes.empty()) classes.push_back("none");
  return classes;
}

Rows verbs_of(const scenarios::Scenario& scenario) {
  Rows verbs = Rows::array();
  for (const sim::Fault& fault : scenario.faults) {
    if (std::find(verbs.begin(), verbs.end(), verbs::name(fault.verb)) == verbs.end())
      verbs.push_back(verbs::name(fault.verb));
  }
  return verbs;
}

// The documented failure sequences first, then the plain scenario of each lock.
Rows shipped_scenarios(const std::string& directory, const Filter& filter) {
  Rows rows = Rows::array();
  for (const auto& [name, path] : scenarios::catalogue(directory)) {
    const scenarios::Scenario scenario = scenarios::load(path, scenarios::shipped_vocabulary());
    const models::Algorithm* lock = models::locks::named(scenario.lock.algorithm);
    const std::string_view server = lock->uses.server.key;
    const Rows classes = classes_of(scenario);
    const Rows verbs = verbs_of(scenario);
    if (!is_wanted(filter.locks, Rows::array({scenario.lock.algorithm})) ||
        !is_wanted(filter.servers, Rows::array({server})) ||
        (!is_wanted(filter.faults, classes) && !is_wanted(filter.faults, verbs)))
      continue;
    Rows violated = Rows::array();
    for (Property property : scenario.expect.violated) violated.push_back(picklock::name(property));
    rows.push_back({{"name", name},
                    {"summary", scenario.title},
                    {"algorithm", scenario.lock.algorithm},
                    {"server", server},
                    {"fault_classes", classes},
                    {"verbs", verbs},
                    {"source", scenario.source},
                    {"violated", violated}});
  }
  return rows;
}

// ---------------------------------------------------------------- the other kinds

Rows faults() {
  Rows rows = Rows::array();
  for (const scenarios::FaultClassRow& row : scenarios::fault_classes()) {
    Rows verbs = Rows::array();
    for (sim::Verb verb : row.verbs) verbs.push_back(verbs::name(verb));
    Rows targets = Rows::array();
    for (const scenarios::FaultTarget& target : scenarios::targets_of(row.fault_class))
      targets.push_back(scenarios::name_of(target, row.fault_class));
    rows.push_back({{"name", picklock::name(row.fault_class)},
                    {"summary", row.meaning},
                    {"verbs", verbs},
                    {"targets", targets}});
  }
  return rows;
}

Rows properties() {
  Rows rows = Rows::array();
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    const auto property = static_cast<Property>(i);
    rows.push_back({{"name", name(property)}, {"summary", reports::meaning(property)}});
  }
  return rows;
}

Rows strategy_rows() {
  Rows rows = Rows::array();
  for (const explore::strategies::Listed& strategy : explore::strategies::all())
    rows.push_back({{"name", strategy.name}, {"summary", strategy.meaning}});
  return rows;
}

Rows premises() {
  Rows rows = Rows::array();
  for (const std::string_view clause : scenarios::judged_clauses())
    rows.push_back({{"name", clause}, {"summary", ""}});
  return rows;
}

// The words under `key` of a row, for the text: "; steps: acquire, release".
std::string words(const Rows& row, const char* key) {
  std::string all;
  if (const auto found = row.find(key); found != row.end()) {
    for (const auto& word : *found) {
      all += (all.empty() ? fmt::format("; {}: ", key) : ", ") + word.get<std::string>();
    }
  }
  return all;
}

Rows rows_of(const ListOptions& options) {
  const bool filtered = !(options.locks + options.faults + options.servers).empty();
  if (filtered && options.kind != "scenarios")
    throw keys::BadInput("list: --lock, --fault and --server are for `list scenarios`");
  if (options.kind == "algorithms") return algorithms();
  if (is_algorithm(options.kind)) return algorithm_named(options.kind);
  if (options.kind == "scenarios")
    return shipped_scenarios(scenarios::shipped_directory(), filter_of(options));
  if (options.kind == "faults") return faults();
  if (options.kind == "properties") return properties();
  if (options.kind == "strategies") return strategy_rows();
  if (options.kind == "premises") return premises();
  const keys::Words kinds = {"algorithms", "scenarios",  "faults",
                             "properties", "strategies", "premises"};
  keys::Words known = kinds;
  for (const models::Algorithm* one : models::locks::all()) known.push_back(one->name);
  throw keys::BadInput(
      fmt::format("list: there is no kind `{}`{}", options.kind,
                  keys::did_you_mean(options.kind, known,
                                     "it is one of " + keys::listed(kinds) + ", or an algorithm")));
}

std::string text_of(const Rows& rows, const ListOptions& options, bool color) {
  if (is_algorithm(options.kind) && !options.names) return described(rows[0], color);
  constexpr int kWidestNames = 26;
  Layout layout{.indent = 0, .column = 0, .width = page_width()};
  for (const auto& row : rows) {
    const auto name = static_cast<int>(row["name"].get_ref<const std::string&>().size());
    layout.column = std::max(layout.column, std::min(name, kWidestNames) + 2);
  }
  std::string text;
  for (const auto& row : rows) {
    const std::string& name = row["name"].get_ref<const std::string&>();
    const std::string meaning = row["summary"].get_ref<const std::string&>() + words(row, "steps") +
                                (options.kind == "faults" ? words(row, "verbs") : "");
    text += options.names ? name + '\n' : entry(name, meaning, layout, color);
  }
  return text;
}

}  // namespace

CLI::App* add_list(CLI::App& app, ListOptions& options) {
  CLI::App* command = app.add_subcommand(
      "list", "List algorithms, scenarios, faults, properties, strategies or premises.");
  command
      ->add_option("KIND", options.kind,
                   "algorithms, scenarios, faults, properties, strategies, or the clauses of which "
                   "the premise of a promise may be made; or one algorithm: its steps, marks, keys "
                   "and promises")
      ->type_name("")
      ->required();
  const auto add = [command](const char* name, std::string& into, const std::string& meaning,
                             const char* type) {
    command->add_option(name, into, meaning)->type_name(type);
  };
  add("--lock", options.locks, "scenarios: only those of these locks (algorithms)", "NAME,...");
  add("--fault", options.faults,
      "scenarios: only those with a fault of these classes or verbs, both as in `picklock list "
      "faults`; none: those without faults",
      "NAME,...");
  add("--server", options.servers,
      "scenarios: only those whose lock lives on one of these: " +
          keys::listed(servers::keys_of_kinds()),
      "NAME,...");
  command->add_flag("--names", options.names, "print the names alone, one per line");
  command->add_flag("--json", options.json, "print one JSON array of objects");
  add_color(*command, options.color);
  command->footer(
      "A scenario must meet every filter that is given; of the words of one filter it must meet "
      "one.\n\n"
      "Exit status: 0, or 2 for a kind or a filter that does not exist.");
  return command;
}

int list(const ListOptions& options) {
  if (options.json && options.names) throw keys::BadInput("list: give --json or --names, not both");
  const bool color = colored(options.color);
  const Rows rows = rows_of(options);
  put(options.json ? rows.dump(2) + '\n' : text_of(rows, options, color));
  if (rows.empty())
    std::fputs("picklock: no shipped scenario meets all of these filters\n", stderr);
  return kAsExpected;
}

}  // namespace picklock::cli
