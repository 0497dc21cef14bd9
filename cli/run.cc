#include "cli/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>

#include "cli/console.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/mermaid.h"
#include "reports/perfetto.h"
#include "reports/timeline.h"
#include "scenarios/bad_input.h"
#include "scenarios/loader.h"
#include "scenarios/nearest.h"
#include "scenarios/runner.h"

namespace picklock::cli {
namespace {

const scenarios::Words kFormats = {"text", "mermaid", "json", "junit", "perfetto"};

std::string repeat_command(const std::string& scenario, std::uint64_t seed,
                           const RunOptions& options) {
  std::string command = fmt::format("picklock run {} --seed {}", shell_quoted(scenario), seed);
  for (const std::string& change : options.changes) command += " --set " + shell_quoted(change);
  return command;
}

std::string told(const scenarios::Outcome& outcome, const std::string& repeat,
                 const RunOptions& options) {
  const std::string& format = options.format;
  if (format == "json") return reports::json(outcome);
  if (format == "mermaid") return reports::mermaid(outcome, repeat);
  if (format == "perfetto") return reports::perfetto(outcome);
  reports::TextOptions form = text_options(options.color);
  form.repeat_command = repeat;
  return reports::timeline(outcome, form);
}

}  // namespace

CLI::App* add_run(CLI::App& app, RunOptions& options) {
  CLI::App* command = app.add_subcommand("run", "Run scenarios, and show what happened.");
  command
      ->add_option("SCENARIO", options.scenarios,
                   "a scenario file, or the name of a shipped scenario, as in `picklock list "
                   "scenarios`; plain/LOCK is a lock without faults")
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
                   "text, mermaid, json, junit (XML for a CI system) or perfetto (trace events for "
                   "ui.perfetto.dev) (default: text)")
      ->type_name("FORMAT");
  add_color(*command, options.color);
  command->footer(
      "Exit status:\n"
      "0\tevery run, twins included, is as its file expects\n"
      "1\tone is not\n"
      "2\tbad input, wrong usage, or output that cannot be written");
  return command;
}

int run(const RunOptions& options) {
  if (std::find(kFormats.begin(), kFormats.end(), options.format) == kFormats.end())
    throw scenarios::BadInput(fmt::format("--format: there is no format `{}`; it is one of {}",
                                          options.format, scenarios::listed(kFormats)));
  const bool takes_many = options.format == "text" || options.format == "junit";
  if (options.scenarios.size() > 1 && !takes_many)
    throw scenarios::BadInput(
        fmt::format("--format {}: tells of one SCENARIO; text and junit take "
                    "more",
                    options.format));
  std::optional<std::uint64_t> seed;
  if (options.seed) seed = seed_from(*options.seed);
  std::vector<scenarios::Document> documents;
  // Half of a list is no answer: all of it must be good before any of it is run.
  const scenarios::Vocabulary& words = scenarios::shipped_vocabulary();
  for (const std::string& scenario : options.scenarios) {
    const scenarios::Document& document =
        documents.emplace_back(document_of(scenario, options.changes));
    const std::size_t twins = document.scenario(words).twins.size();
    for (std::size_t i = 0; i < twins; ++i) document.twin(i, words);
  }

  scenarios::Runner runner;
  reports::Junit junit;
  bool as_expected = true;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const scenarios::Outcome outcome =
        runner.run_file(documents[i], seed, !options.changes.empty(), options.format != "json");
    as_expected = as_expected && outcome.as_expected();
    const std::string repeat = repeat_command(options.scenarios[i], outcome.run.seed, options);
    if (options.format == "junit") {
      junit.add(outcome, repeat);
      continue;
    }
    std::string text = told(outcome, repeat, options);
    if (!text.ends_with('\n')) text += '\n';
    put(i == 0 ? text : "\n" + text);
  }
  if (options.format == "junit") put(junit.document());
  return as_expected ? kAsExpected : kNotAsExpected;
}

}  // namespace picklock::cli
