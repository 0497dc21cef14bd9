// The picklock program. Exit status: 0 as expected, 1 not, 2 bad input or usage, or an answer that
// could not be given, with one line on standard error, 130 interrupted.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/compare.h"
#include "cli/conform.h"
#include "cli/console.h"
#include "cli/explore.h"
#include "cli/list.h"
#include "cli/run.h"
#include "scenarios/bad_input.h"
#include "scenarios/nearest.h"

namespace picklock::cli {
namespace {

constexpr const char* kSeeHelp = "; see picklock --help";

int bad_input(const std::string& message) {
  constexpr std::size_t kLongestLine = 500;
  std::fprintf(stderr, "picklock: %s\n", scenarios::printable(message, kLongestLine).c_str());
  return kBadInput;
}

// nullptr: there is none of this name.
const CLI::App* command_named(const CLI::App& app, const std::string& word) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == word) return command;
  }
  return nullptr;
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names = {"help"};
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return fmt::format("there is no command `{}`{}", scenarios::printable(word),
                     scenarios::did_you_mean(word, {names.begin(), names.end()}));
}

// An option that the command does not have, with a near one that it has.
std::string unknown_option(const CLI::App& app, const CLI::App* command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const auto has = [&name](const CLI::App* one) {
    return one->get_option_no_throw(name) != nullptr;
  };
  // One that the command has was given before it, or as an argument behind `--`.
  if (command != nullptr && has(command))
    return fmt::format("`{0}` belongs behind `{1}`: picklock {1} ... {0}", name,
                       command->get_name());
  if (command == nullptr) {
    for (const CLI::App* one : app.get_subcommands({})) {
      if (has(one))
        return fmt::format("`{}` belongs behind a command, such as `{}`", name, one->get_name());
    }
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : (command != nullptr ? *command : app).get_options()) {
    if (!option->get_positional()) names.push_back(option->get_name());
  }
  return fmt::format("there is no option `{}`{}", scenarios::printable(word),
                     scenarios::did_you_mean(name, {names.begin(), names.end()}));
}

// An option that has no value, or more than it takes. The parser's error begins with its name.
std::string misused_option(const CLI::App& where, std::string_view problem) {
  for (const CLI::Option* option : where.get_options()) {
    const std::string name = option->get_name();
    if (!problem.starts_with(name + ":") && !problem.starts_with(name + " ")) continue;
    if (option->count() > 1) return fmt::format("{}: was given {} times", name, option->count());
    return fmt::format("{}: needs a value, {}", name, option->get_type_name());
  }
  return std::string(problem);
}

// In one voice with what is said of files, and with a near word where one was not known.
std::string usage_problem(const CLI::App& app, const CLI::ParseError& error,
                          const std::vector<std::string>& arguments) {
  if (arguments.empty()) return "no command";
  const auto given = app.get_subcommands();
  const CLI::App* command = given.empty() ? nullptr : given[0];
  const std::vector<std::string> unused = app.remaining(true);
  for (const std::string& word : unused) {
    if (word.starts_with('-')) return unknown_option(app, command, word);
  }
  if (command == nullptr) return "no command";
  if (!unused.empty()) {
    return fmt::format("{}: has no use for \"{}\"", command->get_name(),
                       scenarios::printable(unused[0]));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return misused_option(*command, error.what());
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    // Values are read later, and not by the parser: this one was given to an option without.
    for (const std::string& word : arguments) {
      const std::string name = word.substr(0, word.find('='));
      const CLI::Option* option = command->get_option_no_throw(name);
      if (name != word && option != nullptr && option->get_expected_max() == 0)
        return fmt::format("{}: takes no value", name);
    }
  }
  return fmt::format("{}: {}", command->get_name(), error.what());
}

int main(int argc, char** argv) {
  CLI::App app("Runs distributed locks against simulated servers, in virtual time, under faults.",
               "picklock");
  app.require_subcommand(1);
  app.set_version_flag("--version", "picklock " PICKLOCK_VERSION);
  app.footer(
      "`picklock help COMMAND` has the options. Scenario files are described in\n"
      "docs/scenario-format.md.\n"
      "Exit status: 0 as expected, 1 not as expected, 2 bad input or usage or lost output,\n"
      "130 interrupted.");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");

  RunOptions run_options;
  CLI::App* run_command = add_run(app, run_options);
  run_command->group("Commands");

  ExploreOptions explore_options;
  CLI::App* explore_command = add_explore(app, explore_options);
  explore_command->group("Commands");

  CompareOptions compare_options;
  CLI::App* compare_command = add_compare(app, compare_options);
  compare_command->group("Commands");

  ConformOptions conform_options;
  CLI::App* conform_command = add_conform(app, conform_options);
  conform_command->group("Commands");

  std::string kind;
  bool list_json = false;
  CLI::App* list_command =
      app.add_subcommand("list", "List algorithms, scenarios, faults, properties or strategies");
  list_command->add_option("KIND", kind, "algorithms, scenarios, faults, properties or strategies")
      ->type_name("")
      ->required();
  list_command->group("Commands");
  list_command->add_flag("--json", list_json, "one JSON array of objects with at least `name`");

  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const bool asks = !arguments.empty() && arguments[0] == "help";
    if (asks && arguments.size() > 2) return bad_input("help: takes one COMMAND");
    const std::string word = arguments.size() > (asks ? 1 : 0) ? arguments[asks ? 1 : 0] : "";
    const CLI::App* named = command_named(app, word);
    // Before the parser, which would answer an unknown command with the help asked for behind it.
    if (!word.empty() && !word.starts_with('-') && named == nullptr)
      return bad_input(unknown_command(app, word) + kSeeHelp);
    if (asks) {
      put(named != nullptr ? named->help(app.get_name()) : app.help());
      return kAsExpected;
    }
    try {
      app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      put(app.help());
      return kAsExpected;
    } catch (const CLI::CallForVersion&) {
      put(app.version() + '\n');
      return kAsExpected;
    } catch (const CLI::ParseError& error) {
      return bad_input(usage_problem(app, error, arguments) + kSeeHelp);
    }
    if (explore_command->parsed()) return explore(explore_options);
    if (compare_command->parsed()) return compare(compare_options);
    if (conform_command->parsed()) return conform(conform_options);
    if (list_command->parsed()) {
      const std::string rows = list(kind, list_json, scenario_directory());
      put(rows);
      return kAsExpected;
    }
    return run(run_options);
  } catch (const scenarios::BadInput& error) {
    return bad_input(error.what());
  } catch (const OutputLost& error) {
    std::fprintf(stderr, "picklock: %s\n", error.what());
    return kNoAnswer;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "picklock: internal error: %s\n", error.what());
    return kNoAnswer;
  }
}

}  // namespace
}  // namespace picklock::cli

int main(int argc, char** argv) { return picklock::cli::main(argc, argv); }
