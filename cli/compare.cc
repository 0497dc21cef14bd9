#include "cli/compare.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cli/campaign_store.h"
#include "cli/console.h"
#include "cli/interruptible.h"
#include "cli/search_words.h"
#include "cli/status_line.h"
#include "compare/document.h"
#include "compare/ledger.h"
#include "compare/make.h"
#include "compare/pages.h"
#include "compare/program.h"
#include "compare/shared_cells.h"
#include "compare/table.h"
#include "compare/workload.h"
#include "explore/folder.h"
#include "keys/bad_input.h"
#include "keys/nearest.h"
#include "models/locks/catalogue.h"
#include "reports/wording.h"
#include "scenarios/catalogue.h"
#include "scenarios/document.h"

namespace picklock::cli {
namespace {

using keys::BadInput;
using keys::Words;

constexpr std::uint64_t kRunsOfACell = 500;

std::vector<std::string> locks_from(const std::string& list) {
  Words known;
  for (const models::Algorithm* one : models::locks::all()) known.push_back(one->name);
  std::vector<std::string> locks;
  for (const std::string& word : listed_in("--algorithms", list)) {
    if (std::find(known.begin(), known.end(), word) == known.end())
      refuse("--algorithms", "algorithm", word, known);
    locks.push_back(word);
  }
  return locks;
}

std::vector<compare::Column> columns_from(const std::string& list) {
  Words known(kFaultClassNames.begin(), kFaultClassNames.end());
  known.insert(known.end(), {"none", "all"});
  std::vector<compare::Column> columns;
  for (const std::string& word : listed_in("--faults", list)) {
    std::string unknown;
    const std::optional<compare::Column> column = compare::column_named(word, unknown);
    if (!column) refuse("--faults", "class of faults", unknown, known);
    columns.push_back(*column);
  }
  return columns;
}

// " --set clients.count=5", for commands that make cells again.
std::string settings_of(const CompareOptions& options) {
  std::string words;
  for (const std::string& change : options.changes) words += " --set " + shell_quoted(change);
  return words;
}

// The command that makes this table again.
std::string command_of(const CompareOptions& options, std::uint64_t seed) {
  std::string command = "picklock compare";
  const auto add = [&command](const char* option, const std::string& word) {
    if (!word.empty()) command.append(" ").append(option).append(" ").append(shell_quoted(word));
  };
  add("--algorithms", options.algorithms);
  add("--faults", options.faults);
  add("--property", options.properties);
  command += settings_of(options);
  add("--seed", std::to_string(seed));
  add("--runs", options.runs);
  add("--seconds", options.seconds);
  add("--complete", options.complete);
  return command;
}

std::string run_command(const std::string& file) { return "picklock run " + shell_quoted(file); }

class ComparisonProgress {
 public:
  explicit ComparisonProgress(const compare::Limits& limits) : limits_(limits) {}

  void tell(const compare::Progress& progress) {
    if (!first_) first_ = progress.runs;
    if (!line_.is_due(progress.passed)) return;
    const auto made = static_cast<double>(progress.runs - *first_);
    const double rate = made / progress.passed.count();
    if (progress.to_shrink > 0) {
      return line_.show(fmt::format("{} runs; {} stories, {} to be shrunk", progress.runs,
                                    progress.stories, progress.to_shrink));
    }
    std::string line = fmt::format("{}", progress.runs);
    if (progress.all > 0) line += fmt::format(" of {}", progress.all);
    line += fmt::format(" runs, {} a second", reports::rate(rate));
    const double left = limits_.length ? (*limits_.length - progress.passed).count()
                                       : static_cast<double>(progress.all - progress.runs) / rate;
    if (left < 1e9) line += fmt::format(", {:.0f}s left", std::max(left, 0.0));
    line_.show(line);
  }

  void say(const std::string& words) { line_.say(words); }

 private:
  const compare::Limits& limits_;
  std::optional<std::uint64_t> first_;  // runs that an earlier comparison made
  StatusLine line_;
};

}  // namespace

CLI::App* add_compare(CLI::App& app, CompareOptions& options) {
  CLI::App* command = app.add_subcommand(
      "compare", "Take every lock through the same faults, and show what breaks it.");
  const auto add = [command](const char* name, std::string& into, const std::string& meaning,
                             const char* type) {
    command->add_option(name, into, meaning)->type_name(type);
  };
  add("--algorithms", options.algorithms,
      "the locks, as in `picklock list algorithms` (default: all)", "NAME,...");
  add("--faults", options.faults,
      "the columns: classes of `picklock list faults`; none: runs without faults; all: a mix of "
      "all classes; pause+partition: a mix of these two (default: none, each class, all)",
      "CLASS,...");
  add("--property", options.properties,
      "the properties that decide the exit status (default: those that a lock promises under the "
      "faults that struck)",
      "NAME,...");
  command
      ->add_option("--set", options.changes,
                   "change one key of the workload of every lock that is compared, such as "
                   "clients.count=5 or network.latency=20ms; may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  add("--runs", options.runs,
      fmt::format("the number of runs of each cell (default: {})", kRunsOfACell), "NUMBER");
  add("--seconds", options.seconds,
      "compare for so long, with the stories and pages, in place of --runs; however short it is, "
      "each cell gets eight runs",
      "NUMBER");
  add("--complete", options.complete,
      fmt::format("first try every plan of at most so many faults, with two clients that take the "
                  "lock once: 0, 1, or 2, which leaves out a class with more than {} plans of two "
                  "(default: 2; with --runs: 0)",
                  reports::grouped(compare::EveryPlan::kMostOfTwo)),
      "NUMBER");
  add("--seed", options.seed, "the seed of the plans and the runs (default: 1)", "NUMBER");
  add("--jobs", options.jobs, "the number of processes (default: one per core)", "NUMBER");
  add("--out", options.out,
      fmt::format("the folder for the pages and the scenarios that break a lock, and for the runs "
                  "that were made, with which the same comparison continues later (default: {})",
                  kDefaultOut),
      "FOLDER");
  add("--store", options.store,
      "a folder that keeps the parts of the comparison, shared by several processes "
      "(docs/campaigns.md); then --seconds is the time of this process",
      "FOLDER");
  add("--shard", options.shard,
      "make only shard I of N, counted from 0, and leave the report to `picklock merge`; with "
      "--store",
      "I/N");
  command->add_flag("--json", options.json, "print one JSON document");
  add_color(*command, options.color);
  command->footer(
      "Exit status:\n"
      "0\tno lock breaks a property that it promises; with --property: none of those named; with "
      "--shard: whatever was found\n"
      "1\ta lock does\n"
      "2\tbad input, wrong usage, a comparison that had to stop, or output that cannot be "
      "written\n"
      "130\tinterrupted; the report covers the runs until then");
  return command;
}

namespace {

// Both kinds of fencing and all faults are part of every comparison.
compare::Changes changes_from(const CompareOptions& given) {
  compare::Changes changes;
  for (const std::string& text : given.changes) {
    scenarios::Change change = scenarios::change_from(text);
    const std::string_view table = std::string_view(change.path).substr(0, change.path.find('.'));
    if (change.path == "servers.resource.fencing")
      throw BadInput(fmt::format(
          "--set {}: compare has a cell without fencing and one with it for each fault", text));
    if (change.path.starts_with("servers.resource.") &&
        compare::resource_key(change.path) == nullptr)
      throw BadInput(fmt::format("--set {}: compare has a resource on a single node", text));
    if (change.path == "lock.algorithm")
      throw BadInput(fmt::format("--set {}: give the locks by --algorithms", text));
    if (table != "lock" && table != "servers" && table != "clients" && table != "network")
      throw BadInput(
          fmt::format("--set {}: compare takes keys of lock, servers, clients and network", text));
    changes.push_back(std::move(change));
  }
  return changes;
}

compare::Options options_from(const CompareOptions& given) {
  compare::Options options;
  if (!given.algorithms.empty()) options.locks = locks_from(given.algorithms);
  if (!given.faults.empty()) options.columns = columns_from(given.faults);
  if (!given.properties.empty()) options.properties = properties_from(given.properties);
  if (!given.seed.empty()) options.seed = seed_from(given.seed);
  const std::string by_itself = given.runs.empty() ? "2" : "0";
  options.complete = static_cast<std::uint32_t>(
      number_from("--complete", given.complete.empty() ? by_itself : given.complete, 0,
                  compare::kMostComplete));
  options.settings = settings_of(given);
  if (!given.changes.empty())
    options.fenced = compare::fenced_resource(scenarios::shipped_directory(), changes_from(given));
  return options;
}

// With the defaults as words, of which one depends on another.
CompareOptions with_defaults(CompareOptions given) {
  given.complete = std::to_string(options_from(given).complete);
  if (given.runs.empty()) given.runs = std::to_string(kRunsOfACell);
  return given;
}

std::vector<scenarios::Scenario> workloads_from(const CompareOptions& given) {
  return compare::workloads(
      scenarios::shipped_directory(), changes_from(given),
      given.algorithms.empty() ? std::vector<std::string>() : locks_from(given.algorithms));
}

std::uint64_t runs_from(const CompareOptions& given) {
  return given.runs.empty() ? kRunsOfACell : number_from("--runs", given.runs, 1, INT64_MAX);
}

int make_and_report_cells(compare::Comparison& comparison, compare::Ledger& ledger,
                          const compare::Limits& limits, const CompareOptions& given,
                          bool in_store) {
  const reports::TextOptions form = text_options(given.color);
  const explore::Folder folder("--out", given.out.empty() ? kDefaultOut : given.out);
  compare::Made made{.command = command_of(given, comparison.options().seed),
                     .run_command = run_command};
  // The stories of a page are compressed once it has them all.
  constexpr double kShareBeforeThat = 0.97;
  std::function<bool()> late = [] { return false; };
  if (limits.length) late = compare::once_passed(*limits.length * kShareBeforeThat);
  const Interruptible interruptible;
  std::signal(SIGCHLD, SIG_DFL);  // if it is ignored, no exit status of a worker arrives
  std::string stopped;
  {
    ComparisonProgress line(limits);
    if (ledger.set_aside())
      line.say("the runs in this folder are from another picklock, and were set aside");
    const compare::Onlooker onlooker{
        .progress = [&](const compare::Progress& progress) { line.tell(progress); },
        .interrupted = [] { return Interruptible::caught(); }};
    try {
      const compare::Seconds took = compare::make(comparison, ledger, limits, onlooker);
      // No time is told of a comparison in a store: it would differ each time.
      if (!in_store) made.wall_seconds = took.count();
    } catch (const explore::NotDeterministic& error) {
      stopped = error.what();
    } catch (const std::runtime_error& error) {
      stopped = error.what();
    }
  }
  made.interrupted = Interruptible::caught();
  const compare::Pages pages = compare::write_pages(comparison, made, folder.path(), late);
  made.pages = pages.for_people;
  made.stories_left_out = pages.left_out;
  put(given.json ? compare::json(comparison, made) : compare::table(comparison, made, form));
  if (!ledger.is_whole() || !pages.all_written) {
    const std::string where = keys::printable(folder.path().string());
    std::fputs(("picklock: not everything could be written to " + where + '\n').c_str(), stderr);
  }
  if (!stopped.empty()) {
    std::fputs(("picklock: stopped: " + stopped + '\n').c_str(), stderr);
    return kNoAnswer;
  }
  if (made.interrupted) return kInterrupted;
  return comparison.clean() ? kAsExpected : kNotAsExpected;
}

// ---------------------------------------------------------------- in a store

// The words of the user that decide the results, and what the program compares.
std::string search_text(const CompareOptions& given, const compare::Options& options,
                        const std::vector<scenarios::Scenario>& workloads) {
  return nlohmann::ordered_json{
      {"compare", 1},
      {"workloads",
       fmt::format("{:016x}", compare::program_fingerprint(workloads, options.fenced))},
      {"algorithms", given.algorithms},
      {"faults", given.faults},
      {"properties", given.properties},
      {"changes", given.changes},
      {"complete", given.complete},
      {"seed", given.seed}}
      .dump();
}

// Shrinks and reports what the store has.
int report_store(const CompareOptions& given, compare::Comparison& comparison,
                 const explore::StoreReader& reader, std::uint64_t runs) {
  const std::vector<explore::PartName> missing = compare::take_parts(comparison, reader, runs);
  if (!missing.empty()) {
    complain(fmt::format("{} of {} are missing, the first of them {}",
                         reports::grouped(missing.size()),
                         reports::plural(compare::parts_of(comparison, runs).size(), "part"),
                         missing.front().cell.find(".every") != std::string::npos
                             ? "every plan of " + missing.front().cell
                             : words(missing.front())));
    if (const std::string open = open_shards(reader); !open.empty()) complain(open);
    return kNoAnswer;
  }
  const explore::Folder folder("--out", given.out.empty() ? kDefaultOut : given.out);
  std::filesystem::create_directories(folder.path());
  compare::Ledger ledger(
      folder.path(), comparison.options().seed,
      compare::program_fingerprint(comparison.workloads(), comparison.options().fenced));
  ledger.read_stories(comparison);
  return make_and_report_cells(comparison, ledger, {.jobs = jobs_from(given.jobs), .runs = runs},
                               given, true);
}

int make_shard_of_cells(const CompareOptions& given, compare::Comparison& comparison,
                        CampaignStore& store, const explore::Shard& shard,
                        const compare::Limits& limits) {
  const Interruptible interruptible;
  std::signal(SIGCHLD, SIG_DFL);  // if it is ignored, no exit status of a worker arrives
  compare::SharedEnding ending;
  std::string stopped;
  {
    ComparisonProgress line(limits);
    const compare::Onlooker onlooker{
        .progress = [&](const compare::Progress& progress) { line.tell(progress); },
        .interrupted = [] { return Interruptible::caught(); }};
    try {
      ending = compare::make_shard(comparison, store.reader, store.writer, shard, limits, onlooker);
      store.writer.end(ending.complete);
    } catch (const explore::NotDeterministic& error) {
      stopped = error.what();
    } catch (const std::runtime_error& error) {
      stopped = error.what();
    }
  }
  if (!stopped.empty()) {
    complain("stopped: " + stopped);
    return kNoAnswer;
  }
  if (!given.shard.empty()) put(shard_report(shard, ending.parts, ending.complete, given.json));
  return Interruptible::caught() ? kInterrupted : kAsExpected;
}

int compare_in_store(const CompareOptions& words) {
  CompareOptions given = with_defaults(words);
  given.seconds.clear();
  const std::uint64_t runs = runs_from(given);
  compare::Limits limits{.jobs = jobs_from(given.jobs), .runs = runs};
  if (!words.seconds.empty())
    limits.length = compare::Seconds(seconds_from("--seconds", words.seconds));
  const explore::Shard shard = given.shard.empty() ? explore::Shard{} : shard_from(given.shard);
  if (!given.shard.empty()) text_options(given.color);
  const compare::Options options = options_from(given);
  const std::vector<scenarios::Scenario> workloads = workloads_from(given);
  CampaignStore store(given.store,
                      {.program = program_of_store(),
                       .search = search_text(given, options, workloads),
                       .command = command_of(given, options.seed),
                       .runs = runs},
                      shard);
  compare::Comparison comparison(options, workloads);
  const int status = make_shard_of_cells(given, comparison, store, shard, limits);
  if (!given.shard.empty() || status != kAsExpected) return status;
  store.reader.update();
  if (const std::string differs = disagreement(store.reader); !differs.empty())
    throw BadInput("--store: " + differs);
  return report_store(given, comparison, store.reader, runs);
}

// The words that the processes of the campaign were given.
CompareOptions given_to(const explore::StoredCampaign& campaign) {
  const auto json = nlohmann::ordered_json::parse(campaign.search);
  CompareOptions given;
  given.algorithms = json.at("algorithms");
  given.faults = json.at("faults");
  given.properties = json.at("properties");
  given.changes = json.at("changes").get<std::vector<std::string>>();
  given.complete = json.at("complete");
  given.seed = json.at("seed");
  given.runs = std::to_string(campaign.runs);
  return given;
}

}  // namespace

int compare(const CompareOptions& words) {
  const CompareOptions given = words.seconds.empty() ? with_defaults(words) : words;
  if (!words.runs.empty() && !words.seconds.empty() && words.store.empty())
    throw BadInput("compare: give --runs or --seconds, not both");
  if (!given.shard.empty() && given.store.empty())
    throw BadInput("compare: --shard needs --store, the folder that the shards have in common");
  if (!given.store.empty()) return compare_in_store(words);
  const compare::Options options = options_from(given);
  compare::Limits limits{.jobs = jobs_from(given.jobs)};
  if (given.seconds.empty()) {
    limits.runs = runs_from(given);
  } else {
    limits.length = compare::Seconds(seconds_from("--seconds", given.seconds));
  }
  text_options(given.color);  // refuses a bad one before anything is made
  const explore::Folder folder("--out", given.out.empty() ? kDefaultOut : given.out);
  std::filesystem::create_directories(folder.path());
  const std::vector<scenarios::Scenario> workloads = workloads_from(given);
  compare::Ledger ledger(folder.path(), options.seed,
                         compare::program_fingerprint(workloads, options.fenced));
  compare::Comparison comparison(options, workloads);
  ledger.read(comparison, limits.runs);
  return make_and_report_cells(comparison, ledger, limits, given, false);
}

std::uint64_t runs_of_comparison(const explore::StoredCampaign& campaign) {
  const CompareOptions given = given_to(campaign);
  const compare::Comparison comparison(options_from(given), workloads_from(given));
  std::uint64_t runs = 0;
  for (const compare::CellPart& part : compare::parts_of(comparison, campaign.runs))
    runs += part.name.runs.to - part.name.runs.from;
  return runs;
}

int merge_comparison(const explore::StoredCampaign& campaign, const explore::StoreReader& reader,
                     const std::string& jobs, const std::string& out, const std::string& color,
                     bool json) {
  CompareOptions given = given_to(campaign);
  given.jobs = jobs;
  given.out = out;
  given.color = color;
  given.json = json;
  compare::Comparison comparison(options_from(given), workloads_from(given));
  return report_store(given, comparison, reader, campaign.runs);
}

}  // namespace picklock::cli
