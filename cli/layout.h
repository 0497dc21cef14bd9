// Names and what they mean, side by side, as help and lists show them. Words wrap, and no line is
// wider than the page, unless a name is.
#pragma once

#include <string>
#include <string_view>

namespace picklock::cli {

struct Layout {
  int indent = 0;   // columns before a name
  int column = 28;  // where meanings begin
  int width = 80;   // columns of the page
};

// One line, or several: a name that leaves no room beside it has its meaning below.
std::string entry(std::string_view name, std::string_view meaning, const Layout& layout,
                  bool strong = false);

// Lines of `text` as paragraphs. A line "NAME\tMEANING" is an entry, indented by two columns.
std::string paragraphs(std::string_view text, const Layout& layout);

}  // namespace picklock::cli
