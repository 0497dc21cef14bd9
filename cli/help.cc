#include "cli/help.h"

#include <CLI/CLI.hpp>
#include <string>

#include "cli/layout.h"

namespace picklock::cli {
namespace {

class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(int width) : layout_{.indent = 2, .column = 26, .width = width} {
    label("SUBCOMMAND", "COMMAND");
    label("OPTIONS", "OPTION...");
    label("Positionals", "Arguments");
  }

  std::string make_description(const CLI::App* app) const override {
    return paragraphs(app->get_description(), layout_) + '\n';
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    return paragraphs(CLI::Formatter::make_usage(app, std::move(name)), layout_);
  }

  std::string make_footer(const CLI::App* app) const override {
    return paragraphs(app->get_footer(), layout_);
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string name = option->get_name(is_positional, !is_positional);
    if (const std::size_t comma = name.find(','); comma != std::string::npos)
      name.insert(comma + 1, " ");
    if (!option->get_type_name().empty()) name += ' ' + option->get_type_name();
    return entry(name, option->get_description(), layout_);
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_name(), command->get_description(), layout_);
  }

 private:
  const Layout layout_;
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter(int width) {
  return std::make_shared<HelpFormatter>(width);
}

}  // namespace picklock::cli
