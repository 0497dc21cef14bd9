// The search of a user's test (picklock/scenario.h), and its result as a letter to the reader of
// the test's output.

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "explore/beside.h"
#include "explore/folder.h"
#include "explore/profile.h"
#include "explore/search.h"
#include "explore/user_scenario.h"
#include "keys/bad_input.h"
#include "models/locks/catalogue.h"
#include "picklock/scenario.h"
#include "reports/joined_rows.h"
#include "reports/narrator.h"
#include "reports/story.h"
#include "reports/timeline.h"
#include "reports/wording.h"
#include "scenarios/document.h"
#include "scenarios/loader.h"
#include "scenarios/own_lock.h"
#include "scenarios/runner.h"
#include "scenarios/setup.h"
#include "scenarios/writer.h"

namespace picklock {
namespace {

namespace fs = std::filesystem;
using explore::Find;
using properties::Verdict;
using reports::plural;
using scenarios::Run;
using Outcome = SearchResult::Outcome;

// ---------------------------------------------------------------- words

std::string field(std::string_view name, std::string_view text) {
  return fmt::format("  {:<8} {}\n", name, text);
}

bool answers_for(const Run& run, Property property) {
  return run.promised[static_cast<std::size_t>(property)].answers;
}

std::string quoted(const std::string& word) {
  if (word.find_first_of(" \t\n'\"\\$`&|;<>()*?[]#~!{}") == std::string::npos) return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? "'\\''" : std::string(1, letter);
  return text + "'";
}

// A shell command that works from this folder; if the program was started by an absolute path, as
// ctest does, from any folder.
std::string replay_command(const fs::path& file) {
  const fs::path program = program_invocation_name;
  std::error_code error;
  const fs::path named =
      program.is_absolute() ? fs::absolute(file, error).lexically_normal() : file;
  return fmt::format("PICKLOCK_REPLAY={} {}", quoted(named.string()), quoted(program.string()));
}

// ---------------------------------------------------------------- what was found

std::string said(const reports::Row& row, const reports::Narrator& narrator) {
  using reports::RowKind;
  std::string text = row.text;
  switch (row.kind) {
    case RowKind::exchange:
    case RowKind::departure:
    case RowKind::lost:
    case RowKind::reply:
      text = fmt::format("{}: {}", narrator.process(row.from), addressed(row, narrator));
      break;
    default:
      break;
  }
  if (row.kind == RowKind::departure) text += " leaves";
  if (!row.complete) text += " arrives";
  if (row.kind == RowKind::exchange && !row.answer.empty()) text += " → " + row.answer;
  return text + consequence(row);
}

// Up to where the property breaks: what comes after explains nothing.
std::string story(const Run& run, Property property) {
  const reports::Narrator narrator(run);
  const std::string ends_with = std::string(picklock::name(property)) + ":";
  std::string text;
  for (const reports::Row& row : reports::tell(run, narrator).rows) {
    if (row.kind == reports::RowKind::end) continue;
    text += fmt::format("  {:>8} {} {}\n", reports::instant(row.at),
                        row.kind == reports::RowKind::violation ? "✗" : " ", said(row, narrator));
    // The cause of an endless wait may come long after the wait begins.
    const bool ends = property != Property::not_stuck && property != Property::no_deadlock;
    if (ends && row.kind == reports::RowKind::violation && row.text.starts_with(ends_with)) break;
  }
  return text;
}

std::string faults(const Run& run) {
  if (run.scenario.faults.empty()) return field("faults", "none: the violation needs no fault");
  std::string text;
  for (const scenarios::FiredFault& fired : run.fired) {
    text += field(text.empty() ? "faults" : "",
                  fmt::format("{}; fired at {}", reports::fault(run.scenario.faults[fired.fault]),
                              reports::instant(fired.at)));
  }
  return text;
}

fs::path folder() {
  const char* given = std::getenv("PICKLOCK_OUT");
  return given != nullptr && *given != '\0' ? given : "picklock-out";
}

// Empty: it cannot be written.
fs::path kept(const std::string& stem, const std::string& text) {
  try {
    return explore::Folder("PICKLOCK_OUT", folder()).keep(stem, text);
  } catch (const BadInput&) {
    return {};
  }
}

SearchResult violated(const explore::Search& search, const SearchSettings& options) {
  const Find& find = search.finds()[0];
  const Property property = find.violation.property;
  const Run run = scenarios::Runner().run(find.story, find.story.seed, true);
  const fs::path file = kept(std::string(picklock::name(property)), find.text);
  SearchResult result{.outcome = Outcome::violated, .text = {}, .file = file.string()};
  result.text = fmt::format("{} violated{}\n  {}\n\n", picklock::name(property),
                            find.promised     ? ", although promised"
                            : find.unprovoked ? ", although no fault struck"
                                              : "",
                            run.scenario.title);
  result.text += story(run, property) + "\n" + faults(run);
  const std::size_t left = run.scenario.faults.size();
  std::string found =
      find.run == 0 ? fmt::format("in the run without faults, seed {}", options.seed)
                    : fmt::format("in run {} of {}, seed {}", find.run, options.runs, options.seed);
  if (left < find.faults)
    found += fmt::format("; shrunk from {} to {}", plural(find.faults, "fault"), left);
  result.text += field("found", found);
  if (const explore::Reference* reference = search.reference())
    result.text += field("compared", explore::compared(find, *reference));
  result.text += file.empty()
                     ? field("kept", "not saved: nothing can be written to " + folder().string())
                     : field("replay", replay_command(file));
  return result;
}

// ---------------------------------------------------------------- where nothing was found

SearchResult vacuous(std::string_view why) {
  return {.outcome = Outcome::vacuous, .text = fmt::format("nothing was tried: {}\n", why)};
}

std::string besides(const explore::Search& search, const std::string& not_compared) {
  std::string text;
  for (const explore::BesideLine& line : explore::beside(search, {}))
    text += field(line.name, line.text);
  if (!not_compared.empty()) text += field("compared", "not: " + not_compared);
  return text;
}

SearchResult clean(const explore::Search& search, const std::string& not_compared) {
  const explore::Tally& tally = search.tally();
  const std::uint64_t judged = tally.judged();
  if (const std::string_view why = search.why_vacuous(); !why.empty()) return vacuous(why);
  const std::vector<Property>& asked = search.options().properties;
  return {
      .outcome = Outcome::clean,
      .text = fmt::format(
          "{} violated in {} with {}, seed {}{}\n"
          "  a run drawn like these violates one with a probability below {:.2g}%, at 95% "
          "confidence{}\n{}",
          asked.empty() ? "no promised property" : reports::list(reports::names(asked)) + " not",
          plural(judged, "run"), plural(tally.fired, "fault"), search.options().seed,
          explore::but_for(search), 100 * explore::upper_bound_95(judged), explore::but_for(search),
          besides(search, not_compared))};
}

// ---------------------------------------------------------------- the other lock

// The keys by which a shipped lock is like the lock of this scenario.
std::vector<scenarios::Change> as_given(const scenarios::Scenario& scenario,
                                        const models::Algorithm& other, bool renews) {
  std::vector<scenarios::Change> all;
  const models::LockOptions as_it_comes = models::as_it_comes(other);
  if (renews && models::takes(other, "renew") && as_it_comes.renew == models::Renew::none)
    all.push_back({.path = "lock.renew", .value = "conditional"});
  const std::uint32_t servers = scenarios::servers_of(scenario, scenario.clients);
  const std::uint32_t quorum = scenarios::quorum_of(scenario, scenarios::common_setup(scenario));
  if (models::takes(other, "quorum") && other.quorum(servers, as_it_comes) != quorum)
    all.push_back({.path = "lock.quorum", .value = std::to_string(quorum)});
  return all;
}

// A lock that says what it promises is held to that alone, and so is a question about a property.
std::optional<explore::Against> other_lock(const Scenario& given, const SearchSettings& options,
                                           std::string& not_compared) {
  const scenarios::Scenario& scenario = given.state().scenario;
  const models::Algorithm* own = scenario.lock.own;
  const bool says_nothing = own != nullptr && !own->says_promises;
  std::string wanted = options.against;
  if (wanted.empty()) wanted = says_nothing && options.properties.empty() ? "best" : "none";
  if (wanted == "none") return std::nullopt;
  const bool best = wanted == "best";
  explore::Against against{.algorithm = std::move(wanted), .its_promises = false};
  if (!best) return against;
  const std::vector<explore::ReachedRole> roles = explore::profile(scenario, options.seed).roles;
  const bool renews = std::any_of(roles.begin(), roles.end(), [](const explore::ReachedRole& one) {
    return one.role == Role::renew;
  });
  against.algorithm = scenarios::best_of_kind(scenario, renews);
  if (against.algorithm.empty()) {
    not_compared = "no shipped lock is of its kind";
    return std::nullopt;
  }
  against.changes = as_given(scenario, *models::locks::named(against.algorithm), renews);
  try {
    explore::Reference(scenario, against);
  } catch (const BadInput& error) {
    not_compared = error.what();
    return std::nullopt;
  }
  return against;
}

// ---------------------------------------------------------------- once more

SearchResult replay(const fs::path& file, const scenarios::Scenario& base,
                    const SearchSettings& options) {
  const scenarios::Document document = scenarios::Document::from_file(file.string());
  const std::string lock = document.algorithm();
  if (lock != base.lock.algorithm && !lock.empty()) {
    return {
        .outcome = Outcome::skipped,
        .replayed = true,
        .text = fmt::format("{} is about {}, not {}\n", file.string(), lock, base.lock.algorithm)};
  }
  const scenarios::Scenario scenario = document.scenario(scenarios::vocabulary_of(base));
  const scenarios::Outcome outcome{.run = scenarios::Runner().run(scenario, scenario.seed, true),
                                   .twins = {}};
  std::vector<Property> broken;
  for (const Verdict& verdict : outcome.run.verdicts) {
    const bool answers = options.properties.empty()
                             ? answers_for(outcome.run, verdict.property)
                             : std::find(options.properties.begin(), options.properties.end(),
                                         verdict.property) != options.properties.end();
    if (answers && verdict.outcome == properties::Outcome::violated)
      broken.push_back(verdict.property);
  }
  SearchResult result{.outcome = broken.empty() ? Outcome::clean : Outcome::violated,
                      .replayed = true,
                      .text = broken.empty()
                                  ? "no property that the lock answers for is violated any more"
                                  : reports::list(reports::names(broken)) + " violated",
                      .file = file.string()};
  result.text += ", in " + file.string() + "\n\n" +
                 reports::timeline(
                     outcome, {.repeat_command = replay_command(file), .held_against_file = false});
  return result;
}

}  // namespace

SearchResult search(const Scenario& given, const SearchSettings& options) {
  const scenarios::Scenario& scenario = given.state().scenario;
  const char* file = std::getenv("PICKLOCK_REPLAY");
  if (file != nullptr && *file != '\0') return replay(file, scenario, options);
  if (scenarios::Runner().run(scenario, options.seed, false).grants == 0)
    return vacuous("the lock is never granted, even without faults");
  const bool some = options.faults.most > 0;
  std::string not_compared;
  explore::SearchOptions all = {
      .seed = options.seed,
      .faults = {.classes = some ? options.faults.classes : FaultClasses(),
                 .none = options.faults.none,
                 .most = options.faults.most},
      .all_classes = some && options.faults.classes.covers(FaultClasses::all()),
      .properties = options.properties,
      .against = other_lock(given, options, not_compared),
      .command = fmt::format("a test of {}, seed {}", scenario.lock.algorithm, options.seed)};
  for (const std::string& known : options.except)
    all.except.push_back(explore::exception_from(known, scenario));
  explore::Search search(scenario, std::move(all));
  while (search.tally().runs < options.runs && search.clean()) search.run_next();
  return search.clean() ? clean(search, not_compared) : violated(search, options);
}

}  // namespace picklock
