#include "cli/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>

#include "cli/console.h"
#include "cli/interruptible.h"
#include "cli/results.h"
#include "cli/search_words.h"
#include "cli/watch.h"
#include "explore/complete.h"
#include "keys/bad_input.h"
#include "keys/nearest.h"
#include "scenarios/runner.h"

namespace picklock::cli {
namespace {

const keys::Words kFormats = {"text", "mermaid", "json", "junit", "perfetto"};

bool is_standard_input(const std::string& scenario) {
  return scenario == "-" || scenario == "/dev/stdin";
}

void check(const RunOptions& options) {
  if (std::find(kFormats.begin(), kFormats.end(), options.format) == kFormats.end())
    refuse("--format", "format", options.format, kFormats);
  const bool takes_one = options.format == "mermaid" || options.format == "perfetto";
  if (options.scenarios.size() > 1 && takes_one)
    throw keys::BadInput(fmt::format(
        "--format {}: shows one SCENARIO; text, json and junit take several", options.format));
  if (options.all && options.format != "text")
    throw keys::BadInput(fmt::format("--all: is for --format text, not {}", options.format));
  if (options.all && options.quiet) throw keys::BadInput("run: give --all or --quiet, not both");
  if (options.scenarios.size() > 1 && !options.html.empty())
    throw keys::BadInput("--html: shows one SCENARIO");
  if (std::count_if(options.scenarios.begin(), options.scenarios.end(), is_standard_input) > 1)
    throw keys::BadInput("run: standard input can be read only once");
  for (const std::string& change : options.changes) scenarios::change_from(change);
}

// The result of one scenario, or why it cannot be run.
struct Ran {
  std::optional<scenarios::Outcome> outcome;
  std::vector<double> seconds;  // that each run took
  std::string problem;
};

Ran run_one(scenarios::Runner& runner, const std::string& scenario,
            std::optional<std::uint64_t> seed, const RunOptions& options) {
  Ran ran;
  try {
    const scenarios::Document document = document_of(scenario, options.changes);
    Stopwatch stopwatch;
    const bool with_trace = options.format != "json" || !options.html.empty();
    ran.outcome = runner.run_file(document, seed, !options.changes.empty(), with_trace,
                                  [&] { ran.seconds.push_back(stopwatch.lap().count()); });
    const bool changed = !options.changes.empty() || seed;
    explore::repeat_complete_search(ran.outcome->run.scenario, !changed, ran.outcome->run);
  } catch (const keys::BadInput& error) {
    ran.problem = error.what();
  } catch (const std::logic_error& error) {
    ran.problem = fmt::format("{}: internal error: {}", scenario, error.what());
  }
  return ran;
}

}  // namespace

CLI::App* add_run(CLI::App& app, RunOptions& options) {
  CLI::App* command = app.add_subcommand("run", "Run scenarios, and show what happened.");
  command
      ->add_option("SCENARIO", options.scenarios,
                   "a scenario file, - for standard input, or the name of a shipped scenario, as "
                   "in `picklock list scenarios`; plain/LOCK is a lock without faults")
      ->type_name("")
      ->required();
  command
      ->add_option("--seed", options.seed,
                   "the seed of latencies and all other chance (default: the file's, or 1)")
      ->type_name("NUMBER");
  command
      ->add_option("--set", options.changes,
                   "change one key of the file, such as lock.ttl=5s, fault.1.for=3s or "
                   "expect.violated=[]; may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--format", options.format,
                   "text, mermaid, json (an object; for several scenarios an array of them), junit "
                   "(XML for a CI system) or perfetto (trace events for ui.perfetto.dev) (default: "
                   "text)")
      ->type_name("FORMAT");
  command
      ->add_option("--html", options.html,
                   "also write the run as a page for a browser, which needs nothing beside it; for "
                   "one SCENARIO")
      ->type_name("FILE");
  command
      ->add_option("--time-limit", options.time_limit,
                   "end after so many seconds of wall time: the run under way is cut off, and "
                   "those after it are not made (default: no limit)")
      ->type_name("SECONDS");
  command->add_flag("-q,--quiet", options.quiet,
                    "show only the summary and what is not as expected");
  command->add_flag("--all", options.all,
                    "leave nothing out of the timeline: every client, every repetition, and the "
                    "commands that clients send for upkeep; for the format text");
  add_color(*command, options.color);
  command->footer(
      "With several scenarios a summary follows: on standard output in the format text, else on "
      "standard error. A scenario that cannot be run is one line on standard error, and the others "
      "are run all the same.\n\n"
      "Exit status:\n"
      "0\tevery run, twins included, is as its file expects\n"
      "1\tone is not\n"
      "2\ta scenario cannot be run, whatever became of the others; the time limit was reached; "
      "wrong usage; or output that cannot be written\n"
      "130\tinterrupted; the report covers the scenarios until then");
  return command;
}

int run(const RunOptions& options) {
  check(options);
  std::optional<std::uint64_t> seed;
  if (options.seed) seed = seed_from(*options.seed);
  std::optional<Watch::Seconds> limit;
  if (!options.time_limit.empty())
    limit = Watch::Seconds(seconds_from("--time-limit", options.time_limit));

  Results results(options);
  const Stopwatch stopwatch;
  const Interruptible interruptible;
  const auto end = [&](Watch::Cause cause) -> std::optional<int> {
    if (results.is_complete()) return std::nullopt;
    const bool interrupted = cause == Watch::Cause::interruption;
    try {
      results.cut_off(interrupted
                          ? "interrupted"
                          : fmt::format("the time limit of {} s was reached", options.time_limit));
      results.finish(stopwatch.passed());
      return interrupted ? kInterrupted : results.status();
    } catch (const OutputLost& error) {
      complain(error.what());
      return kNoAnswer;
    }
  };
  {
    Watch watch(limit, {.progress = [&](Watch::Seconds passed) { return results.progress(passed); },
                        .end = end});
    scenarios::Runner runner;
    for (const std::string& scenario : options.scenarios) {
      watch.undisturbed([&] { results.begin(); });
      const Ran ran = run_one(runner, scenario, seed, options);
      watch.undisturbed([&] {
        if (ran.outcome) {
          results.add(*ran.outcome, ran.seconds);
        } else {
          results.refuse(ran.problem);
        }
      });
    }
  }
  results.finish(stopwatch.passed());
  return results.status();
}

}  // namespace picklock::cli
