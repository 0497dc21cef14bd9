#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "conform/server_kind.h"
#include "explore/strategies/list.h"
#include "models/locks/catalogue.h"
#include "models/servers/kind.h"
#include "picklock/lock.h"
#include "scenarios/catalogue.h"
#include "scenarios/fault_classes.h"
#include "scenarios/verbs/kind.h"

namespace picklock::cli {
namespace {

// The words or files that a shell offers for the value of an option or for an argument.
struct Values {
  enum class Shape { free, words, list, words_or_file, file, folder };  // list: words with commas
  Shape shape = Shape::free;
  std::vector<std::string> words = {};
};

using Shape = Values::Shape;

std::vector<std::string> scenarios_shipped() {
  std::vector<std::string> names;
  for (const scenarios::Shipped& one : scenarios::catalogue(scenarios::shipped_directory()))
    names.push_back(one.name);
  return names;
}

std::vector<std::string> servers_compared() {
  std::vector<std::string> names;
  for (const conform::ServerKind& server : conform::server_kinds()) names.emplace_back(server.name);
  return names;
}

std::vector<std::string> locks() {
  std::vector<std::string> names;
  for (const models::Algorithm* algorithm : models::locks::all())
    names.emplace_back(algorithm->name);
  return names;
}

std::vector<std::string> fault_classes() {
  std::vector<std::string> names = {"none"};
  for (const scenarios::FaultClassRow& row : scenarios::fault_classes()) {
    const std::string name(picklock::name(row.fault_class));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> fault_classes_and(std::vector<std::string> others) {
  std::vector<std::string> names = fault_classes();
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

std::vector<std::string> verbs() {
  std::vector<std::string> names(verbs::names().begin(), verbs::names().end());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> servers_of_locks() {
  const keys::Words all = servers::keys_of_kinds();
  return {all.begin(), all.end()};
}

std::vector<std::string> strategies() {
  const keys::Words names = explore::strategies::names();
  return {names.begin(), names.end()};
}

// By the name that the help has for it. All others are numbers or free text.
Values values_of(const CLI::Option& option) {
  const std::string name = option.get_name();
  if (name == "SCENARIO") return {Shape::words_or_file, scenarios_shipped()};
  if (name == "KIND") {
    std::vector<std::string> kinds = locks();
    kinds.insert(kinds.end(), {"algorithms", "scenarios", "faults", "properties", "strategies"});
    return {Shape::words, kinds};
  }
  if (name == "SERVER") return {Shape::words, servers_compared()};
  if (name == "--format") return {Shape::words, {"text", "mermaid", "json", "junit", "perfetto"}};
  if (name == "--algorithm" || name == "--against") return {Shape::words, locks()};
  if (name == "--algorithms" || name == "--lock") return {Shape::list, locks()};
  if (name == "--strategy") return {Shape::words, strategies()};
  if (name == "--faults") return {Shape::list, fault_classes_and({"all"})};
  if (name == "--fault") return {Shape::list, fault_classes_and(verbs())};
  if (name == "--server") return {Shape::list, servers_of_locks()};
  if (name == "--color") return {Shape::words, {"auto", "always", "never"}};
  if (name == "--property") return {Shape::list, {kPropertyNames.begin(), kPropertyNames.end()}};
  if (name == "--html") return {Shape::file};
  if (name == "--out" || name == "--corpus" || name == "--store" || name == "STORE")
    return {Shape::folder};
  return {};
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> options = command.get_options();
  std::erase_if(options, [](const CLI::Option* option) { return option->get_positional(); });
  return options;
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  std::vector<const CLI::Option*> options = command.get_options();
  std::erase_if(options, [](const CLI::Option* option) { return !option->get_positional(); });
  return options;
}

bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0; }

// "-h", "--help".
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string spaced(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// In single quotes of a shell.
std::string in_quotes(std::string_view text) {
  std::string inside;
  for (const char letter : text) inside += letter == '\'' ? "'\\''" : std::string(1, letter);
  return "'" + inside + "'";
}

// --- bash

std::string bash_offer(const Values& values) {
  switch (values.shape) {
    case Shape::free:
      return ":";
    case Shape::words:
      return fmt::format("_picklock_words '{}'", spaced(values.words));
    case Shape::list:
      return fmt::format("_picklock_list '{}'", spaced(values.words));
    case Shape::words_or_file:
      return fmt::format("_picklock_words '{}'; _picklock_files '!*.toml'", spaced(values.words));
    case Shape::file:
      return "_picklock_files";
    case Shape::folder:
      return "_picklock_folders";
  }
  return ":";
}

// Bash has `=` as a word of its own in COMP_WORDS. The programs of the package bash-completion
// would do without, but they need not be installed.
constexpr std::string_view kBashFunctions = R"(
_picklock_words() { mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$1" -- "$word"); }

_picklock_list() {
  local before=
  [[ $word == *,* ]] && before=${word%,*},
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${word##*,}")
}

_picklock_files() {
  compopt -o filenames
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "$1" -- "$word"; compgen -d -- "$word")
}

_picklock_folders() {
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen -d -- "$word")
}

_picklock() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  if [[ $word == '=' ]]; then
    word=
  elif [[ $before == '=' ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  ((COMP_CWORD > 1)) || command=
)";

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* command : app.get_subcommands({})) {
    std::vector<std::string> names;
    for (const CLI::Option* option : options_of(*command)) {
      const std::vector<std::string> own = names_of(*option);
      names.insert(names.end(), own.begin(), own.end());
      if (!takes_value(*option)) continue;
      for (const std::string& name : own)
        cases += fmt::format("    '{} {}') {} ;;\n", command->get_name(), name,
                             bash_offer(values_of(*option)));
    }
    std::string offer = fmt::format("_picklock_words '{}'", spaced(names));
    std::string arguments;
    for (const CLI::Option* argument : arguments_of(*command))
      arguments += bash_offer(values_of(*argument)) + "; ";
    if (arguments.empty()) arguments = "_picklock_words '" + spaced(names) + "'; ";
    cases += fmt::format("    '{} '*) if [[ $word == -* ]]; then {}; else {}fi ;;\n",
                         command->get_name(), offer, arguments);
  }
  const std::string commands = spaced(command_names(app));
  std::string global;
  for (const CLI::Option* option : options_of(app)) global += " " + spaced(names_of(*option));
  return fmt::format(
      "# Completion of picklock's command line in bash. Made from `picklock help`.\n{}"
      "  case \"$command $before\" in\n{}    'help '*) _picklock_words '{}' ;;\n"
      "    *) _picklock_words 'help {}{}' ;;\n  esac\n}}\n\ncomplete -F _picklock picklock\n",
      kBashFunctions, cases, commands, commands, global);
}

// --- zsh

namespace {

// `_arguments` gives a meaning to these.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    if (std::string_view("[]:\\").find(letter) != std::string_view::npos) escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

std::string zsh_action(const Values& values) {
  const std::string words = spaced(values.words);
  switch (values.shape) {
    case Shape::free:
      return " ";
    case Shape::words:
      return fmt::format("({})", words);
    case Shape::list:
      return fmt::format("_sequence compadd - {}", words);
    case Shape::words_or_file:
      return fmt::format("{{ compadd -- {}; _files -g \"*.toml\" }}", words);
    case Shape::file:
      return "_files";
    case Shape::folder:
      return "_files -/";
  }
  return " ";
}

std::string zsh_option(const CLI::Option& option) {
  const std::vector<std::string> names = names_of(option);
  const bool repeats = option.get_expected_max() > 1;
  std::string rest = fmt::format("[{}]", zsh_text(option.get_description()));
  if (takes_value(option))
    rest += fmt::format(":{}:{}", zsh_text(option.get_type_name()), zsh_action(values_of(option)));
  std::string specs;
  for (const std::string& name : names) {
    const std::string exclusive = repeats ? "*" : fmt::format("({})", spaced(names));
    const std::string equals = takes_value(option) && name.starts_with("--") ? "=" : "";
    specs += " \\\n        ";
    specs += in_quotes(fmt::format("{}{}{}{}", exclusive, name, equals, rest));
  }
  return specs;
}

std::string zsh_argument(const CLI::Option& argument) {
  return " \\\n        " +
         in_quotes(fmt::format("{}:{}:{}", argument.get_expected_max() > 1 ? "*" : "",
                               argument.get_name(), zsh_action(values_of(argument))));
}

}  // namespace

std::string zsh_completion(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands += "        " +
                in_quotes(command->get_name() + ":" + zsh_text(command->get_description())) + "\n";
    cases += fmt::format("    {})\n      _arguments", command->get_name());
    for (const CLI::Option* option : options_of(*command)) cases += zsh_option(*option);
    for (const CLI::Option* argument : arguments_of(*command)) cases += zsh_argument(*argument);
    cases += "\n      ;;\n";
  }
  std::string global;
  for (const CLI::Option* option : options_of(app)) global += zsh_option(*option);
  return fmt::format(R"(#compdef picklock
# Completion of picklock's command line in zsh. Made from `picklock help`.

_picklock() {{
  local curcontext="$curcontext" state line
  typeset -A opt_args
  _arguments -C{} \
        '1: :->command' \
        '*:: :->arguments'
  case $state in
    command)
      local -a commands=(
        'help:Print the options of a command'
{}      )
      _describe command commands
      return
      ;;
    arguments) ;;
    *) return ;;
  esac
  case $words[1] in
{}    help) _arguments '1:COMMAND:({})' ;;
  esac
}}

_picklock "$@"
)",
                     global, commands, cases, spaced(command_names(app)));
}

}  // namespace picklock::cli
