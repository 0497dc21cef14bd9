#include "reports/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace picklock::reports {
namespace {

struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// East Asian width W and F, and the pictures terminals draw over two columns.
constexpr std::array<Range, 18> kWide = {{{0x1100, 0x115f},
                                          {0x231a, 0x231b},
                                          {0x26a1, 0x26a1},
                                          {0x2705, 0x2705},
                                          {0x274c, 0x274c},
                                          {0x2e80, 0x303e},
                                          {0x3041, 0x33ff},
                                          {0x3400, 0x4dbf},
                                          {0x4e00, 0x9fff},
                                          {0xa000, 0xa4cf},
                                          {0xac00, 0xd7a3},
                                          {0xf900, 0xfaff},
                                          {0xfe30, 0xfe6f},
                                          {0xff00, 0xff60},
                                          {0xffe0, 0xffe6},
                                          {0x1f300, 0x1f64f},
                                          {0x1f680, 0x1f9ff},
                                          {0x20000, 0x3fffd}}};

constexpr std::array<Range, 6> kNoWidth = {{{0x0300, 0x036f},
                                            {0x200b, 0x200f},
                                            {0x202a, 0x202e},
                                            {0x2060, 0x2069},
                                            {0xfe00, 0xfe0f},
                                            {0xfeff, 0xfeff}}};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, std::uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](Range range) { return range.first <= code && code <= range.last; });
}

struct Character {
  std::string_view bytes;
  std::uint32_t code = 0;
  bool valid = false;
};

// Takes the next character off the front; a byte that begins none counts as one invalid character.
Character next_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t lead = byte(0);
  std::size_t size = lead < 0x80   ? 1
                     : lead < 0xc2 ? 0
                     : lead < 0xe0 ? 2
                     : lead < 0xf0 ? 3
                     : lead < 0xf5 ? 4
                                   : 0;
  std::uint32_t code = size == 1   ? lead
                       : size == 2 ? lead & 0x1f
                       : size == 3 ? lead & 0x0f
                                   : lead & 0x07;
  bool valid = size != 0 && size <= text.size();
  for (std::size_t i = 1; valid && i < size; ++i) {
    valid = (byte(i) & 0xc0) == 0x80;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  if (valid)
    valid = code >= kSmallest[size] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  if (!valid) size = 1;
  const Character character{text.substr(0, size), code, valid};
  text.remove_prefix(size);
  return character;
}

int width_of(const Character& character) {
  if (!character.valid || character.code < 0x20 || character.code == 0x7f) return 1;
  if (within(kNoWidth, character.code)) return 0;
  return within(kWide, character.code) ? 2 : 1;
}

// Most text is ASCII and needs no closer look.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char letter) { return letter >= 0x20 && letter < 0x7f; });
}

std::size_t padding(std::string_view text, int width) {
  return static_cast<std::size_t>(std::max(0, width - display_width(text)));
}

}  // namespace

int display_width(std::string_view text) {
  if (is_plain(text)) return static_cast<int>(text.size());
  int width = 0;
  while (!text.empty()) width += width_of(next_character(text));
  return width;
}

std::string printable(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const Character character = next_character(text);
    // Direction marks (U+202A to U+202E, U+2066 to U+2069) reorder what follows, so they are shown
    // too.
    const bool reorders = (character.code >= 0x202a && character.code <= 0x202e) ||
                          (character.code >= 0x2066 && character.code <= 0x2069);
    const bool control = character.code < 0x20 || (character.code >= 0x7f && character.code < 0xa0);
    if (character.valid && !control && !reorders) {
      out += character.bytes;
      continue;
    }
    for (const char byte : character.bytes) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    }
  }
  return out;
}

std::string ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character character = next_character(text);
    if (character.valid && character.code < 0x80) {
      out += character.bytes;
    } else {
      out.append(static_cast<std::size_t>(width_of(character)), '?');
    }
  }
  return out;
}

std::string pad_right(std::string_view text, int width) {
  return std::string(text) + std::string(padding(text, width), ' ');
}

std::string pad_left(std::string_view text, int width) {
  return std::string(padding(text, width), ' ') + std::string(text);
}

std::vector<std::string> wrap(std::string_view text, int width, int hang) {
  std::vector<std::string> lines(1);
  int begin = 0;
  int used = 0;
  const auto new_line = [&] {
    lines.emplace_back(static_cast<std::size_t>(hang), ' ');
    begin = used = hang;
  };
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (used > begin && used + 1 + display_width(word) > width) {
      new_line();
    } else if (used > begin) {
      lines.back() += ' ';
      ++used;
    }
    while (!word.empty()) {
      const Character character = next_character(word);
      if (used > begin && used + width_of(character) > width) new_line();
      lines.back() += character.bytes;
      used += width_of(character);
    }
  }
  return lines;
}

}  // namespace picklock::reports
