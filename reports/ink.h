// The colors and marks of a timeline. Colors can be left out, and every mark exists in Unicode and
// in ASCII. Every mark of a lane takes one column in both, so that the layout does not depend on
// the choice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace picklock::reports {

enum class Ink : std::uint8_t {
  plain,
  dim,
  strong,
  good,
  bad,
  alarm,
  client_1,
  client_2,
  client_3,
  client_4,
  client_5,
};
inline constexpr std::uint8_t kClientInks = 5;

struct Cell {
  std::string glyph = " ";
  Ink ink = Ink::plain;
};
using Cells = std::vector<Cell>;

struct Span {
  std::string text;
  Ink ink = Ink::plain;
};

// One line of a report, in pieces of one color.
class Line {
 public:
  Line() = default;
  explicit Line(const Cells& cells) {
    for (const Cell& cell : cells) add(cell.glyph, cell.ink);
  }

  Line& add(std::string_view text, Ink ink = Ink::plain) {
    if (!spans_.empty() && spans_.back().ink == ink) {
      spans_.back().text += text;
    } else {
      spans_.push_back({std::string(text), ink});
    }
    return *this;
  }
  Line& add(const Line& other) {
    for (const Span& span : other.spans_) add(span.text, span.ink);
    return *this;
  }

  // Without trailing spaces, with a line end.
  std::string text(bool color) const;

 private:
  std::vector<Span> spans_;
};

struct Palette {
  std::string_view idle, believes, paused, paused_believing, entry;
  std::string_view right_of_idle, right_of_bar, left_of_idle, left_of_bar;  // the start of an arrow
  std::string_view across, reply, cross_idle, cross_bar;
  std::string_view head_right, head_left, lost, event, ends, violation, fold;
  std::string_view good, bad, open, fault, rule, to, dot, ellipsis;
};

const Palette& palette(bool unicode);

}  // namespace picklock::reports
