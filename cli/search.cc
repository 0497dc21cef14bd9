#include "cli/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/campaign_store.h"
#include "cli/console.h"
#include "cli/interruptible.h"
#include "cli/status_line.h"
#include "explore/complete.h"
#include "explore/report.h"
#include "keys/bad_input.h"
#include "reports/wording.h"

namespace picklock::cli {
namespace {

using explore::Search;

// A search that is killed loses what its corpus has gained since then.
constexpr explore::Seconds kCorpusEvery = std::chrono::minutes(1);

std::string about_so_long(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", std::max(seconds, 1.0));
  if (seconds < 120 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} h", seconds / 3600);
}

// Why a search that tries every plan has not done so; empty: it has, or something ended it.
std::string why_undecided(const explore::Report& report) {
  const auto decided = report.search.decided();
  if (!decided || report.interrupted) return {};
  if (decided->too_many > 0) {
    std::string text =
        fmt::format("the plans of {} are some {}, which is more than --runs {}",
                    explore::in_plans(decided->most + 1, *decided),
                    reports::grouped(decided->too_many), report.search.options().most_plans);
    if (report.wall_seconds) {
      const double each = *report.wall_seconds / static_cast<double>(report.search.tally().runs);
      text += fmt::format(" and would take about {}",
                          about_so_long(each * static_cast<double>(decided->too_many)));
    }
    return text;
  }
  if (!report.search.clean()) return {};
  if (decided->most < report.search.options().faults.most || !decided->begun)
    return fmt::format("{} before every plan of {} was tried",
                       report.ended_by.empty() ? "the time was over" : "it was ended",
                       explore::in_plans(decided->begun ? decided->most + 1 : 0, *decided));
  if (decided->unjudged > 0)
    return fmt::format("{} could not be judged", reports::plural(decided->unjudged, "plan"));
  return {};
}

class SearchProgress {
 public:
  SearchProgress(const Search& search, std::uint64_t runs, std::optional<explore::Seconds> length)
      : search_(search), runs_(runs), length_(length) {}

  void tell(const explore::Progress& progress) {
    if (!line_.is_due(progress.passed)) return;
    const double rate = static_cast<double>(progress.runs) / progress.passed.count();
    std::string line = fmt::format("{} runs, {} a second", progress.runs, reports::rate(rate));
    if (progress.found > 0) line += fmt::format(", {} found", progress.found);
    line_.show(line + (progress.shrinking ? ", shrinking" : time_left(progress, rate)));
  }

  void say(const std::string& line) { line_.say(line); }

 private:
  std::string time_left(const explore::Progress& progress, double rate) const {
    const auto decided = search_.decided();
    const std::uint64_t runs = decided ? decided->wanted : runs_;
    const double left = length_ ? (*length_ - progress.passed).count()
                                : static_cast<double>(runs - std::min(runs, progress.runs)) / rate;
    if (!(left < 1e9)) return {};
    return fmt::format(", {:.0f}s left", std::max(left, 0.0));
  }

  const Search& search_;
  const std::uint64_t runs_;
  const std::optional<explore::Seconds> length_;
  StatusLine line_;
};

// "runs 1 to 4096, 8193 to 12288 and 3 more gaps".
std::string gaps(const std::vector<explore::Span>& missing) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> named;
  for (const explore::Span& one : missing) {
    if (named.size() == kMostNamed) {
      named.push_back(fmt::format("{} more", reports::grouped(missing.size() - kMostNamed)));
      break;
    }
    named.push_back(fmt::format("{} to {}", one.from + 1, one.to));
  }
  return "runs " + reports::list(named);
}

// Why the campaign ended before its last run; empty: it did not.
std::string ended_by(const SearchTask& task, const explore::Ending& ending) {
  const std::uint64_t runs = task.search.tally().runs;
  if (ending.stopped_by_user) {
    const std::string of = task.limits.runs == INT64_MAX
                               ? ""
                               : fmt::format(" of {}", reports::grouped(task.limits.runs));
    return fmt::format("by the file `stop`, after {} run{}{} without a gap", reports::grouped(runs),
                       runs == 1 ? "" : "s", of);
  }
  if (task.limits.stop_after > 0 && task.search.finds().size() >= task.limits.stop_after &&
      runs < task.limits.runs)
    return fmt::format("by --stop-after-finds {}, after {}", task.limits.stop_after,
                       reports::plural(runs, "run"));
  return {};
}

}  // namespace

int make_and_report(const SearchTask& task) {
  Search& search = task.search;
  explore::Folder& folder = task.folder;
  explore::Report report{.search = search, .run_command = [](const std::string& file) {
                           return "picklock run " + shell_quoted(file);
                         }};
  explore::Ending ending;
  const Interruptible interruptible;
  std::signal(SIGCHLD, SIG_DFL);  // if it is ignored, no exit status of a worker arrives
  {
    SearchProgress line(search, task.limits.runs, task.limits.length);
    bool all_kept = true;
    explore::Seconds corpus_due = kCorpusEvery;
    const auto keep = [&](std::string_view stem, const std::string& text) {
      std::string file = folder.keep(std::string(stem), text);
      if (!file.empty()) {
        line.say(fmt::format("found: {}", file));
      } else if (std::exchange(all_kept, false)) {
        const std::string where = keys::printable(folder.path().string());
        std::fputs(("picklock: nothing can be written to " + where + '\n').c_str(), stderr);
      }
      return file;
    };
    const explore::Onlooker onlooker{
        .found =
            [&](const explore::Find& find) {
              report.files.push_back(keep(picklock::name(find.violation.property), find.text));
            },
        .limit =
            [&](const explore::Find& find) {
              report.limit_files.push_back(keep(
                  fmt::format("limit-{}", picklock::name(find.violation.property)), find.text));
            },
        .crashed =
            [&](const explore::Crash& crash) {
              report.crash_files.push_back(keep("crash", crash.text));
            },
        .progress =
            [&](const explore::Progress& progress) {
              line.tell(progress);
              if (task.corpus == nullptr || progress.passed < corpus_due) return;
              corpus_due = progress.passed + kCorpusEvery;
              // The last write of all says if it fails.
              static_cast<void>(task.corpus->write(*search.corpus(), search.scenario()));
            },
        .interrupted = [] { return Interruptible::caught(); }};
    try {
      ending = explore::make(search, task.limits, onlooker, task.shared);
    } catch (const std::runtime_error& error) {
      report.stopped = error.what();
    } catch (const explore::NotDeterministic& error) {
      report.stopped = error.what();
    }
  }
  report.interrupted = Interruptible::caught();
  // No time is told of a search in a store: it would differ each time.
  if (task.shared == nullptr) report.wall_seconds = ending.took.count();
  if (!ending.missing.empty()) {
    complain("these parts are missing: " + gaps(ending.missing));
    return report.interrupted ? kInterrupted : kNoAnswer;
  }
  report.ended_by = ended_by(task, ending);
  if (task.corpus != nullptr) {
    const auto plans = task.corpus->write(*search.corpus(), search.scenario());
    report.corpus_folder = task.corpus_word;
    report.corpus_files = plans.value_or(0);
    if (!plans && report.stopped.empty())
      report.stopped = "nothing can be written to " + keys::printable(task.corpus_word);
  }
  // A test that makes the search of this file again knows of no exception, and compares nothing.
  if (explore::is_complete(search) && !search.has_met_known() && !search.options().against)
    report.complete_file = folder.keep("complete", explore::complete_file(search));
  if (report.stopped.empty()) report.stopped = why_undecided(report);
  put(task.json ? explore::json(report) : explore::text(report, task.form));
  if (!report.stopped.empty()) {
    std::fputs(("picklock: stopped: " + report.stopped + '\n').c_str(), stderr);
    return kNoAnswer;
  }
  if (report.interrupted) return kInterrupted;
  return search.clean() && search.why_vacuous().empty() ? kAsExpected : kNotAsExpected;
}

int make_shard(Search& search, const explore::Limits& limits, explore::SharedParts& shared,
               explore::StoreWriter& writer, bool json) {
  const Interruptible interruptible;
  std::signal(SIGCHLD, SIG_DFL);  // if it is ignored, no exit status of a worker arrives
  explore::Ending ending;
  std::string stopped;
  {
    SearchProgress line(search, limits.runs / shared.shard().count, limits.length);
    const explore::Onlooker onlooker{
        .found = [](const explore::Find&) {},
        .limit = [](const explore::Find&) {},
        .crashed = [](const explore::Crash&) {},
        .progress = [&](const explore::Progress& progress) { line.tell(progress); },
        .interrupted = [] { return Interruptible::caught(); }};
    try {
      ending = explore::make(search, limits, onlooker, &shared);
      writer.end(ending.complete);
    } catch (const std::runtime_error& error) {
      stopped = error.what();
    } catch (const explore::NotDeterministic& error) {
      stopped = error.what();
    }
  }
  if (!stopped.empty()) {
    complain("stopped: " + stopped);
    return kNoAnswer;
  }
  put(shard_report(shared.shard(), ending.parts, ending.complete, json));
  return Interruptible::caught() ? kInterrupted : kAsExpected;
}

}  // namespace picklock::cli
