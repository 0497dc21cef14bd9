#include "cli/merge.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "cli/campaign_store.h"
#include "cli/compare.h"
#include "cli/console.h"
#include "cli/search.h"
#include "cli/search_words.h"
#include "compare/shared_cells.h"
#include "explore/shared_parts.h"
#include "explore/store_progress.h"
#include "explore/strategies/list.h"
#include "keys/bad_input.h"
#include "reports/wording.h"
#include "scenarios/runner.h"

namespace picklock::cli {
namespace {

using explore::StoreReader;
using keys::BadInput;
using Json = nlohmann::ordered_json;

// The one that the parts in the folder are of.
const explore::StoredCampaign& campaign_of(const StoreReader& reader) {
  const std::string folder = keys::printable(reader.folder().string(), 200);
  const auto& all = reader.campaigns();
  if (all.empty()) {
    throw BadInput(fmt::format("merge: {} has no part of a campaign of this picklock", folder));
  }
  if (all.size() > 1) {
    throw BadInput(
        fmt::format("merge: {} has the parts of {} campaigns, such as `{}` and `{}`; give each a "
                    "folder of its own",
                    folder, all.size(), keys::printable(all.begin()->second.command, 300),
                    keys::printable(std::next(all.begin())->second.command, 300)));
  }
  return all.begin()->second;
}

bool is_comparison(const explore::StoredCampaign& campaign) {
  return Json::parse(campaign.search).contains("compare");
}

// ---------------------------------------------------------------- progress

std::string ago(double seconds) { return fmt::format("{:.0f} s ago", std::max(0.0, seconds)); }

std::string words(const StoreReader::Attempt& one) {
  return fmt::format("shard {}/{} on {}", one.shard.index, one.shard.count,
                     keys::printable(one.host));
}

struct FindsSoFar {
  std::set<std::string> properties;
  std::set<explore::Violation> violations;
  std::uint64_t crashed = 0;
};

// A comparison has found the promises that its cells break.
FindsSoFar finds_in_cells(const StoreReader& reader) {
  FindsSoFar finds;
  for (const auto& [name, part] : reader.parts()) {
    const compare::Measures measures = compare::measures_of_part(part.result);
    finds.crashed += measures.crashed;
    for (std::size_t p = 0; p < kPropertyCount; ++p) {
      const compare::PropertyCount& count = measures.properties[p];
      if (count.broken == 0) continue;
      finds.violations.insert(count.smallest->violation);
      finds.properties.insert(std::string(kPropertyNames[p]));
    }
  }
  return finds;
}

FindsSoFar finds_so_far(const StoreReader& reader) {
  FindsSoFar finds;
  for (const auto& [name, part] : reader.parts()) {
    const explore::PartResult result = explore::part_result_from(part.result);
    finds.crashed += result.crashed.size();
    for (const explore::Sighting& one : result.block.sightings) {
      if (one.limit) continue;
      finds.violations.insert(one.violation);
      finds.properties.insert(std::string(picklock::name(one.violation.property)));
    }
  }
  return finds;
}

void tell_progress(const StoreReader& reader, const explore::StoredCampaign& campaign,
                   std::optional<std::uint64_t> runs, bool json) {
  const double now = explore::seconds_since_1970();
  const explore::StoreProgress progress = explore::progress_of(reader, now);
  const FindsSoFar finds = is_comparison(campaign) ? finds_in_cells(reader) : finds_so_far(reader);
  std::optional<double> left;
  if (runs && progress.rate > 0)
    left = static_cast<double>(*runs - std::min(*runs, progress.runs)) / progress.rate;
  if (json) {
    Json quiet = Json::array();
    for (const StoreReader::Attempt* one : progress.quiet) {
      quiet.push_back({{"shard", {one->shard.index, one->shard.count}},
                       {"host", one->host},
                       {"file", one->file},
                       {"seconds", now - one->last}});
    }
    put(Json{{"command", campaign.command},
             {"parts", progress.parts},
             {"runs", progress.runs},
             {"of_runs", runs ? Json(*runs) : Json()},
             {"runs_per_second", progress.rate},
             {"seconds_left", left ? Json(*left) : Json()},
             {"violations", finds.violations.size()},
             {"properties", finds.properties},
             {"crashed", finds.crashed},
             {"at_work", progress.at_work},
             {"ended", progress.ended},
             {"oldest_write",
              progress.oldest != nullptr ? Json(now - progress.oldest->last) : Json()},
             {"quiet", quiet}}
            .dump(2) +
        '\n');
    return;
  }
  std::string text = fmt::format("campaign   {}\n", campaign.command);
  text += fmt::format("parts      {}: {}{}\n", reports::plural(progress.parts, "part"),
                      reports::plural(progress.runs, "run"),
                      runs ? " of " + reports::grouped(*runs) : "");
  text += fmt::format("rate       {} runs a second; processes: {} at work, {} ended, {} quiet\n",
                      reports::rate(progress.rate), progress.at_work, progress.ended,
                      progress.quiet.size());
  text += fmt::format(
      "finds      {} so far{}{}\n", reports::plural(finds.violations.size(), "violation"),
      finds.properties.empty()
          ? ""
          : ", of " + reports::list({finds.properties.begin(), finds.properties.end()}),
      finds.crashed > 0 ? fmt::format("; {} crashed", reports::plural(finds.crashed, "run")) : "");
  if (left) text += fmt::format("left       {:.0f} s\n", *left);
  if (progress.oldest != nullptr) {
    text += fmt::format("oldest     {} wrote last {}\n", words(*progress.oldest),
                        ago(now - progress.oldest->last));
  }
  for (const StoreReader::Attempt* one : progress.quiet)
    text += fmt::format("quiet      {}: nothing for {:.0f} s\n", words(*one), now - one->last);
  put(text);
}

// ---------------------------------------------------------------- the report

int merge_search(const MergeOptions& given, StoreReader& reader,
                 const explore::StoredCampaign& campaign) {
  const reports::TextOptions form = text_options(given.color);
  const unsigned jobs = jobs_from(given.jobs);
  explore::Folder folder("--out", given.out.empty() ? kDefaultOut : given.out);
  const explore::SharedSearch shared =
      explore::shared_search_from(campaign.search, scenarios::shipped_vocabulary());
  explore::Search search(shared.scenario, shared.options);
  explore::SharedParts parts(explore::SharedParts::Role::merge, {}, reader, nullptr);
  const int status = make_and_report(
      {.search = search,
       .limits = {.jobs = jobs, .runs = campaign.runs, .stop_after = shared.stop_after},
       .folder = folder,
       .form = form,
       .json = given.json,
       .shared = &parts});
  if (status == kNoAnswer) {
    if (const std::string open = open_shards(reader); !open.empty()) complain(open);
  }
  return status;
}

}  // namespace

CLI::App* add_merge(CLI::App& app, MergeOptions& options) {
  CLI::App* command = app.add_subcommand(
      "merge", "Report a campaign whose parts are in a store, as one process would have.");
  const auto add = [command](const char* name, std::string& into, const std::string& meaning,
                             const char* type) {
    command->add_option(name, into, meaning)->type_name(type);
  };
  add("STORE", options.store, "the folder of --store", "");
  command->add_flag("--progress", options.progress,
                    "tell how far the campaign is, at any time, in place of its report");
  add("--jobs", options.jobs, "the number of processes (default: one per core)", "NUMBER");
  add("--out", options.out,
      fmt::format("the folder for the scenarios that break the lock (default: {})", kDefaultOut),
      "FOLDER");
  command->add_flag("--json", options.json, "print one JSON document");
  add_color(*command, options.color);
  command->footer(
      "Exit status:\n"
      "0, 1\tthat of the command whose campaign it is\n"
      "2\tparts are missing; two machines disagree on a part; bad input, or output that cannot be "
      "written\n"
      "130\tinterrupted");
  return command;
}

int merge(const MergeOptions& given) {
  if (given.store.empty()) throw BadInput("merge: give the STORE, the folder of --store");
  std::error_code error;
  if (!std::filesystem::is_directory(given.store, error))
    throw BadInput(fmt::format("merge: there is no folder {}", keys::printable(given.store, 200)));
  StoreReader reader(given.store, program_of_store());
  tell_what_does_not_count(reader);
  const explore::StoredCampaign campaign = campaign_of(reader);
  if (const std::string differs = disagreement(reader); !differs.empty()) {
    complain("merge: " + differs);
    if (!given.progress) return kNoAnswer;
  }
  const bool knows_runs = campaign.runs < static_cast<std::uint64_t>(INT64_MAX);
  if (given.progress) {
    std::optional<std::uint64_t> runs;
    if (is_comparison(campaign)) {
      runs = runs_of_comparison(campaign);
    } else if (knows_runs) {
      runs = campaign.runs;
    }
    tell_progress(reader, campaign, runs, given.json);
    return kAsExpected;
  }
  if (is_comparison(campaign))
    return merge_comparison(campaign, reader, given.jobs, given.out, given.color, given.json);
  return merge_search(given, reader, campaign);
}

}  // namespace picklock::cli
