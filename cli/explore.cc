#include "cli/explore.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "cli/campaign_store.h"
#include "cli/console.h"
#include "cli/search.h"
#include "cli/search_words.h"
#include "explore/campaign.h"
#include "explore/corpus_folder.h"
#include "explore/folder.h"
#include "explore/search.h"
#include "explore/shared_parts.h"
#include "explore/strategies/list.h"
#include "keys/bad_input.h"
#include "keys/nearest.h"
#include "models/locks/catalogue.h"
#include "models/servers/kind.h"
#include "reports/wording.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"

namespace picklock::cli {
namespace {

using explore::Search;
using explore::SearchOptions;
using keys::BadInput;
using keys::Words;

constexpr std::uint64_t kRunsOfASearch = 100'000;
constexpr std::uint64_t kMostFaults = 100;
constexpr std::uint64_t kMostDepth = 100;

// ---------------------------------------------------------------- options

void read_faults(const std::string& list, SearchOptions& options) {
  Words known(kFaultClassNames.begin(), kFaultClassNames.end());
  known.insert(known.end(), {"none", "all"});
  options.all_classes = false;
  for (const std::string& word : listed_in("--faults", list)) {
    const auto found = std::find(known.begin(), known.end(), word);
    if (found == known.end()) refuse("--faults", "class of faults", word, known);
    const auto index = static_cast<std::size_t>(found - known.begin());
    if (word == "all") {
      options.all_classes = true;
    } else if (word == "none") {
      options.faults.none = true;
    } else {
      options.faults.classes.add(static_cast<FaultClass>(index));
    }
  }
}

void read_strategy(const std::string& word, SearchOptions& options) {
  const Words known = explore::strategies::names();
  const auto found = std::find(known.begin(), known.end(), word);
  if (found == known.end()) refuse("--strategy", "strategy", word, known);
  options.strategy = *found;
  options.faults.most = explore::strategies::named(*found).most_faults;
}

scenarios::Scenario scenario_of(const ExploreOptions& options) {
  if (options.scenario.empty() == options.algorithm.empty())
    throw BadInput(options.scenario.empty()
                       ? "explore: give a SCENARIO or --algorithm NAME"
                       : "explore: give a SCENARIO or an --algorithm, not both");
  if (!options.algorithm.empty() && models::locks::named(options.algorithm) == nullptr) {
    Words known;
    for (const models::Algorithm* one : models::locks::all()) known.push_back(one->name);
    refuse("--algorithm", "algorithm", options.algorithm, known);
  }
  const std::string word =
      options.scenario.empty() ? "plain/" + options.algorithm : options.scenario;
  return document_of(word, options.changes).scenario(scenarios::shipped_vocabulary());
}

// The command that makes this search again, without its length.
std::string command_of(const ExploreOptions& options, std::uint64_t seed) {
  std::string command = "picklock explore ";
  command += options.scenario.empty() ? "--algorithm " + shell_quoted(options.algorithm)
                                      : repeatable(options.scenario);
  return command + words_of(options, seed);
}

}  // namespace

std::string words_of(const ExploreOptions& options, std::uint64_t seed) {
  std::string command;
  const auto add = [&command](const char* option, const std::string& word) {
    if (!word.empty()) command.append(" ").append(option).append(" ").append(shell_quoted(word));
  };
  add("--strategy", options.strategy);
  for (const std::string& change : options.changes) add("--set", change);
  add("--max-faults", options.max_faults);
  add("--depth", options.depth);
  add("--faults", options.faults);
  add("--property", options.properties);
  for (const std::string& known : options.except) add("--except", known);
  add("--against", options.against);
  for (const std::string& change : options.against_changes) add("--against-set", change);
  add("--corpus", options.corpus);
  add("--seed", std::to_string(seed));
  return command;
}

namespace {

// ---------------------------------------------------------------- in a store

// `folder`: nullopt for a shard.
int search_in_store(const ExploreOptions& given, const explore::SharedSearch& asked,
                    const std::string& text, const explore::Limits& limits,
                    std::optional<explore::Folder>& folder, const reports::TextOptions& form) {
  const explore::StoredCampaign campaign{.program = program_of_store(),
                                         .search = text,
                                         .command = asked.options.command,
                                         .runs = limits.runs};
  Search search(asked.scenario, asked.options);
  const explore::Shard shard = given.shard.empty() ? explore::Shard{} : shard_from(given.shard);
  CampaignStore store(given.store, campaign, shard);
  using Role = explore::SharedParts::Role;
  explore::SharedParts parts(given.shard.empty() ? Role::all : Role::shard, shard, store.reader,
                             &store.writer);
  if (!given.shard.empty()) return make_shard(search, limits, parts, store.writer, given.json);
  if (const std::string differs = disagreement(store.reader); !differs.empty())
    throw BadInput("--store: " + differs);
  const int status = make_and_report({.search = search,
                                      .limits = limits,
                                      .folder = *folder,
                                      .form = form,
                                      .json = given.json,
                                      .shared = &parts});
  try {
    store.writer.end(status == kAsExpected || status == kNotAsExpected);
  } catch (const explore::StoreLost& lost) {
    complain(lost.what());
    return kNoAnswer;
  }
  return status;
}

}  // namespace

CLI::App* add_explore(CLI::App& app, ExploreOptions& options) {
  CLI::App* command =
      app.add_subcommand("explore", "Search for faults under which a lock breaks its promises.");
  const auto add = [command](const char* name, std::string& into, const std::string& meaning,
                             const char* type) {
    command->add_option(name, into, meaning)->type_name(type);
  };
  add("SCENARIO", options.scenario,
      "a scenario file, - for standard input, or the name of a shipped scenario, such as "
      "plain/LOCK; the faults of the file are left out",
      "");
  add("--algorithm", options.algorithm,
      "search with the plain scenario of this lock, in place of SCENARIO", "NAME");
  add("--strategy", options.strategy,
      fmt::format("how plans are chosen: {} (default: {})",
                  fmt::join(explore::strategies::names(), " or "), explore::strategies::names()[0]),
      "NAME");
  add("--max-faults", options.max_faults, "the most faults in one run (default: 3; exhaustive: 1)",
      "NUMBER");
  add("--depth", options.depth,
      fmt::format("pct: the orders of two messages that a violation may need (default: {})",
                  SearchOptions{}.depth),
      "NUMBER");
  command
      ->add_option("--set", options.changes,
                   "change one key of the file, such as lock.ttl=5s or clients.count=5; may be "
                   "repeated")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  add("--faults", options.faults,
      "the classes of faults to draw from, as in `picklock list faults`; none: also runs without "
      "faults (default: all classes that can act)",
      "CLASS,...");
  add("--property", options.properties,
      "search for violations of these properties (default: of those that the lock promises under "
      "the faults that struck)",
      "NAME,...");
  command
      ->add_option(
          "--except", options.except,
          "search on past what is known: a property, a class of faults or a verb, @ and a "
          "step, or several of them, as in own-release:pause@release.sent; may be repeated")
      ->type_name("KNOWN")
      ->take_all()
      ->allow_extra_args(false);
  add("--against", options.against,
      "run each plan that breaks the lock with this lock too: only a plan that breaks the first "
      "alone is a find; what either promises counts",
      "NAME");
  command
      ->add_option("--against-set", options.against_changes,
                   "change one key for the lock of --against, or of the same lock without "
                   "--against, such as lock.version=3.43; may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  add("--runs", options.runs,
      fmt::format("the number of runs (default: {}); exhaustive: with more plans of one number of "
                  "faults it does not begin (default: {})",
                  kRunsOfASearch, SearchOptions{}.most_plans),
      "NUMBER");
  add("--seconds", options.seconds, "search for so long, in place of --runs", "NUMBER");
  add("--seed", options.seed, "the seed of the plans and the runs (default: the file's, or 1)",
      "NUMBER");
  add("--jobs", options.jobs, "the number of processes (default: one per core)", "NUMBER");
  add("--out", options.out,
      fmt::format("the folder for the scenarios that break the lock (default: {})", kDefaultOut),
      "FOLDER");
  add("--corpus", options.corpus,
      "a folder of plans that --strategy guided begins with, and adds to", "FOLDER");
  add("--store", options.store,
      "a folder that keeps the parts of the search, so that it can be continued, and shared by "
      "several processes (docs/campaigns.md); then --seconds is the time of this process",
      "FOLDER");
  add("--shard", options.shard,
      "make only shard I of N, counted from 0, and leave the report to `picklock merge`; with "
      "--store",
      "I/N");
  add("--stop-after-finds", options.stop_after,
      "end with the part of the search that shows so many violations", "NUMBER");
  command->add_flag("--json", options.json, "print one JSON document");
  add_color(*command, options.color);
  std::vector<std::string_view> speeds;
  for (const servers::Kind* kind : servers::kinds()) {
    if (!kind->speed.empty()) speeds.push_back(kind->speed);
  }
  command->footer(
      fmt::format("Runs per second on one core: {}.\n\n", fmt::join(speeds, "; ")) +
      "Exit status:\n"
      "0\tno promised property was violated, with --property none of those named, apart from what "
      "--except names or the lock of --against violates too; with --shard: whatever was found\n"
      "1\tone was violated, a run crashed, or no fault struck in any run\n"
      "2\tbad input, wrong usage, a search that had to stop, or output that cannot be written\n"
      "130\tinterrupted; the report covers the runs until then");
  return command;
}

int explore(const ExploreOptions& given) {
  return explore(
      given, [&given] { return scenario_of(given); },
      [&given](std::uint64_t seed) { return command_of(given, seed); });
}

int explore(const ExploreOptions& given, const std::function<scenarios::Scenario()>& read,
            const std::function<std::string(std::uint64_t seed)>& command) {
  SearchOptions options;
  if (!given.strategy.empty()) read_strategy(given.strategy, options);
  if (!given.max_faults.empty()) {
    options.faults.most =
        static_cast<std::uint32_t>(number_from("--max-faults", given.max_faults, 1, kMostFaults));
  }
  if (!given.depth.empty()) {
    if (!explore::strategies::named(options.strategy).has_depth)
      throw BadInput(
          fmt::format("--depth: the strategy {} has no depth; pct has", options.strategy));
    options.depth = static_cast<std::uint32_t>(number_from("--depth", given.depth, 1, kMostDepth));
  }
  if (!given.faults.empty()) read_faults(given.faults, options);
  if (!given.properties.empty()) options.properties = properties_from(given.properties);
  // With a store, --runs is the size of the campaign and --seconds the time of this process.
  const bool stored = !given.store.empty();
  if (!given.runs.empty() && !given.seconds.empty() && !stored)
    throw BadInput("explore: give --runs or --seconds, not both");
  std::uint64_t runs = given.seconds.empty() || stored ? kRunsOfASearch : INT64_MAX;
  if (!given.runs.empty()) runs = number_from("--runs", given.runs, 1, INT64_MAX);
  if (explore::strategies::named(options.strategy).complete) {
    if (!given.runs.empty() || (!given.seconds.empty() && !stored)) options.most_plans = runs;
    runs = INT64_MAX;
  }
  std::optional<explore::Seconds> length;
  if (!given.seconds.empty()) length = explore::Seconds(seconds_from("--seconds", given.seconds));
  std::uint64_t stop_after = 0;
  if (!given.stop_after.empty())
    stop_after = number_from("--stop-after-finds", given.stop_after, 1, 1000);
  if (!given.shard.empty() && given.store.empty())
    throw BadInput("explore: --shard needs --store, the folder that the shards have in common");
  if (!given.corpus.empty() && !given.store.empty())
    throw BadInput(
        "explore: give --corpus or --store, not both: a corpus changes with every search");
  const unsigned jobs = jobs_from(given.jobs);
  const reports::TextOptions form = text_options(given.color);
  // A shard writes nothing there.
  std::optional<explore::Folder> folder;
  if (given.shard.empty()) folder.emplace("--out", given.out.empty() ? kDefaultOut : given.out);

  const scenarios::Scenario scenario = read();
  options.seed = given.seed.empty() ? scenario.seed : seed_from(given.seed);
  for (const std::string& known : given.except)
    options.except.push_back(explore::exception_from(known, scenario));
  if (!given.against.empty() || !given.against_changes.empty()) {
    options.against = {.algorithm =
                           given.against.empty() ? scenario.lock.algorithm : given.against};
    for (const std::string& change : given.against_changes)
      options.against->changes.push_back(scenarios::change_from(change));
  }
  options.command = command(options.seed);
  // Every search is of what a store would say of it: a merge knows no more.
  const std::string text = explore::to_text({scenario, options, stop_after});
  const explore::SharedSearch asked =
      explore::shared_search_from(text, scenarios::shipped_vocabulary());
  std::optional<explore::CorpusFolder> corpus;
  if (!given.corpus.empty()) {
    corpus.emplace(given.corpus);
    options.corpus = corpus->read(scenario);
  }
  const explore::Limits limits{
      .jobs = jobs, .runs = runs, .length = length, .stop_after = stop_after};
  if (!given.store.empty()) return search_in_store(given, asked, text, limits, folder, form);
  Search search(asked.scenario, options);
  if (corpus && search.corpus() == nullptr)
    throw BadInput(fmt::format("--corpus: the strategy {} makes no plans of others; guided does",
                               options.strategy));
  return make_and_report({.search = search,
                          .limits = limits,
                          .folder = *folder,
                          .form = form,
                          .json = given.json,
                          .corpus = corpus ? &*corpus : nullptr,
                          .corpus_word = given.corpus});
}

}  // namespace picklock::cli
