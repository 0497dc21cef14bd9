#include "cli/explore.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

#include "cli/console.h"
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

namespace fs = std::filesystem;
using explore::Search;
using explore::SearchOptions;
using scenarios::BadInput;
using scenarios::Words;
using Clock =
    std::chrono::steady_clock;  // decides how long a search goes on, never what a run does

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

std::chrono::duration<double> seconds_from(const std::string& word) {
  double seconds = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, seconds);
  if (error != std::errc{} || stop != end || !(seconds > 0 && seconds <= 1e9)) {
    throw BadInput(
        fmt::format("--seconds: must be a number more than 0, such as 30 or 0.5, not "
                    "\"{}\"",
                    scenarios::printable(word)));
  }
  return std::chrono::duration<double>(seconds);
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
}

// One line that is written over, on a terminal alone.
class Progress {
 public:
  explicit Progress(Clock::time_point start) : start_(start), shown_(start) {}
  ~Progress() {
    if (said_) std::fputs("\r\x1b[K", stderr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void tell(std::uint64_t runs, Clock::time_point now) {
    if (!terminal_ || now - shown_ < std::chrono::milliseconds(250)) return;
    shown_ = now;
    said_ = true;
    const std::chrono::duration<double> passed = now - start_;
    fmt::print(stderr, "\r\x1b[K{} runs, {:.0f} a second", runs,
               static_cast<double>(runs) / passed.count());
    std::fflush(stderr);
  }

 private:
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  const Clock::time_point start_;
  Clock::time_point shown_;
  bool said_ = false;
};

// How long it took, in seconds.
double go(Search& search, std::uint64_t runs, std::chrono::duration<double> length) {
  const Clock::time_point start = Clock::now();
  const auto passed = [start](Clock::time_point now) {
    return std::chrono::duration<double>(now - start);
  };
  Progress progress(start);
  Clock::time_point now = start;
  while (search.tally().runs < runs && passed(now) < length && !search.find() && interrupted == 0) {
    search.run_next();
    now = Clock::now();
    progress.tell(search.tally().runs, now);
  }
  return passed(now).count();
}

// ---------------------------------------------------------------- what it found

bool holds(const fs::path& file, const std::string& text) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {}) == text;
}

// Writes DIR/STEM-N.toml with the first N that is free, or holds the very same already. Its path
// from the working directory; empty: it cannot be written.
std::string keep(const fs::path& directory, const std::string& stem, const std::string& text) {
  std::error_code error;
  fs::create_directories(directory, error);
  for (int number = 1;; ++number) {
    const fs::path file = directory / fmt::format("{}-{}.toml", stem, number);
    if (fs::exists(file, error)) {
      if (holds(file, text)) return fs::proximate(file).string();
      continue;
    }
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    return out ? fs::proximate(file).string() : std::string();
  }
}

// Before a search that may take hours: whether there is a folder, or could be, and files can be put
// there. Tried, for permissions do not tell it all; nothing of it stays.
fs::path directory_of(const ExploreOptions& options) {
  fs::path directory = options.out.empty() ? kDefaultOut : options.out;
  const auto refuse = [&directory](std::string_view problem) {
    throw BadInput(
        fmt::format("--out: {} {}", scenarios::printable(directory.string(), 200), problem));
  };
  std::error_code error;
  if (fs::exists(directory, error) && !fs::is_directory(directory, error))
    refuse("is not a directory");
  fs::path existing = fs::absolute(directory).lexically_normal();
  while (!fs::exists(existing, error) && existing.has_relative_path())
    existing = existing.parent_path();
  std::string trial = (existing / ".picklock-XXXXXX").string();
  if (mkdtemp(trial.data()) == nullptr)
    refuse(fmt::format("cannot be written to: {}", std::strerror(errno)));
  fs::remove(trial, error);
  return directory;
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
      fmt::format("how many runs (default: {}, some ten seconds)", kDefaultRuns), "NUMBER");
  add("--seconds", options.seconds, "for how long, instead", "NUMBER");
  add("--seed", options.seed, "draws the plans and the runs (default: the file's)", "NUMBER");
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
  std::chrono::duration<double> length(std::numeric_limits<double>::infinity());
  if (!given.seconds.empty()) length = seconds_from(given.seconds);
  const fs::path directory = directory_of(given);

  const scenarios::Scenario scenario = scenario_of(given);
  options.seed = given.seed.empty() ? scenario.seed : seed_from(given.seed);
  options.command = command_of(given, options.seed);
  Search search(scenario, options);
  std::signal(SIGINT, on_interrupt);
  explore::Report report{.search = search,
                         .wall_seconds = go(search, runs, length),
                         .interrupted = interrupted != 0 && !search.find(),
                         .file = {},
                         .repeat_command = {}};
  if (search.find()) {
    const std::string stem(models::name(search.find()->answered[0]));
    report.file = keep(directory, stem, search.find()->text);
    if (!report.file.empty()) report.repeat_command = "picklock run " + shell_quoted(report.file);
  }
  put(given.json ? explore::json(report) : explore::text(report, text_options()));
  if (report.interrupted) return kInterrupted;
  if (!search.find()) return kAsExpected;
  if (report.file.empty()) {
    fmt::print(stderr, "picklock: nothing can be written to {}\n",
               scenarios::printable(directory.string()));
  }
  return kNotAsExpected;
}

}  // namespace picklock::cli
