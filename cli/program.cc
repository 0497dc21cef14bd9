#include "cli/program.h"

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
#include "cli/completion.h"
#include "cli/conform.h"
#include "cli/console.h"
#include "cli/ctl.h"
#include "cli/explore.h"
#include "cli/help.h"
#include "cli/list.h"
#include "cli/man_page.h"
#include "cli/merge.h"
#include "cli/run.h"
#include "cli/serve.h"
#include "cli/test.h"
#include "cli/version.h"
#include "keys/bad_input.h"
#include "keys/nearest.h"

namespace picklock::cli {
namespace {

constexpr const char* kFooter =
    "`picklock help COMMAND` describes the options of a command.\n\n"
    "Exit status:\n"
    "0\teverything was as expected: each command says what that means\n"
    "1\tsomething was not as expected\n"
    "2\tbad input, wrong usage, or output that cannot be written; one line on standard error says "
    "what is wrong and names the nearest valid word\n"
    "130\tinterrupted (SIGINT, SIGTERM); what was found until then is reported\n\n"
    "Environment:\n"
    "PICKLOCK_SCENARIO_PATH\tthe folder of the shipped scenarios\n"
    "NO_COLOR\tif set and not empty, no colors, unless --color always is given\n"
    "TERM\tif `dumb`, no colors and no progress line\n"
    "LC_ALL, LC_CTYPE, LANG\tthe first that is set decides whether the output has Unicode "
    "characters or ASCII only\n\n"
    "Files:\n"
    "share/picklock/scenarios/\tthe shipped scenarios, in the folder above that of the program\n"
    "SCENARIO.toml\ta scenario; docs/scenario-format.md has every key\n"
    "picklock-out/\twhat `explore` and `compare` write, in the working directory, unless --out is "
    "given";

int bad_input(const std::string& message) {
  complain(message);
  return kBadInput;
}

// nullptr: there is no such command.
const CLI::App* command_named(const CLI::App& app, const std::string& word) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == word) return command;
  }
  return nullptr;
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names = {"help"};
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return fmt::format("there is no command `{}`{}", keys::printable(word),
                     keys::did_you_mean(word, {names.begin(), names.end()}, "see picklock --help"));
}

// For an option that the command does not have: where it belongs, or the nearest one that exists.
std::string unknown_option(const CLI::App& app, const CLI::App* command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const auto has = [&name](const CLI::App* one) {
    return one->get_option_no_throw(name) != nullptr;
  };
  // The command has it: it was given before the command, or as an argument after `--`.
  if (command != nullptr && has(command))
    return fmt::format("`{0}` belongs after `{1}`: picklock {1} ... {0}", name,
                       command->get_name());
  if (command == nullptr) {
    for (const CLI::App* one : app.get_subcommands({})) {
      if (has(one))
        return fmt::format("`{}` belongs after a command, such as `{}`", name, one->get_name());
    }
  }
  std::vector<std::string> names;
  for (const CLI::Option* option : (command != nullptr ? *command : app).get_options()) {
    if (!option->get_positional()) names.push_back(option->get_name());
  }
  return fmt::format("there is no option `{}`{}", keys::printable(word),
                     keys::did_you_mean(name, {names.begin(), names.end()}));
}

// For an option without its value, or with too many. The parser's error begins with its name.
std::string misused_option(const CLI::App& where, std::string_view problem) {
  for (const CLI::Option* option : where.get_options()) {
    const std::string name = option->get_name();
    if (!problem.starts_with(name + ":") && !problem.starts_with(name + " ")) continue;
    if (option->count() > 1) return fmt::format("{}: was given {} times", name, option->count());
    return fmt::format("{}: needs a value, {}", name, option->get_type_name());
  }
  return std::string(problem);
}

// Where the right usage is described.
std::string help_of(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? "; see picklock --help"
                       : fmt::format("; see picklock help {}", given[0]->get_name());
}

// The parser's error in the words that errors in files have, with the nearest valid word.
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
    return fmt::format("{}: takes no argument \"{}\"", command->get_name(),
                       keys::printable(unused[0]));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return misused_option(*command, error.what());
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    // The parser converts no values of ours, so this is a flag that was given a value.
    for (const std::string& word : arguments) {
      const std::string name = word.substr(0, word.find('='));
      const CLI::Option* option = command->get_option_no_throw(name);
      if (name != word && option != nullptr && option->get_expected_max() == 0)
        return fmt::format("{}: takes no value", name);
    }
  }
  return fmt::format("{}: {}", command->get_name(), error.what());
}

// Empty is how a command sees an option that was not given, so nothing else may be empty.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& values = option->results();
    const bool takes_value = option->nonpositional() && option->get_expected_max() > 0;
    if (takes_value && std::find(values.begin(), values.end(), "") != values.end())
      throw keys::BadInput(fmt::format("{}: the value is empty", option->get_name()));
  }
}

// `help --as FORM`, which the help does not tell of: the build makes files of it.
std::string described(const CLI::App& app, const std::string& form) {
  if (form == "man") return help_as_man_page(app);
  if (form == "bash") return bash_completion(app);
  if (form == "zsh") return zsh_completion(app);
  throw keys::BadInput("help: --as: must be man, bash or zsh");
}

}  // namespace

int run_program(int argc, char** argv) {
  CLI::App app(
      "picklock runs distributed locks against simulated servers, in virtual time, with injected "
      "faults, and reports what broke.",
      "picklock");
  app.formatter(help_formatter(page_width()));
  app.set_help_flag("-h,--help", "print this help");
  app.require_subcommand(1);
  app.set_version_flag("--version", version(),
                       "print the version, the commit, and the servers that the models follow");

  RunOptions run_options;
  add_run(app, run_options);
  ExploreOptions explore_options;
  CLI::App* explore_command = add_explore(app, explore_options);
  TestOptions test_options;
  CLI::App* test_command = add_test(app, test_options);
  CompareOptions compare_options;
  CLI::App* compare_command = add_compare(app, compare_options);
  ConformOptions conform_options;
  CLI::App* conform_command = add_conform(app, conform_options);
  MergeOptions merge_options;
  CLI::App* merge_command = add_merge(app, merge_options);
  ServeOptions serve_options;
  CLI::App* serve_command = add_serve(app, serve_options);
  CtlOptions ctl_options;
  CLI::App* ctl_command = add_ctl(app, ctl_options);
  ListOptions list_options;
  CLI::App* list_command = add_list(app, list_options);
  for (CLI::App* command : app.get_subcommands({})) command->group("Commands");

  // Set last, because commands inherit a footer that is there when they are added.
  app.footer(kFooter);

  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const bool is_help = !arguments.empty() && arguments[0] == "help";
    if (is_help && arguments.size() == 3 && arguments[1] == "--as") {
      put(described(app, arguments[2]));
      return kAsExpected;
    }
    if (is_help && arguments.size() > 2) return bad_input("help: takes one COMMAND");
    const std::string word = arguments.size() > (is_help ? 1 : 0) ? arguments[is_help ? 1 : 0] : "";
    const CLI::App* named = command_named(app, word);
    // The parser would answer `picklock nonsense --help` with the help of the program.
    if (!word.empty() && !word.starts_with('-') && named == nullptr)
      return bad_input(unknown_command(app, word));
    if (is_help) {
      put(named != nullptr ? named->help(app.get_name()) : app.help());
      return kAsExpected;
    }
    try {
      app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      put(app.help());
      return kAsExpected;
    } catch (const CLI::CallForVersion&) {
      put(app.version());
      return kAsExpected;
    } catch (const CLI::ParseError& error) {
      return bad_input(usage_problem(app, error, arguments) + help_of(app));
    }
    refuse_empty_values(*app.get_subcommands().front());
    if (explore_command->parsed()) return explore(explore_options);
    if (test_command->parsed()) return test(test_options);
    if (compare_command->parsed()) return compare(compare_options);
    if (merge_command->parsed()) return merge(merge_options);
    if (conform_command->parsed()) return conform(conform_options);
    if (serve_command->parsed()) return serve(serve_options);
    if (ctl_command->parsed()) return ctl(ctl_options);
    if (list_command->parsed()) return list(list_options);
    return run(run_options);
  } catch (const keys::BadInput& error) {
    return bad_input(error.what());
  } catch (const OutputLost& error) {
    complain(error.what());
    return kNoAnswer;
  } catch (const std::exception& error) {
    complain(fmt::format("internal error: {}", error.what()));
    return kNoAnswer;
  }
}

}  // namespace picklock::cli
