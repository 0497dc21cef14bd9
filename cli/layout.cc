#include "cli/layout.h"

#include "reports/columns.h"
#include "reports/ink.h"

namespace picklock::cli {
namespace {

std::string joined(const std::vector<std::string>& lines, const std::string& margin) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : margin) + line + '\n';
  return text;
}

}  // namespace

std::string entry(std::string_view name, std::string_view meaning, const Layout& layout,
                  bool strong) {
  const std::string indent(static_cast<std::size_t>(layout.indent), ' ');
  reports::Line line;
  line.add(indent).add(name, strong ? reports::Ink::strong : reports::Ink::plain);
  if (meaning.empty()) return line.text(strong);
  const std::string margin(static_cast<std::size_t>(layout.column), ' ');
  const std::string text = joined(reports::wrap(meaning, layout.width - layout.column), margin);
  const int gap = layout.column - layout.indent - reports::display_width(name);
  if (gap < 2) return line.text(strong) + margin + text;
  std::string named = line.text(strong);
  named.pop_back();
  return named + std::string(static_cast<std::size_t>(gap), ' ') + text;
}

std::string paragraphs(std::string_view text, const Layout& layout) {
  std::string all;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) {
      all += line.empty() ? "\n" : joined(reports::wrap(line, layout.width), "");
    } else {
      Layout inner = layout;
      inner.indent = 2;
      all += entry(line.substr(0, tab), line.substr(tab + 1), inner);
    }
  }
  return all;
}

}  // namespace picklock::cli
