#include "cli/test.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "cli/search_words.h"
#include "keys/bad_input.h"
#include "keys/key_kinds.h"
#include "models/servers/kind.h"
#include "outside/output.h"
#include "reports/wording.h"
#include "scenarios/program_locks.h"
#include "scenarios/runner.h"

namespace picklock::cli {
namespace {

using keys::BadInput;
using scenarios::Run;
using scenarios::Scenario;

// A search of an interpreter takes a minute or so with these.
constexpr const char* kRuns = "200";
constexpr const char* kMostFaults = "2";

constexpr std::string_view kPrograms = R"(format = 1
title = "programs under test"
[lock]
algorithm = "{}-program"
{}
[clients]
count = {}
until = "{}"
program = {}
{}
)";

scenarios::Document document_from(const TestOptions& options, const ServerOption& servers) {
  const std::uint64_t clients =
      options.clients.empty() ? 2 : number_from("--clients", options.clients, 1, 100);
  scenarios::Document document(
      fmt::format(kPrograms, servers.kind->server.key, servers.kind->served_as, clients,
                  options.until.empty() ? "60s" : options.until, keys::as_toml(options.program),
                  clients > 1 ? "arrive_every = \"100ms\"" : ""),
      "programs");
  set_servers(document, servers);
  for (const std::string& change : options.search.changes)
    document.set(scenarios::change_from(change));
  return document;
}

std::string command_of(const TestOptions& options, std::uint64_t seed) {
  std::string command = "picklock test";
  const auto add = [&command](std::string_view option, const std::string& word) {
    if (!word.empty()) command += fmt::format(" {} {}", option, shell_quoted(word));
  };
  add("--clients", options.clients);
  for (const ServerOption& one : options.servers)
    add(fmt::format("--{}", one.kind->server.key), one.keys);
  add("--until", options.until);
  command += words_of(options.search, seed) + " --";
  for (const std::string& word : options.program) command += " " + shell_quoted(word);
  return command;
}

std::uint64_t count(const Run& run, history::What what) {
  const auto found =
      std::count_if(run.history.begin(), run.history.end(),
                    [what](const history::HistoryEvent& one) { return one.what == what; });
  return static_cast<std::uint64_t>(found);
}

// A program that does not work would pass every search.
void refuse_idle(const Run& run) {
  using enum history::What;
  for (const history::What what : {entry_created, write_accepted, read_accepted, acquire_ok}) {
    if (count(run, what) > 0) return;
  }
  std::string first;
  if (!run.ends.empty())
    first = fmt::format("; {} {}", run.ends.front().process, run.ends.front().how);
  throw BadInput(
      "test: without faults nobody gets a lock or uses the resource, so there is nothing to judge" +
      first);
}

// The result of a run without faults: whether the programs work, and how much can be judged.
std::string told(const Run& run) {
  const std::uint64_t writes = count(run, history::What::write_accepted);
  const std::uint64_t beliefs = count(run, history::What::acquire_ok);
  std::string text =
      fmt::format("without faults: {}, {} and {} in {} s of virtual time\n",
                  reports::plural(count(run, history::What::entry_created), "grant"),
                  reports::plural(writes, "write"), reports::plural(beliefs, "ENTER"),
                  (run.ended - sim::kStart) / std::chrono::seconds(1));
  for (const scenarios::ProgramEnd& end : run.ends) {
    text += fmt::format("  {} {}\n", end.process, end.how);
    if (end.printed > outside::Output::kMost) {
      text += fmt::format(
          "    it printed {:.1f} MiB, of which the first and the last {} KiB are kept\n",
          static_cast<double>(end.printed) / (1 << 20), outside::Output::kMost >> 11);
    }
    if (!end.output.empty()) text += fmt::format("    its output ends: {}\n", end.output);
  }
  if (writes + beliefs == 0)
    text +=
        "  nobody used the resource or said ENTER: only own-release can be judged "
        "(docs/programs.md)\n";
  return text;
}

}  // namespace

CLI::App* add_test(CLI::App& app, TestOptions& options) {
  CLI::App* command = app.add_subcommand(
      "test",
      "Run a program as it is against simulated servers, and search for faults that break "
      "its lock.");
  command
      ->add_option("PROGRAM", options.program,
                   "the program and its arguments, behind --; each client runs it once")
      ->type_name("")
      ->required();
  ExploreOptions& search = options.search;
  const auto add = [command](const char* name, std::string& into, const std::string& meaning,
                             const char* type) {
    command->add_option(name, into, meaning)->type_name(type);
  };
  add("--clients", options.clients, "how many run it (default: 2)", "NUMBER");
  add_server_options(*command, options.servers, "its servers: keys");
  add("--until", options.until, "how long a run lasts at most, in virtual time (default: 60s)",
      "DURATION");
  command
      ->add_option("--set", search.changes,
                   "change one key of the scenario, such as network.latency=2ms; may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  add("--runs", search.runs, fmt::format("the number of runs (default: {})", kRuns), "NUMBER");
  add("--seconds", search.seconds, "search for so long, in place of --runs", "NUMBER");
  add("--max-faults", search.max_faults,
      fmt::format("the most faults in one run (default: {})", kMostFaults), "NUMBER");
  add("--faults", search.faults,
      "the classes of faults to draw from, as in `picklock list faults` (default: all that can "
      "act)",
      "CLASS,...");
  add("--property", search.properties,
      "search for violations of these properties (default: all that can be seen from outside)",
      "NAME,...");
  command
      ->add_option("--except", search.except,
                   "search on past what is known, as for `explore`; may be repeated")
      ->type_name("KNOWN")
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option("--against-set", search.against_changes,
                   "change one key and run each plan that breaks the lock with this change too, "
                   "such as clients.folder=FOLDER for another version of a library: only a plan "
                   "that breaks the lock without the change is a find; may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  add("--seed", search.seed, "the seed of the plans and the runs (default: 1)", "NUMBER");
  add("--jobs", search.jobs, "the number of processes (default: one per core)", "NUMBER");
  add("--out", search.out,
      fmt::format("the folder for the scenarios that break it (default: {})", kDefaultOut),
      "FOLDER");
  command->add_flag("--json", search.json, "print one JSON document");
  add_color(*command, search.color);
  command->footer(
      "The program finds its servers at localhost, each at the usual port of its kind or the next "
      "ones, and the protected resource at localhost:7000; docs/programs.md tells what it may do "
      "and "
      "how it is judged.\n\n"
      "Exit status:\n"
      "0\tno property was violated\n"
      "1\tone was violated\n"
      "2\tbad input, wrong usage, or a program that cannot be run in virtual time\n"
      "130\tinterrupted; the report covers the runs until then");
  return command;
}

int test(const TestOptions& options) {
  const ServerOption servers = server_option("test", options.servers);
  const Scenario scenario = scenario_with(document_from(options, servers), servers);
  const Run alone = scenarios::Runner().run(scenario, scenario.seed, false);
  if (!options.search.json) put(told(alone));
  refuse_idle(alone);
  ExploreOptions search = options.search;
  if (search.runs.empty() && search.seconds.empty()) search.runs = kRuns;
  if (search.max_faults.empty()) search.max_faults = kMostFaults;
  return explore(
      search, [&scenario]() -> const Scenario& { return scenario; },
      [&options](std::uint64_t seed) { return command_of(options, seed); });
}

}  // namespace picklock::cli
