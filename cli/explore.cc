#include "cli/explore.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cli/console.h"
#include "explore/campaign.h"
#include "explore/folder.h"
#include "explore/report.h"
#include "explore/search.h"
#include "explore/strategies.h"
#include "models/locks/catalogue.h"
#include "scenarios/bad_input.h"
#include "scenarios/loader.h"
#include "scenarios/nearest.h"
#include "scenarios/runner.h"

namespace picklock::cli {
namespace {

using explore::Search;
using explore::SearchOptions;
using scenarios::BadInput;
using scenarios::Words;

constexpr std::uint64_t kDefaultRuns = 100'000;
constexpr std::uint64_t kMostFaults = 100;
constexpr const char* kDefaultOut = "picklock-out";

// ---------------------------------------------------------------- what was asked for

std::vector<std::string> listed_in(const std::string& option, const std::string& list) {
  std::vector<std::string> words(1);
  for (const char letter : list) {
    if (letter == ',') {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  }
  for (const std::string& word : words) {
    if (word.empty())
      throw BadInput(
          fmt::format("{}: there is an empty word in \"{}\"", option, scenarios::printable(list)));
  }
  return words;
}

[[noreturn]] void refuse(const std::string& option, std::string_view kind, const std::string& word,
                         const Words& known) {
  throw BadInput(fmt::format(
      "{}: there is no {} `{}`{}", option, kind, scenarios::printable(word),
      scenarios::did_you_mean(word, known, "it is one of " + scenarios::listed(known))));
}

void read_faults(const std::string& list, SearchOptions& options) {
  Words known(models::kFaultClassNames.begin(), models::kFaultClassNames.end());
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
      options.faults.classes.add(static_cast<models::FaultClass>(index));
    }
  }
}

void read_properties(const std::string& list, SearchOptions& options) {
  const Words known(models::kPropertyNames.begin(), models::kPropertyNames.end());
  for (const std::string& word : listed_in("--property", list)) {
    const auto property = models::property_named(word);
    if (!property) refuse("--property", "property", word, known);
    options.properties.push_back(*property);
  }
}

void check_strategy(const std::string& word) {
  Words known;
  for (const explore::Strategy& strategy : explore::kStrategies) known.push_back(strategy.name);
  if (!word.empty() && std::find(known.begin(), known.end(), word) == known.end())
    refuse("--strategy", "strategy", word, known);
}

explore::Seconds seconds_from(const std::string& word) {
  double seconds = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, seconds);
  if (error != std::errc{} || stop != end || !(seconds > 0 && seconds <= 1e9)) {
    throw BadInput(
        fmt::format("--seconds: must be a number more than 0, such as 30 or 0.5, not "
                    "\"{}\"",
                    scenarios::printable(word)));
  }
  return explore::Seconds(seconds);
}

scenarios::Scenario scenario_of(const ExploreOptions& options) {
  if (options.scenario.empty() == options.algorithm.empty())
    throw BadInput("explore: give a SCENARIO or an --algorithm, and not both");
  if (!options.algorithm.empty() && models::locks::named(options.algorithm) == nullptr) {
    Words known;
    for (const models::Algorithm* one : models::locks::all()) known.push_back(one->name);
    refuse("--algorithm", "algorithm", options.algorithm, known);
  }
  const std::string word =
      options.scenario.empty() ? "plain/" + options.algorithm : options.scenario;
  const std::string path = scenarios::find_scenario(word, scenario_directory());
  scenarios::Document document =
      scenarios::Document::from_file(path, path == word ? path : word + ".toml");
  for (const std::string& change : options.changes) {
    document.set(scenarios::change_from(change));
    document.forget_neighbours();
  }
  return document.scenario(scenarios::shipped_vocabulary());
}

// Asks for the same search again, up to how far it goes.
std::string command_of(const ExploreOptions& options, std::uint64_t seed) {
  std::string command = "picklock explore ";
  command += options.scenario.empty() ? "--algorithm " + shell_quoted(options.algorithm)
                                      : shell_quoted(options.scenario);
  const auto add = [&command](const char* option, const std::string& word) {
    if (!word.empty()) command.append(" ").append(option).append(" ").append(shell_quoted(word));
  };
  for (const std::string& change : options.changes) add("--set", change);
  add("--max-faults", options.max_faults);
  add("--faults", options.faults);
  add("--property", options.properties);
  add("--seed", std::to_string(seed));
  return command;
}

// ---------------------------------------------------------------- the search

volatile std::sig_atomic_t interrupted = 0;

// The first asks for an end with a report, the second gets one without.
extern "C" void on_interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

// One line that is written over, and what is found above it; on a terminal alone.
class ProgressLine {
 public:
  ProgressLine(std::uint64_t runs, std::optional<explore::Seconds> length)
      : runs_(runs), length_(length) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void tell(const explore::Progress& progress) {
    constexpr explore::Seconds kEvery{0.25};
    if (!terminal_ || progress.passed < shown_ + kEvery) return;
    shown_ = progress.passed;
    const double rate = static_cast<double>(progress.runs) / progress.passed.count();
    std::string line = fmt::format("{} runs, {:.0f} a second", progress.runs, rate);
    if (progress.found > 0) line += fmt::format(", {} found", progress.found);
    line += progress.shrinking ? std::string(", shrinking") : time_left(progress, rate);
    // A terminal that has gone away must not take the search with it.
    std::fputs(("\r\x1b[K" + line).c_str(), stderr);
    said_ = true;
  }

  void say(const std::string& line) {
    if (!terminal_) return;
    clear();
    std::fputs((line + '\n').c_str(), stderr);
  }

 private:
  std::string time_left(const explore::Progress& progress, double rate) const {
    const double left = length_
                            ? (*length_ - progress.passed).count()
                            : static_cast<double>(runs_ - std::min(runs_, progress.runs)) / rate;
    if (!(left < 1e9)) return {};
    return fmt::format(", {:.0f}s left", std::max(left, 0.0));
  }

  void clear() {
    if (std::exchange(said_, false)) std::fputs("\r\x1b[K", stderr);
  }

  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  const std::uint64_t runs_;
  const std::optional<explore::Seconds> length_;
  explore::Seconds shown_{};
  bool said_ = false;
};

unsigned jobs_from(const std::string& word) {
  constexpr std::uint64_t kMostJobs = 256;
  if (!word.empty()) return static_cast<unsigned>(number_from("--jobs", word, 1, kMostJobs));
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&cores)));
}

}  // namespace

CLI::App* add_explore(CLI::App& app, ExploreOptions& options) {
  CLI::App* command =
      app.add_subcommand("explore", "Search for faults under which a lock breaks its promises");
  const auto add = [command](const char* name, std::string& into, const std::string& meaning,
                             const char* type) {
    command->add_option(name, into, meaning)->type_name(type);
  };
  add("SCENARIO", options.scenario,
      "a scenario file, or the name of a shipped one, such as plain/LOCK; its own faults are left "
      "out",
      "");
  add("--algorithm", options.algorithm, "instead: the plain scenario of this lock", "NAME");
  add("--strategy", options.strategy, "random (default: random)", "NAME");
  add("--max-faults", options.max_faults, "faults in one run, at most (default: 3)", "NUMBER");
  command
      ->add_option("--set", options.changes,
                   "change one key of the file, e.g. lock.ttl=5s or clients.count=5")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  add("--faults", options.faults,
      "classes of faults to draw from, of `picklock list faults`; none: runs without any "
      "(default: all that can act)",
      "CLASS,...");
  add("--property", options.properties,
      "search for violations of these (default: of what the lock promises under the faults that "
      "struck)",
      "NAME,...");
  add("--runs", options.runs,
      fmt::format("how many runs (default: {}, some ten seconds of a core)", kDefaultRuns),
      "NUMBER");
  add("--seconds", options.seconds, "for how long, instead", "NUMBER");
  add("--seed", options.seed, "draws the plans and the runs (default: the file's)", "NUMBER");
  add("--jobs", options.jobs, "processes that make the runs (default: one for each core)",
      "NUMBER");
  add("--out", options.out, fmt::format("where finds are kept (default: {})", kDefaultOut),
      "FOLDER");
  command->add_flag("--json", options.json, "one JSON document");
  return command;
}

int explore(const ExploreOptions& given) {
  check_strategy(given.strategy);
  SearchOptions options;
  if (!given.max_faults.empty()) {
    options.faults.most =
        static_cast<std::uint32_t>(number_from("--max-faults", given.max_faults, 1, kMostFaults));
  }
  if (!given.faults.empty()) read_faults(given.faults, options);
  if (!given.properties.empty()) read_properties(given.properties, options);
  if (!given.runs.empty() && !given.seconds.empty())
    throw BadInput("explore: give --runs or --seconds, and not both");
  std::uint64_t runs = given.seconds.empty() ? kDefaultRuns : INT64_MAX;
  if (!given.runs.empty()) runs = number_from("--runs", given.runs, 1, INT64_MAX);
  std::optional<explore::Seconds> length;
  if (!given.seconds.empty()) length = seconds_from(given.seconds);
  const unsigned jobs = jobs_from(given.jobs);
  explore::Folder folder("--out", given.out.empty() ? kDefaultOut : given.out);

  const scenarios::Scenario scenario = scenario_of(given);
  options.seed = given.seed.empty() ? scenario.seed : seed_from(given.seed);
  options.command = command_of(given, options.seed);
  Search search(scenario, options);
  explore::Report report{.search = search, .run_command = [](const std::string& file) {
                           return "picklock run " + shell_quoted(file);
                         }};
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGCHLD, SIG_DFL);  // else nobody is told how a worker ended
  {
    ProgressLine line(runs, length);
    bool all_kept = true;
    const auto keep = [&](std::string_view stem, const std::string& text) {
      std::string file = folder.keep(std::string(stem), text);
      if (!file.empty()) {
        line.say(fmt::format("found: {}", file));
      } else if (std::exchange(all_kept, false)) {
        const std::string where = scenarios::printable(folder.path().string());
        std::fputs(("picklock: nothing can be written to " + where + '\n').c_str(), stderr);
      }
      return file;
    };
    const explore::Onlooker onlooker{
        .found =
            [&](const explore::Find& find) {
              report.files.push_back(keep(models::name(find.violation.property), find.text));
            },
        .crashed =
            [&](const explore::Crash& crash) {
              report.crash_files.push_back(keep("crash", crash.text));
            },
        .progress = [&](const explore::Progress& progress) { line.tell(progress); },
        .interrupted = [] { return interrupted != 0; }};
    try {
      report.wall_seconds =
          explore::make(search, {.jobs = jobs, .runs = runs, .length = length}, onlooker).count();
    } catch (const std::runtime_error& error) {
      report.stopped = error.what();
    } catch (const explore::NotDeterministic& error) {
      report.stopped = error.what();
    }
  }
  report.interrupted = interrupted != 0;
  put(given.json ? explore::json(report) : explore::text(report, text_options()));
  if (!report.stopped.empty()) {
    std::fputs(("picklock: stopped: " + report.stopped + '\n').c_str(), stderr);
    return kNoAnswer;
  }
  if (report.interrupted) return kInterrupted;
  return search.clean() && search.why_vacuous().empty() ? kAsExpected : kNotAsExpected;
}

}  // namespace picklock::cli
