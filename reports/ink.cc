#include "reports/ink.h"

namespace picklock::reports {
namespace {

std::string_view code(Ink ink) {
  switch (ink) {
    case Ink::plain:
      return "";
    case Ink::dim:
      return "\x1b[2m";
    case Ink::strong:
      return "\x1b[1m";
    case Ink::good:
      return "\x1b[32m";
    case Ink::bad:
      return "\x1b[1;31m";
    case Ink::alarm:
      return "\x1b[1;33m";
    case Ink::client_1:
      return "\x1b[36m";
    case Ink::client_2:
      return "\x1b[35m";
    case Ink::client_3:
      return "\x1b[34m";
    case Ink::client_4:
      return "\x1b[32m";
    case Ink::client_5:
      return "\x1b[33m";
  }
  return "";
}

constexpr Palette kUnicode = {.idle = "│",
                              .believes = "┃",
                              .paused = "░",
                              .paused_believing = "▓",
                              .entry = "┃",
                              .right_of_idle = "├",
                              .right_of_bar = "┣",
                              .left_of_idle = "┤",
                              .left_of_bar = "┫",
                              .across = "─",
                              .reply = "╌",
                              .cross_idle = "┼",
                              .cross_bar = "╂",
                              .head_right = "►",
                              .head_left = "◄",
                              .lost = "╳",
                              .event = "●",
                              .ends = "○",
                              .violation = "✗",
                              .fold = "┊",
                              .good = "✓",
                              .bad = "✗",
                              .open = "?",
                              .fault = "⚡",
                              .rule = "─",
                              .to = "→",
                              .dot = "·",
                              .ellipsis = "…"};

constexpr Palette kAscii = {.idle = "|",
                            .believes = "#",
                            .paused = "z",
                            .paused_believing = "Z",
                            .entry = "#",
                            .right_of_idle = "+",
                            .right_of_bar = "#",
                            .left_of_idle = "+",
                            .left_of_bar = "#",
                            .across = "-",
                            .reply = ".",
                            .cross_idle = "|",
                            .cross_bar = "#",
                            .head_right = ">",
                            .head_left = "<",
                            .lost = "x",
                            .event = "*",
                            .ends = "o",
                            .violation = "X",
                            .fold = ":",
                            .good = "+",
                            .bad = "X",
                            .open = "?",
                            .fault = "!!",
                            .rule = "-",
                            .to = "->",
                            .dot = "-",
                            .ellipsis = "..."};

}  // namespace

std::string Line::text(bool color) const {
  std::string out;
  std::string spaces;  // held back, so that none end a line
  for (const Span& span : spans_) {
    const std::size_t last = span.text.find_last_not_of(' ');
    if (last == std::string::npos) {
      spaces += span.text;
      continue;
    }
    const std::string_view code = color ? reports::code(span.ink) : "";
    out += spaces;
    out += code;
    out.append(span.text, 0, last + 1);
    if (!code.empty()) out += "\x1b[0m";
    spaces.assign(span.text, last + 1);
  }
  return out + '\n';
}

const Palette& palette(bool unicode) { return unicode ? kUnicode : kAscii; }

}  // namespace picklock::reports
