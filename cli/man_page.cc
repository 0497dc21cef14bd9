#include "cli/man_page.h"

#include <fmt/format.h>

#include <cctype>
#include <sstream>
#include <string_view>

namespace picklock::cli {
namespace {

// Text as roff takes it. Text between backquotes becomes bold.
std::string roff(std::string_view text) {
  std::string escaped;
  bool bold = false;
  for (const char letter : text) {
    if (letter == '`') {
      escaped += bold ? "\\fR" : "\\fB";
      bold = !bold;
    } else if (letter == '\\') {
      escaped += "\\e";
    } else if (letter == '-') {
      escaped += "\\-";  // a bare one may be printed as a hyphen, which a shell does not take
    } else {
      escaped += letter;
    }
  }
  const bool is_request = escaped.starts_with('.') || escaped.starts_with('\'');
  return is_request ? "\\&" + escaped : escaped;
}

// "SCENARIO...", "[SCENARIO]", "KIND".
std::string argument(const CLI::Option& positional) {
  const std::string name = fmt::format("\\fI{}\\fR{}", roff(positional.get_name()),
                                       positional.get_expected_max() > 1 ? "..." : "");
  return positional.get_required() ? name : "[" + name + "]";
}

// An option's names and value, or a positional argument's name.
std::string tag(const CLI::Option& option) {
  if (option.get_positional()) return fmt::format("\\fI{}\\fR", roff(option.get_name()));
  std::string names;
  for (const std::string& name : option.get_snames())
    names += fmt::format("{}\\fB\\-{}\\fR", names.empty() ? "" : ", ", roff(name));
  for (const std::string& name : option.get_lnames())
    names += fmt::format("{}\\fB\\-\\-{}\\fR", names.empty() ? "" : ", ", roff(name));
  if (option.get_expected_max() > 0)
    names += fmt::format(" \\fI{}\\fR", roff(option.get_type_name()));
  return names;
}

// Lines of a footer as the help has them: "NAME\tMEANING", "Heading:", text, and empty ones.
std::string footer(const std::string& text, bool headings_are_sections) {
  std::string page;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (const std::size_t tab = line.find('\t'); tab != std::string::npos) {
      page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(line.substr(0, tab)),
                          roff(line.substr(tab + 1)));
    } else if (headings_are_sections && line.ends_with(':')) {
      line.pop_back();
      for (char& letter : line) letter = static_cast<char>(std::toupper(letter));
      page += fmt::format(".SH {}\n", line);
    } else {
      page += fmt::format(".PP\n{}\n", roff(line));
    }
  }
  return page;
}

std::string section(const CLI::App& app, const CLI::App& command) {
  std::string call =
      fmt::format("\\fB{} {}\\fR [\\fIOPTION\\fR...]", app.get_name(), roff(command.get_name()));
  std::string options;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) call += " " + argument(*option);
    options += fmt::format(".TP\n{}\n{}\n", tag(*option), roff(option->get_description()));
  }
  return fmt::format(".SS {}\n{}\n.PP\n{}\n{}{}", roff(command.get_name()), call,
                     roff(command.get_description()), options, footer(command.get_footer(), false));
}

}  // namespace

std::string help_as_man_page(const CLI::App& app) {
  std::string text;
  for (const CLI::App* command : app.get_subcommands({})) text += section(app, *command);
  return text + footer(app.get_footer(), true);
}

}  // namespace picklock::cli
