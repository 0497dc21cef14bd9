#include "compare/lock_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "compare/safety_table/page.h"
#include "compare/safety_table/table.h"
#include "compare/summary.h"
#include "models/locks/catalogue.h"
#include "models/locks/option_keys.h"
#include "models/servers/kind.h"
#include "reports/mermaid.h"
#include "reports/wording.h"
#include "scenarios/catalogue.h"
#include "scenarios/document.h"
#include "scenarios/keys.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"

namespace picklock::compare {
namespace {

using namespace std::chrono_literals;
using models::Algorithm;
using scenarios::Scenario;

constexpr std::string_view kHow = "<!-- how it works -->\n";
constexpr std::string_view kEnd = "<!-- end -->\n";

// A run of a shipped file in which the lock takes part.
struct Appearance {
  std::string scenario;
  std::string title;
  std::string source;
  std::string_view as;  // "", "twin"
  std::vector<Property> violated;
};

std::vector<Appearance> appearances(std::string_view lock, const std::string& directory) {
  const scenarios::Vocabulary& words = scenarios::shipped_vocabulary();
  std::vector<Appearance> all;
  for (const scenarios::Shipped& shipped : scenarios::documented(directory)) {
    const auto document = scenarios::Document::from_file(shipped.path);
    const Scenario main = document.scenario(words);
    const auto add = [&](const Scenario& one, std::string_view as) {
      if (one.lock.algorithm == lock)
        all.push_back({shipped.name, main.title, main.source, as, one.expect.violated});
    };
    add(main, "");
    for (std::size_t i = 0; i < main.twins.size(); ++i) {
      // A twin of this lock's own scenario is on the page already.
      const Scenario twin = document.twin(i, words);
      if (main.lock.algorithm != lock) add(twin, "twin");
    }
  }
  return all;
}

std::string classes(FaultClasses under) {
  if (under.covers(FaultClasses::all())) return "all";
  return under.empty() ? "none" : fmt::format("{}", fmt::join(reports::names(under), ", "));
}

std::string capitalised(std::string_view sentence) {
  std::string text(sentence);
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// One client takes the lock, and another waits for it.
std::string diagram(std::string_view lock, const std::string& directory) {
  Scenario scenario = scenarios::Document::from_file(
                          scenarios::find_scenario(fmt::format("plain/{}", lock), directory))
                          .scenario(scenarios::shipped_vocabulary());
  scenario.title = fmt::format("Client-1 holds {}, and client-2 waits for it", lock);
  scenario.clients.count = 2;
  scenario.clients.cycles = 1;
  scenario.clients.arrive_every = 500ms;
  scenario.clients.hold = 1s;
  scenario.clients.writes = 1;
  scenario.expect = {};
  const scenarios::Outcome outcome{.run = scenarios::Runner().run(scenario, scenario.seed, true),
                                   .twins = {}};
  std::string text = reports::mermaid(outcome);
  if (!text.ends_with('\n')) text += '\n';
  return "```mermaid\n" + text + "```\n";
}

std::string promises(const Algorithm& lock, const models::LockOptions& options) {
  std::string text =
      "| property | under faults of class | on condition |\n"
      "|---|---|---|\n";
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    const auto property = static_cast<Property>(i);
    const std::optional<Promise> promise = models::promise(lock, property, options);
    text += promise ? fmt::format("| {} | {} | {} |\n", picklock::name(property),
                                  classes(promise->under), promise->premise)
                    : fmt::format("| {} | *never promised* | |\n", picklock::name(property));
  }
  return text;
}

// The scripts that a user can replace.
std::string scripts(const Algorithm& lock) {
  if (lock.scripts.empty()) return "";
  std::string text =
      "## Its scripts\n\nA scenario can replace these scripts by its own, which have the same "
      "keys, "
      "arguments and replies:\n\n"
      "| key of `[lock]` | KEYS | ARGV | replies |\n"
      "|---|---|---|---|\n";
  for (const models::ScriptUse& one : lock.scripts) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", models::locks::script_key_name(one.of),
                        one.keys, one.arguments, one.answers);
  }
  return text + "\n";
}

std::string differences(const Algorithm& lock, const models::Version& version) {
  const models::LockOptions newest = models::as_it_comes(lock);
  const models::LockOptions older = models::as_of(lock, version);
  std::vector<std::string> all;
  for (const auto& key : lock.keys) {
    const std::string shown = key.show(older);
    if (shown != key.show(newest)) all.push_back(fmt::format("`{} = {}`", key.name, shown));
  }
  return all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", "));
}

std::string versions(const Algorithm& lock) {
  if (lock.versions.empty()) return "";
  std::string text =
      "## Its versions\n\n`version` in `[lock]` chooses one of these, the first unless it is "
      "given:\n\n"
      "| version | options that differ | source |\n"
      "|---|---|---|\n";
  for (const models::Version& one : lock.versions)
    text += fmt::format("| {} | {} | {} |\n", one.name, differences(lock, one), one.source);
  return text + "\n";
}

std::string stories(std::string_view lock, const std::string& directory) {
  const std::vector<Appearance> all = appearances(lock, directory);
  if (all.empty()) return "";
  std::string text =
      "\nScenarios with this lock; `picklock run NAME` shows each. In those marked \"as its "
      "twin\", the scenario is about another\nlock, and this one meets the same faults for "
      "comparison.\n\n"
      "| scenario | story | violated |\n"
      "|---|---|---|\n";
  for (const Appearance& one : all) {
    text += fmt::format("| `{}`{} | {} | {} |\n", one.scenario,
                        one.as.empty() ? "" : fmt::format(", as its {}", one.as), one.title,
                        one.violated.empty()
                            ? "nothing"
                            : fmt::format("{}", fmt::join(reports::names(one.violated), ", ")));
  }
  return text;
}

std::string table(std::string_view lock) {
  const std::string scenario = fmt::format("plain/{}", lock);
  std::string text;
  std::vector<std::string_view> conditions;
  for (const safety_table::Configuration& one : safety_table::configurations()) {
    if (one.scenario != scenario) continue;
    if (one.changes.empty() && text.empty()) {
      text = fmt::format("\nIts row of the [safety table](../safety-table.md), \"{}\"{}:\n\n{}",
                         one.row, one.condition.empty() ? "" : fmt::format(", {}", one.condition),
                         safety_table::cells_as_table(one));
    } else if (std::find(conditions.begin(), conditions.end(), one.condition) == conditions.end()) {
      conditions.push_back(one.condition);
    }
  }
  if (!conditions.empty()) {
    text += "\nThe table has further cells for this lock where:\n\n";
    for (const std::string_view condition : conditions) text += fmt::format("- {}\n", condition);
  }
  return text;
}

// In a cell of a table.
std::string code(const std::string& text) {
  return text.empty() || text == "\"\"" ? "" : "`" + text + "`";
}

// The steps and marks to which a fault can be anchored, and the keys of [lock].
std::string settings(const Algorithm& lock) {
  const models::LockOptions options = models::as_it_comes(lock);
  std::vector<std::string> steps;
  for (const Role role : models::roles_under(lock.roles, lock.uses, options))
    steps.push_back(code(std::string(picklock::name(role))));
  steps.push_back(code(std::string(picklock::name(Role::write))));
  std::vector<std::string> marks;
  for (const std::string_view mark : lock.marks)
    marks.push_back(code(fmt::format("mark:{}", mark)));
  std::string text = fmt::format(
      "\n## What a scenario can say of it\n\nSteps for faults, with the keys at their defaults: "
      "{}.\nMarks: {}.\n\nKeys of `[lock]`, with their defaults for this lock:\n\n"
      "| key | default | meaning |\n|---|---|---|\n",
      fmt::join(steps, ", "),
      marks.empty() ? std::string("none") : fmt::format("{}", fmt::join(marks, ", ")));
  for (const keys::Key<models::LockOptions>& key : lock.keys)
    text += fmt::format("| `{}` | {} | {} |\n", key.name,
                        code(key.show ? key.show(options) : std::string()), key.meaning);
  return text;
}

// Which locks have a key: a row for each key of any lock.
std::string locks_by_key() {
  std::string text =
      "\n## Keys\n\nThe keys of `[lock]`, and the locks that have them. The page of a lock, and "
      "`picklock list NAME`, have its defaults.\n\n| key | locks |\n|---|---|\n";
  const auto all = models::locks::all();
  for (const keys::Key<models::LockOptions>& key : scenarios::option_keys()) {
    std::vector<std::string_view> with;
    std::vector<std::string_view> without;
    for (const Algorithm* lock : all)
      (models::takes(*lock, key.name) ? with : without).push_back(lock->name);
    text += fmt::format("| `{}` | {} |\n", key.name,
                        without.empty() ? std::string("all")
                        : with.size() > all.size() / 2
                            ? fmt::format("all but {}", fmt::join(without, ", "))
                            : fmt::format("{}", fmt::join(with, ", ")));
  }
  return text;
}

std::string page(const Algorithm& lock, const std::string& directory, const std::string& how) {
  const std::string plain = fmt::format("plain/{}", lock.name);
  const Scenario scenario =
      scenarios::Document::from_file(scenarios::find_scenario(plain, directory))
          .scenario(scenarios::shipped_vocabulary());
  const models::LockOptions options = scenarios::lock_options(scenario);
  std::string text =
      fmt::format("# {}\n\n{}.\n\nOn {}. Source: {}.\n\n", lock.name, capitalised(lock.summary),
                  servers::kind_of(lock.uses.server).title, lock.source);
  text += fmt::format("## How it works\n\n{}{}{}\n", kHow, how, kEnd);
  text += diagram(lock.name, directory);
  text += fmt::format("\n## What it promises\n\n{}\n", promises(lock, options));
  text += fmt::format(
      "With the options of `{}`, a waiter is granted the lock at most {} after the last "
      "disturbance "
      "has ended and no\nhealthy client holds it.\n\n",
      plain, reports::duration(lock.bound(options)));
  text += scripts(lock) + versions(lock);
  text += "## What breaks it\n";
  const std::string cells = table(lock.name);
  const std::string told = stories(lock.name, directory);
  if (cells.empty() && told.empty())
    text += "\nNo shipped scenario and no row of the safety table is about it.\n";
  text += cells + told;
  text += fmt::format(
      "\nTo measure it: `picklock compare --algorithms {0}`. To search for more: `picklock explore "
      "--algorithm {0}`, with\n`--property NAME` for a property that it does not promise.\n",
      lock.name);
  text += settings(lock);
  return text;
}

}  // namespace

std::string how_it_works(const std::string& page) {
  const std::size_t from = page.find(kHow);
  if (from == std::string::npos) return {};
  const std::size_t at = from + kHow.size();
  const std::size_t to = page.find(kEnd, at);
  return to == std::string::npos ? std::string() : page.substr(at, to - at);
}

std::vector<LockPage> lock_pages(const std::string& directory,
                                 const std::function<std::string(std::string_view lock)>& how) {
  std::vector<LockPage> all = {
      {"README.md",
       "# Locks\n\nOne page for every lock that picklock runs: how it works, what it promises, "
       "what breaks it.\n\n| lock | on | |\n|---|---|---|\n"}};
  for (const Algorithm* lock : models::locks::all()) {
    all[0].text += fmt::format("| [{0}]({0}.md) | {1} | {2} |\n", lock->name,
                               servers::kind_of(lock->uses.server).title, lock->summary);
    all.push_back({fmt::format("{}.md", lock->name), page(*lock, directory, how(lock->name))});
  }
  all[0].text += locks_by_key();
  all[0].text +=
      "\n`picklock compare` runs them side by side; see [docs/comparison.md](../comparison.md).\n";
  return all;
}

}  // namespace picklock::compare
